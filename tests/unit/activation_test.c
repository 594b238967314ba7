#include <check.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/activation.h"
#include "config/glob.h"
#include "sys/heap.h"

#define GO NULL
#define NOT_SELECTED "the program is neither node nor in OTEL_PROFILING_INCLUDE"
#define EXCLUDED "the program matches OTEL_PROFILING_EXCLUDE"
#define TOOL "the program is a shell or a tool"
#define MANAGER "node runs a package manager"
#define IN_TESTS "NODE_ENV is test"

/* What is expected: NULL to go, else how the sentence begins. */
static void expect(const char *refusal, const char *expected)
{
    if (!expected) {
        ck_assert_msg(!refusal, "refused: %s", refusal);
    } else {
        ck_assert_msg(refusal && !strncmp(refusal, expected, strlen(expected)), "\"%s\" instead of \"%s\"",
                      refusal ? refusal : "go", expected);
    }
}

static const struct {
    const char *path, *script, *include, *exclude, *expected;
} programs[] = {
    {"/usr/bin/node", NULL, NULL, NULL, GO},
    {"/opt/x/nodejs", "server.js", NULL, NULL, GO},
    {"node", NULL, NULL, NULL, GO}, /* AT_EXECFN, no /proc */
    {"/usr/bin/node20", NULL, NULL, NULL, NOT_SELECTED},
    {"/usr/bin/python3", NULL, NULL, NULL, NOT_SELECTED},
    {"/usr/bin/nodex", NULL, " , ", NULL, NOT_SELECTED},
    {NULL, NULL, "*", NULL, "the program is unknown"},
    /* package managers */
    {"/usr/bin/node", "/usr/local/bin/npm", NULL, NULL, MANAGER},
    {"/usr/bin/node", "/usr/lib/node_modules/npm/bin/npm-cli.js", NULL, NULL, MANAGER},
    {"/usr/bin/node", "npx", NULL, NULL, MANAGER},
    {"/usr/bin/node", "/x/corepack", NULL, NULL, MANAGER},
    {"/usr/bin/node", "/x/node-gyp.js", NULL, NULL, MANAGER},
    {"/usr/bin/node", ".yarn/releases/yarn-4.1.1.cjs", NULL, NULL, MANAGER},
    {"/usr/bin/node", "--run", NULL, NULL, MANAGER},
    {"/usr/bin/node", "--run=lint/all", NULL, NULL, MANAGER},
    {"/usr/bin/node", "--runner.js", NULL, NULL, GO},
    {"/usr/bin/node", "/srv/npm/server.js", NULL, NULL, GO},
    {"/usr/bin/node", "/x/npm", "*", NULL, MANAGER},
    {"/usr/bin/node", "/x/npm", "node", NULL, MANAGER},
    {"/usr/bin/node", "/x/npm", "npm", NULL, GO},
    /* include */
    {"/usr/bin/python3.11", NULL, "python3*", NULL, GO},
    {"/usr/bin/python3.11", NULL, "ruby, python3.?? ,java", NULL, GO},
    {"/usr/bin/python3.11", NULL, "python3", NULL, NOT_SELECTED},
    {"/opt/app/bin/server", NULL, "/opt/app/*", NULL, GO},
    {"/opt/app/bin/server", NULL, "/opt/other/*", NULL, NOT_SELECTED},
    {"/opt/app/bin/server", NULL, "*/server", NULL, GO},
    {"/opt/app/bin/server", NULL, "bin/server", NULL, NOT_SELECTED},
    {"/opt/app/bin/server", NULL, "*", NULL, GO},
    /* the deny list, and naming a tool */
    {"/bin/sh", NULL, "*", NULL, TOOL},
    {"/usr/bin/bash", NULL, "**", NULL, TOOL},
    {"/usr/bin/bash", NULL, "/usr/bin/*", NULL, TOOL},
    {"/usr/bin/bash", NULL, "*,bash", NULL, GO},
    {"/usr/bin/bash", NULL, "b?sh", NULL, GO},
    {"/usr/bin/grep", NULL, "/usr/bin/grep", NULL, GO},
    {"/usr/bin/apt-get", NULL, "*", NULL, TOOL},
    {"/usr/bin/s6-svscan", NULL, "*", NULL, TOOL},
    {"/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus", NULL, "*", NULL, TOOL},
    {"/usr/bin/valgrind.bin", NULL, "*", NULL, TOOL},
    {"/usr/bin/otelprof", NULL, "*", NULL, TOOL},
    {"/usr/bin/shiny", NULL, "*", NULL, GO},
    {"/usr/bin/ash2", NULL, "*", NULL, GO},
    /* exclude wins */
    {"/usr/bin/node", NULL, NULL, "node", EXCLUDED},
    {"/usr/bin/node", NULL, "node", "n*e", EXCLUDED},
    {"/usr/bin/node", NULL, NULL, "*", EXCLUDED},
    {"/usr/bin/node", NULL, NULL, "/opt/*", GO},
    {"/opt/batch/node", NULL, NULL, "/opt/*", EXCLUDED},
    {"/usr/bin/python3", NULL, "*", "java,python?", EXCLUDED},
};

