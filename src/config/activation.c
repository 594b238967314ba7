#include "config/activation.h"

#include <string.h>

#include "config/environment.h"
#include "config/glob.h"
#include "config/values.h"
#include "sys/log.h"

/* Programs that a container runs by the thousand and nobody wants a profile of: OTEL_PROFILING_INCLUDE=*
 * leaves them out. */
static const char *const tools[] = {
    /* shells */
    "sh", "bash", "dash", "ash", "busybox", "zsh", "ksh*", "mksh", "fish", "csh", "tcsh", "rbash",
    /* what starts and supervises others */
    "env", "sudo", "su", "tini*", "dumb-init", "gosu", "su-exec", "runit*", "runsv*", "s6-*", "supervisord",
    "catatonit", "nice", "nohup", "setsid", "setpriv", "timeout", "stdbuf", "chroot", "unshare", "nsenter",
    "flock", "xargs", "start-stop-daemon",
    /* small tools of scripts */
    "cat", "ls", "true", "false", "sleep", "test", "[", "git", "git-*", "curl", "wget", "grep", "egrep",
    "fgrep", "sed", "awk", "mawk", "gawk", "tar", "gzip", "xz", "bzip2", "zstd", "unzip", "echo", "printf",
    "expr", "basename", "dirname", "readlink", "realpath", "stat", "id", "whoami", "uname", "hostname",
    "date", "mkdir", "rmdir", "rm", "cp", "mv", "ln", "chmod", "chown", "chgrp", "touch", "mktemp", "head",
    "tail", "sort", "uniq", "wc", "tr", "cut", "tee", "find", "ps", "kill", "pgrep", "pkill", "which",
    "getent", "ip", "nc", "ssh", "less", "more", "vi", "vim", "vim.*", "nano", "jq", "openssl", "locale",
    "getconf", "md5sum", "sha256sum",
    /* package managers */
    "apt*", "dpkg*", "apk", "rpm", "yum", "dnf", "pip*", "debconf*", "update-*",
    /* compilers, debuggers, ourselves */
    "ld*", "gcc*", "g++*", "cc", "cc1*", "c++*", "collect2", "as", "clang*", "lld*", "make", "cmake", "ninja",
    "gdb", "gdbserver", "strace", "ltrace", "perf", "valgrind*", "otelprof", NULL};

/* Scripts that node runs which only start others. */
static const char *const managers[] = {"npm",      "npx",         "yarn",       "yarnpkg",    "pnpm",
                                       "pnpx",     "corepack",    "npm-cli.js", "npx-cli.js", "yarn.js",
                                       "pnpm.cjs", "node-gyp.js", "yarn-*.*js", "pnpm.mjs",   NULL};

static const char not_selected[] =
    "the program is neither node nor in OTEL_PROFILING_INCLUDE (* selects every program)",
                  in_tests[] = "NODE_ENV is test (OTEL_PROFILING_IN_TESTS=true profiles tests, too)";

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int in_list(const char *const *globs, const char *name)
{
    for (; *globs; globs++)
        if (glob_match(*globs, strlen(*globs), name)) return 1;
    return 0;
}

enum match { MATCH_NONE, MATCH_ANY, MATCH_NAMED };

/* MATCH_ANY if the last component of the glob is only stars, so that it names no program. */
static enum match kind_of_glob(const char *glob, size_t len)
{
    while (len && glob[len - 1] == '*') len--;
    return !len || glob[len - 1] == '/' ? MATCH_ANY : MATCH_NAMED;
}

/* The strongest match of the comma list |globs| (NULL: empty) with the file |path|. */
static enum match match_list(const char *globs, const char *path)
{
    enum match best = MATCH_NONE;
    const char *name = last_component(path), *item;
    size_t len;
    while (globs && (item = value_next_item(&globs, &len))) {
        enum match kind = kind_of_glob(item, len);
        if (kind > best && glob_match(item, len, memchr(item, '/', len) ? path : name)) best = kind;
    }
    return best;
}

static int is_manager(const char *script)
{
    return script && (program_is_run_option(script) || in_list(managers, last_component(script)));
}

static const char *refusal_by_switch(const struct activation_input *input)
{
    if (input->secure) return "it runs with raised privileges (AT_SECURE)";
    if (input->sdk_disabled && value_boolean(input->sdk_disabled) == 1) return "OTEL_SDK_DISABLED is true";
    if (input->profiling_enabled && value_boolean(input->profiling_enabled) == 0)
        return "OTEL_PROFILING_ENABLED is false";
    return NULL;
}

