/*
 * Whether this process is to be profiled. The library is loaded into every program of a container; most must
 * be left alone at the cost of one system call (measured: 3 us with it; 8 us where node's arguments are
 * read).
 *
 * The order (design.md, 11), the first step that says no decides:
 *   1. a program with raised privileges (AT_SECURE);
 *   2. OTEL_SDK_DISABLED=true, OTEL_PROFILING_ENABLED=false;
 *   3. the program: out if OTEL_PROFILING_EXCLUDE matches. node and nodejs are in, unless they run a
 *      package manager or NODE_ENV is test. Others are in if OTEL_PROFILING_INCLUDE matches; shells, tools
 *      and package managers only if a glob names them. A glob whose last component is only stars names
 *      nothing.
 *   4. a sanitizer's or valgrind's runtime in the process: they take stacks, signals and malloc themselves;
 *   5. no thread functions in libc;
 *   6. another copy of this library.
 *
 * What the environment leaves open of 2 and 3 the configuration file may say. It is read where the
 * environment has not said no, and by no shell, tool or package manager: these must be named in the
 * environment.
 *
 * Runs in the constructor, on its thread: no heap, no output, under 1 KiB of stack. Not in signal handlers.
 */
#ifndef OTELPROF_CONFIG_ACTIVATION_H
#define OTELPROF_CONFIG_ACTIVATION_H

#include "config/program.h"
#include "config/settings_file.h"

struct activation_input {
    /* From the caller. */
    int secure;         /* AT_SECURE */
    int no_threads;     /* libc has no thread functions: a glibc before 2.34, no libpthread or no libdl */
    int second_copy;    /* this library is in the process already */
    int sanitizer;      /* __asan_init, __tsan_init or the like is there */
    int valgrind;       /* the process runs under valgrind */
    const char *execfn; /* AT_EXECFN, or NULL */

    /* Gathered by activation_decide, NULL before it; text points into the environment or the configuration
     * file's, NULL is unset. */
    const char *sdk_disabled, *profiling_enabled;
    const char *include, *exclude;
    const char *log_level, *log_file;
    const char *node_env, *in_tests, *config_file;
    struct program program;
};

/*
 * The decision alone, a pure function of |input|: NULL to go on, else a static sentence that names the one
 * step that said no, fit to follow "not profiled: ".
 */
const char *activation_refusal(const struct activation_input *input);

/*
 * Gathers what activation_refusal needs, cheapest first, and decides. The caller has filled the first part of
 * |input|. |environment| is walked once, and not at all in a process with raised privileges. System calls:
 * none when step 1 or 2 says no, else those of program_detect and settings_file_read: 7 at most. |file| is
 * what was read, with no path if nothing was. On NULL, |input->program| stays valid for the life of the
 * process.
 */
const char *activation_decide(struct activation_input *input, char *const *environment,
                              struct settings_file *file);

/* Says |refusal| if OTEL_PROFILING_LOG_LEVEL is debug, to OTEL_PROFILING_LOG_FILE or stderr; else nothing.
 * Never in a process with raised privileges: whoever started it may not choose a file for it to write. */
void activation_report(const struct activation_input *input, const char *refusal);

#endif