START_TEST(programs_are_selected_by_name_and_globs)
{
    struct activation_input input = {.include = programs[_i].include, .exclude = programs[_i].exclude};
    program_from_path(&input.program, programs[_i].path);
    input.program.script = programs[_i].script;
    expect(activation_refusal(&input), programs[_i].expected);
}
END_TEST

START_TEST(the_first_step_that_says_no_is_named)
{
    struct activation_input input = {.secure = 1,
                                     .sdk_disabled = "True",
                                     .profiling_enabled = "false",
                                     .exclude = "*",
                                     .sanitizer = 1,
                                     .valgrind = 1,
                                     .no_threads = 1,
                                     .second_copy = 1};
    program_from_path(&input.program, "/usr/bin/node");
    expect(activation_refusal(&input), "it runs with raised privileges");
    input.secure = 0;
    expect(activation_refusal(&input), "OTEL_SDK_DISABLED is true");
    input.sdk_disabled = "1"; /* not true to OpenTelemetry */
    expect(activation_refusal(&input), "OTEL_PROFILING_ENABLED is false");
    input.profiling_enabled = "0";
    expect(activation_refusal(&input), EXCLUDED);
    input.exclude = NULL;
    expect(activation_refusal(&input), "a sanitizer's runtime");
    input.sanitizer = 0;
    expect(activation_refusal(&input), "the process runs under valgrind");
    input.valgrind = 0;
    expect(activation_refusal(&input), "it runs without libpthread");
    input.no_threads = 0;
    expect(activation_refusal(&input), "another copy");
    input.second_copy = 0;
    expect(activation_refusal(&input), GO);
}
END_TEST

#define ARGUMENTS(text) text, sizeof text

static const struct {
    const char *arguments;
    size_t len;
    const char *script;
} command_lines[] = {
    {ARGUMENTS("node\0/usr/bin/npm\0start"), "/usr/bin/npm"},
    {ARGUMENTS("node"), NULL},
    {ARGUMENTS("node\0server.js\0--port\0"
               "80"),
     "server.js"},
    {ARGUMENTS("node\0--max-old-space-size=4096\0app.js"), "app.js"},
    {ARGUMENTS("node\0-r\0./hook.js\0--import\0x.mjs\0--no-warnings\0app.js"), "app.js"},
    {ARGUMENTS("node\0--require=./hook.js\0app.js"), "app.js"},
    {ARGUMENTS("node\0--\0-odd.js"), "-odd.js"},
    {ARGUMENTS("node\0-e\0console.log(1)"), NULL},
    {ARGUMENTS("node\0--run\0build"), "--run"},
    {ARGUMENTS("node\0--no-warnings\0--run=build\0--\0a"), "--run=build"},
    {ARGUMENTS("node\0app.js\0--run"), "app.js"},
    {ARGUMENTS("node\0-"), NULL},
    {ARGUMENTS("node\0-r"), NULL},
    {ARGUMENTS("node\0"), NULL},
    {"node\0/usr/bin/np", 16, NULL}, /* cut off */
    {"", 0, NULL},
    {"\0\0\0", 3, NULL},
};

START_TEST(the_script_is_the_first_argument_that_is_no_option)
{
    const char *script = program_script(command_lines[_i].arguments, command_lines[_i].len);
    if (command_lines[_i].script) {
        ck_assert_ptr_nonnull(script);
        ck_assert_str_eq(script, command_lines[_i].script);
    } else {
        ck_assert_msg(!script, "%s", script);
    }
}
END_TEST

START_TEST(globs_match_as_fnmatch_does)
{
    static const char letters[] = "ab/*?*";
    srand(1);
    for (int i = 0; i < 200000; i++) {
        char glob[9] = "", text[9] = "";
        for (int n = rand() % 8, k = 0; k < n; k++) glob[k] = letters[rand() % 6];
        for (int n = rand() % 8, k = 0; k < n; k++) text[k] = letters[rand() % 3];
        ck_assert_msg(glob_match(glob, strlen(glob), text) == !fnmatch(glob, text, FNM_NOESCAPE), "%s %s",
                      glob, text);
    }
}
END_TEST

START_TEST(a_glob_of_many_stars_is_not_slow)
{
    char glob[2001], text[4001];
    for (int i = 0; i < 2000; i += 2) memcpy(glob + i, "*a", 2);
    glob[1999] = 'b';
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    ck_assert_int_eq(glob_match(glob, 2000, text), 0);
}
END_TEST

