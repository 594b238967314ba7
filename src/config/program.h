/*
 * Which program this process runs. Asked once, in the constructor, before the program can have changed its
 * title (which overwrites /proc/self/cmdline) or its directory. Not in signal handlers.
 */
#ifndef OTELPROF_CONFIG_PROGRAM_H
#define OTELPROF_CONFIG_PROGRAM_H

#include <stddef.h>

struct program {
    const char *path; /* as the kernel names the executable; AT_EXECFN's text without /proc; NULL: unknown */
    const char *name; /* the last component of |path|; NULL: unknown */
    int is_node;      /* the name is node or nodejs */
    const char *script; /* of node: the file it was told to run, as written; NULL if none or not known */
};

/*
 * Fills |program| with one system call (readlink of /proc/self/exe), and three more when it is node
 * (/proc/self/cmdline, the first 4 KiB). |execfn| is AT_EXECFN or NULL; it counts only when /proc is missing,
 * because for a script it is the script ("./s.js"), and through a symlink the link. The texts live as long as
 * the process, in static memory: no allocation; the next call overwrites them.
 */
void program_detect(struct program *program, const char *execfn);

/* Fills |program| from its executable's |path| (NULL: unknown), which must outlive it; no script. */
void program_from_path(struct program *program, const char *path);

/*
 * The script among the arguments of node: the first argument behind argv[0] that is neither an option nor an
 * option's own value. |arguments| are |len| bytes of NUL-terminated strings, as in /proc/PID/cmdline; one
 * that is cut at the end does not count. NULL for -e, -p, "-" (standard input) and without any. The option
 * itself for --run, with which node starts a script of package.json in a shell and runs no JavaScript.
 */
const char *program_script(const char *arguments, size_t len);

/* True if |argument| is "--run" or "--run=NAME". */
int program_is_run_option(const char *argument);

#endif