static int is_test(const struct activation_input *input)
{
    static const struct value_word test[] = {{"test", 1}, {NULL, 0}};
    if (!input->node_env || !value_find_word(test, input->node_env, strlen(input->node_env))) return 0;
    return !input->in_tests || value_boolean(input->in_tests) != 1;
}

static const char *refusal_by_program(const struct activation_input *input)
{
    const struct program *program = &input->program;
    if (!program->name) return "the program is unknown (no /proc and no AT_EXECFN)";
    if (match_list(input->exclude, program->path) != MATCH_NONE)
        return "the program matches OTEL_PROFILING_EXCLUDE";
    if (program->is_node) {
        if (is_manager(program->script) && match_list(input->include, program->script) != MATCH_NAMED)
            return "node runs a package manager (name its script in OTEL_PROFILING_INCLUDE to profile it)";
        return is_test(input) ? in_tests : NULL;
    }
    enum match include = match_list(input->include, program->path);
    if (include == MATCH_NONE) return not_selected;
    if (include == MATCH_ANY && in_list(tools, program->name))
        return "the program is a shell or a tool, which * leaves out (name it in OTEL_PROFILING_INCLUDE)";
    return NULL;
}

const char *activation_refusal(const struct activation_input *input)
{
    const char *refusal = refusal_by_switch(input);
    if (!refusal) refusal = refusal_by_program(input);
    if (refusal) return refusal;
    if (input->sanitizer) return "a sanitizer's runtime is in the process";
    if (input->valgrind) return "the process runs under valgrind";
    if (input->no_threads) return "it runs without libpthread, or without libdl, on a glibc before 2.34";
    if (input->second_copy) return "another copy of libotelprof is in the process";
    return NULL;
}

enum { SETTINGS_OF_FILE = 7 };

/* The variables that decide; those of the configuration file first. */
static const char *const variables[] = {
    "OTEL_SDK_DISABLED",       "OTEL_PROFILING_ENABLED",     "OTEL_PROFILING_INCLUDE",
    "OTEL_PROFILING_EXCLUDE",  "OTEL_PROFILING_LOG_LEVEL",   "OTEL_PROFILING_LOG_FILE",
    "OTEL_PROFILING_IN_TESTS", "OTEL_PROFILING_CONFIG_FILE", "NODE_ENV"};

enum { NAME_COUNT = sizeof variables / sizeof *variables };

/* |count| values, in the order of |variables|: those that are not set yet. */
static void fill(struct activation_input *input, const char *const *values, size_t count)
{
    const char **places[NAME_COUNT] = {&input->sdk_disabled, &input->profiling_enabled, &input->include,
                                       &input->exclude,      &input->log_level,         &input->log_file,
                                       &input->in_tests,     &input->config_file,       &input->node_env};
    for (size_t i = 0; i < count; i++)
        if (!*places[i]) *places[i] = values[i];
}

/* Whether the configuration file can change what the environment says, |refusal|. */
static int file_matters(const struct activation_input *input, const char *refusal)
{
    if (!refusal) return 1;
    if (refusal == in_tests) return !input->in_tests;
    return refusal == not_selected && !input->include && !in_list(tools, input->program.name);
}

const char *activation_decide(struct activation_input *input, char *const *environment,
                              struct settings_file *file)
{
    const char *values[NAME_COUNT] = {NULL};
    file->path = NULL;
    memset(&input->program, 0, sizeof input->program);
    if (!input->secure) {
        environment_pick(environment, variables, values, NAME_COUNT);
        fill(input, values, NAME_COUNT);
    }
    const char *refusal = refusal_by_switch(input);
    if (refusal) return refusal;
    program_detect(&input->program, input->execfn);
    refusal = refusal_by_program(input);
    if (!file_matters(input, refusal)) return refusal;
    settings_file_read(file, input->config_file);
    environment_pick(file->entries, variables, values, SETTINGS_OF_FILE);
    fill(input, values, SETTINGS_OF_FILE);
    return activation_refusal(input);
}

void activation_report(const struct activation_input *input, const char *refusal)
{
    static const struct value_word debug[] = {{"debug", LOG_LEVEL_DEBUG}, {NULL, 0}};
    if (input->secure || !input->log_level) return;
    if (!value_find_word(debug, input->log_level, strlen(input->log_level))) return;
    log_configure(LOG_LEVEL_DEBUG, input->log_file);
    log_debug("%s is not profiled: %s", input->program.name ? input->program.name : "this process", refusal);
}