static struct settings_file settings;

static const char *decide(struct activation_input *input, char *const *environment)
{
    memset(input, 0, sizeof *input);
    input->execfn = "./execfn";
    return activation_decide(input, environment, &settings);
}

static const struct {
    const char *path, *node_env, *in_tests, *expected;
} environments[] = {
    {"/usr/bin/node", "test", NULL, IN_TESTS}, {"/usr/bin/node", " Test ", "false", IN_TESTS},
    {"/usr/bin/node", "test", "1", IN_TESTS}, /* not true to OpenTelemetry */
    {"/usr/bin/node", "test", "TRUE", GO},     {"/usr/bin/node", "testing", NULL, GO},
    {"/usr/bin/node", "production", NULL, GO}, {"/usr/bin/python3", "test", NULL, GO},
};

START_TEST(node_in_tests_must_be_asked_for)
{
    struct activation_input input = {
        .include = "python3", .node_env = environments[_i].node_env, .in_tests = environments[_i].in_tests};
    program_from_path(&input.program, environments[_i].path);
    expect(activation_refusal(&input), environments[_i].expected);
}
END_TEST

/* What this program, of the name activation_test, decides; whether the file was read. */
static const struct {
    const char *content, *variable, *expected;
    int read;
} files[] = {
    {"OTEL_PROFILING_INCLUDE=activation_*\n", "A=1", GO, 1},
    {"OTEL_PROFILING_INCLUDE=*\n", "A=1", GO, 1},
    {"OTEL_PROFILING_INCLUDE=x\n", "A=1", NOT_SELECTED, 1},
    {"", "OTEL_PROFILING_INCLUDE=activation_test", GO, 1},
    {"OTEL_PROFILING_INCLUDE=*\n", "OTEL_PROFILING_INCLUDE=x", NOT_SELECTED, 0},
    {"OTEL_PROFILING_EXCLUDE=*\n", "OTEL_PROFILING_INCLUDE=*", EXCLUDED, 1},
    {"OTEL_PROFILING_EXCLUDE=x\n", "OTEL_PROFILING_EXCLUDE=*", EXCLUDED, 0},
    {"OTEL_PROFILING_ENABLED=false\n", "OTEL_PROFILING_INCLUDE=*", "OTEL_PROFILING_ENABLED is false", 1},
    {"OTEL_SDK_DISABLED=true\n", "OTEL_PROFILING_INCLUDE=*", "OTEL_SDK_DISABLED is true", 1},
    {"OTEL_SDK_DISABLED=false\n", "OTEL_SDK_DISABLED=true", "OTEL_SDK_DISABLED is true", 0},
};

START_TEST(the_file_says_what_the_environment_leaves_open)
{
    char path[] = "/tmp/activation_test.XXXXXX", entry[128];
    int fd = mkstemp(path);
    size_t len = strlen(files[_i].content);
    ck_assert_int_eq(write(fd, files[_i].content, len), (ssize_t)len);
    snprintf(entry, sizeof entry, "OTEL_PROFILING_CONFIG_FILE=%s", path);
    char *list[] = {entry, (char *)files[_i].variable, NULL};
    struct activation_input input;
    const char *refusal = decide(&input, list);
    unlink(path);
    expect(refusal, files[_i].expected);
    ck_assert_int_eq(settings.path != NULL, files[_i].read);
}
END_TEST

START_TEST(this_program_is_found_by_the_link_in_proc)
{
    struct activation_input input;
    char *none[] = {NULL}, *named[] = {"OTEL_PROFILING_INCLUDE=activation_te?t", NULL};
    char path[4096] = "";
    ck_assert_int_gt(readlink("/proc/self/exe", path, sizeof path - 1), 0);
    expect(decide(&input, none), NOT_SELECTED);
    ck_assert_str_eq(input.program.path, path);
    ck_assert_str_eq(input.program.name, "activation_test");
    expect(decide(&input, named), GO);
}
END_TEST

START_TEST(variables_are_read_as_getenv_would)
{
    struct activation_input input;
    char *list[] = {"",
                    "OTEL_PROFILING_INCLUDE",
                    "OTEL_PROFILING_INCLUDEX=x",
                    "\xff=\xff",
                    "OTEL_SDK_DISABLED=",
                    "OTEL_SDK_DISABLED=true",
                    "OTEL_PROFILING_EXCLUDE=\xff*",
                    "OTEL_PROFILING_INCLUDE=activation*",
                    "OTEL_PROFILING_INCLUDE=late",
                    NULL};
    expect(decide(&input, list), GO);
    ck_assert_ptr_null(input.sdk_disabled);
    ck_assert_str_eq(input.include, "activation*");
    ck_assert_str_eq(input.exclude, "\xff*");
}
END_TEST

START_TEST(a_process_with_raised_privileges_reads_nothing_and_says_nothing)
{
    char path[] = "/tmp/activation_test.XXXXXX", entry[64];
    int fd = mkstemp(path);
    snprintf(entry, sizeof entry, "OTEL_PROFILING_LOG_FILE=%s", path);
    char *list[] = {"OTEL_PROFILING_LOG_LEVEL=debug", entry, NULL};
    struct activation_input input = {.secure = 1};
    const char *refusal = activation_decide(&input, list, &settings);
    expect(refusal, "it runs with raised privileges");
    ck_assert_ptr_null(input.log_file);
    ck_assert_ptr_null(input.program.path);
    activation_report(&input, refusal);
    struct stat st;
    ck_assert_int_eq(fstat(fd, &st), 0);
    ck_assert_int_eq(st.st_size, 0);
    unlink(path);
}
END_TEST

START_TEST(the_refusal_is_said_at_debug_only)
{
    char path[] = "/tmp/activation_test.XXXXXX", entry[64], text[512] = "";
    int fd = mkstemp(path);
    snprintf(entry, sizeof entry, "OTEL_PROFILING_LOG_FILE=%s", path);
    char *quiet[] = {"OTEL_PROFILING_LOG_LEVEL=info", entry, NULL},
         *loud[] = {"OTEL_PROFILING_LOG_LEVEL=DEBUG", entry, NULL};
    struct activation_input input;
    activation_report(&input, decide(&input, quiet));
    ck_assert_int_eq(read(fd, text, sizeof text - 1), 0);
    activation_report(&input, decide(&input, loud));
    ck_assert_int_gt(read(fd, text, sizeof text - 1), 0);
    ck_assert_ptr_nonnull(strstr(text,
                                 "debug: activation_test is not profiled: the program is neither node nor in "
                                 "OTEL_PROFILING_INCLUDE (* selects every program)\n"));
    unlink(path);
}
END_TEST

START_TEST(deciding_maps_no_memory)
{
    struct activation_input input;
    char *list[] = {"OTEL_PROFILING_INCLUDE=*", NULL};
    expect(decide(&input, list), GO);
    ck_assert_uint_eq(heap_mapped_bytes(), 0);
}
END_TEST

/* Runs a copy of this program under the name node, and reports what it decided by its exit code. */
static int decided_as_node(const char *directory, const char *argument)
{
    char path[256], self[4096] = "", command[8192];
    ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof self - 1), 0);
    snprintf(path, sizeof path, "%s/node", directory);
    snprintf(command, sizeof command, "cp %s %s", self, path);
    if (access(path, X_OK)) ck_assert_int_eq(system(command), 0);
    pid_t child = fork();
    if (!child) {
        execl(path, "node", argument, NULL);
        _exit(127);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

START_TEST(a_node_that_runs_npm_is_told_by_its_command_line)
{
    char directory[] = "/tmp/activation_test.XXXXXX", path[64];
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(decided_as_node(directory, "/x/server.js"), 40);
    ck_assert_int_eq(decided_as_node(directory, "/x/npm"), 41);
    snprintf(path, sizeof path, "%s/node", directory);
    unlink(path);
    rmdir(directory);
}
END_TEST

static int main_as_node(void)
{
    struct activation_input input;
    char *none[] = {NULL};
    const char *refusal = decide(&input, none);
    if (!refusal) return input.program.script && !strcmp(input.program.script, "/x/server.js") ? 40 : 42;
    return strncmp(refusal, MANAGER, strlen(MANAGER)) ? 43 : 41;
}

int main(int argc, char **argv)
{
    if (!strcmp(argv[0], "node")) return main_as_node();
    Suite *suite = suite_create("activation");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, programs_are_selected_by_name_and_globs, 0, sizeof programs / sizeof *programs);
    tcase_add_loop_test(all, node_in_tests_must_be_asked_for, 0, sizeof environments / sizeof *environments);
    tcase_add_loop_test(all, the_file_says_what_the_environment_leaves_open, 0, sizeof files / sizeof *files);
    tcase_add_test(all, the_first_step_that_says_no_is_named);
    tcase_add_loop_test(all, the_script_is_the_first_argument_that_is_no_option, 0,
                        sizeof command_lines / sizeof *command_lines);
    tcase_add_test(all, globs_match_as_fnmatch_does);
    tcase_add_test(all, a_glob_of_many_stars_is_not_slow);
    tcase_add_test(all, this_program_is_found_by_the_link_in_proc);
    tcase_add_test(all, variables_are_read_as_getenv_would);
    tcase_add_test(all, a_process_with_raised_privileges_reads_nothing_and_says_nothing);
    tcase_add_test(all, the_refusal_is_said_at_debug_only);
    tcase_add_test(all, deciding_maps_no_memory);
    tcase_add_test(all, a_node_that_runs_npm_is_told_by_its_command_line);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
