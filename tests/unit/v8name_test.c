/* Names of V8's code: each form by hand, and all that the Node binaries at hand write. */
#include "symbol/v8name.h"
#include "node_path.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *text;
    enum v8_kind kind;
    char tier;
    const char *function, *url;
    int line, column;
} forms[] = {
    {"LazyCompile:~fib /x/app.js:2", V8_JS, '~', "fib", "/x/app.js", 2, 0},
    {"Function:^fib /x/app.js:2", V8_JS, '^', "fib", "/x/app.js", 2, 0},
    {"JS:*fib /x/app.js:2:13", V8_JS, '*', "fib", "/x/app.js", 2, 13},
    {"JS:*'fib /x/app.js:2:13", V8_JS, '*', "fib", "/x/app.js", 2, 13},
    {"JS:o*fib /x/app.js:2:13", V8_JS, '*', "fib", "/x/app.js", 2, 13},
    {"JS:o+'fib /x/app.js:2:13", V8_JS, '+', "fib", "/x/app.js", 2, 13},
    {"JS:oh /x/app.js:2:13", V8_JS, 0, "oh", "/x/app.js", 2, 13},
    {"JS:+'am file:///x/n.mjs:2:103", V8_JS, '+', "am", "file:///x/n.mjs", 2, 103},
    {"JS:~ /x/app.js:8:2", V8_JS, '~', "(anonymous)", "/x/app.js", 8, 2},
    {"JS:+' /x/app.js:10:2", V8_JS, '+', "(anonymous)", "/x/app.js", 10, 2},
    {"Eval:~ node:internal/main/run_main_module:1:1", V8_EVAL, '~', "(anonymous)",
     "node:internal/main/run_main_module", 1, 1},
    {"Eval:~ :1", V8_EVAL, '~', "(anonymous)", "", 1, 0},
    {"JS:~evald :1:16", V8_JS, '~', "evald", "", 1, 16},
    {"Script:~ file:///x/app.mjs:1:1", V8_SCRIPT, '~', "(anonymous)", "file:///x/app.mjs", 1, 1},
    {"Script:~ my script.js:1:1", V8_SCRIPT, '~', "(anonymous)", "my script.js", 1, 1},
    {"JS:~rel my script.js:1:14", V8_JS, '~', "rel", "my script.js", 1, 14},
    {"JS:~get rel my script.js:1:14", V8_JS, '~', "get rel", "my script.js", 1, 14},
    {"JS:~get x node:internal/util:10:5", V8_JS, '~', "get x", "node:internal/util", 10, 5},
    {"JS:~get foo /x/app.js:2:13", V8_JS, '~', "get foo", "/x/app.js", 2, 13},
    {"JS:*[Symbol.iterator] node:internal/url:2:3", V8_JS, '*', "[Symbol.iterator]", "node:internal/url", 2,
     3},
    {"JS:~async* /x/a.js:2:3", V8_JS, '~', "async*", "/x/a.js", 2, 3},
    {"JS:^GET /users /x/app.js:6:24", V8_JS, '^', "GET /users", "/x/app.js", 6, 24},
    {"JS:~f /home/My Documents/a b.js:2:3", V8_JS, '~', "f", "/home/My Documents/a b.js", 2, 3},
    {"JS:~get f /home/My Documents/a b.js:2:3", V8_JS, '~', "get f", "/home/My Documents/a b.js", 2, 3},
    {"JS:~ /home/My Documents/a b.js:2:3", V8_JS, '~', "(anonymous)", "/home/My Documents/a b.js", 2, 3},
    {"JS:~f file:///a b/c.js:2:3", V8_JS, '~', "f", "file:///a b/c.js", 2, 3},
    {"JS:~f webpack://shop/./src/a.ts:2:3", V8_JS, '~', "f", "webpack://shop/./src/a.ts", 2, 3},
    {"JS:~f http://localhost:80/a.js:2:3", V8_JS, '~', "f", "http://localhost:80/a.js", 2, 3},
    {"JS:~f wasm://wasm/12ab:1:2", V8_JS, '~', "f", "wasm://wasm/12ab", 1, 2},
    {"JS:~vmf evalmachine.<anonymous>:1:14", V8_JS, '~', "vmf", "evalmachine.<anonymous>", 1, 14},
    {"JS:~evf [eval]:1:13", V8_JS, '~', "evf", "[eval]", 1, 13},
    {"JS:~get x [worker eval]:1:13", V8_JS, '~', "get x", "[worker eval]", 1, 13},
    {"JS:~\346\227\245\346\234\254 /x/n.mjs:1:70", V8_JS, '~', "\346\227\245\346\234\254", "/x/n.mjs", 1, 70},
    {"JS:~", V8_JS, '~', "(anonymous)", "", 0, 0},
    {"JS:", V8_JS, 0, "(anonymous)", "", 0, 0},
    {"JS:~noscript", V8_JS, '~', "noscript", "", 0, 0},
    {"JS:~odd:12", V8_JS, '~', "odd:12", "", 0, 0},
    {"JS:add-0-liftoff", V8_WASM, 0, "add", "", 0, 0},
    {"Function:add-0-turbofan", V8_WASM, 0, "add", "", 0, 0},
    {"JS:wasm-function[3]-3-liftoff", V8_WASM, 0, "wasm-function[3]", "", 0, 0},
    {"Builtin:ArrayMap", V8_BUILTIN, 0, "ArrayMap", "", 0, 0},
    {"BytecodeHandler:LdaZero", V8_BYTECODE_HANDLER, 0, "LdaZero", "", 0, 0},
    {"RegExp:ab+c(\\d+)", V8_REGEXP, 0, "ab+c(\\d+)", "", 0, 0},
    {"RegExp.> src: 'ab+c(\\d+)' flags: 'g'", V8_REGEXP, 0, "ab+c(\\d+)", "", 0, 0},
    {"RegExp.< src: '' flags: ''", V8_REGEXP, 0, "(anonymous)", "", 0, 0},
    {"Stub:js-to-wasm:ii:i", V8_STUB, 0, "js-to-wasm:ii:i", "", 0, 0},
    {"something else:1:2", V8_OTHER, 0, "something else:1:2", "", 0, 0},
    {"", V8_OTHER, 0, "(anonymous)", "", 0, 0},
};

static char *copy(const char *text, size_t len)
{
    return text ? strndup(text, len) : strdup("");
}

START_TEST(every_form_is_taken_apart)
{
    struct v8_name name;
    /* A copy of exactly that length, so that the sanitizer sees a read behind it. */
    size_t len = strlen(forms[_i].text);
    char *text = malloc(len ? len : 1);
    memcpy(text, forms[_i].text, len);
    v8name_parse(text, len, &name);
    char *function = copy(name.function, name.function_len), *url = copy(name.url, name.url_len);
    ck_assert_int_eq(name.kind, forms[_i].kind);
    ck_assert_int_eq(name.tier, forms[_i].tier);
    ck_assert_str_eq(function, forms[_i].function);
    ck_assert_str_eq(url, forms[_i].url);
    ck_assert_int_eq(name.line, forms[_i].line);
    ck_assert_int_eq(name.column, forms[_i].column);
    free(function);
    free(url);
    free(text);
}
END_TEST

START_TEST(python_names_are_function_and_file)
{
    struct python_name name;
    const char *text = "py::f.<locals>.<lambda>:/tmp/a:b.py";
    ck_assert_int_eq(perfname_python(text, strlen(text), &name), 1);
    ck_assert_int_eq(name.function_len, 19);
    ck_assert_int_eq(memcmp(name.function, "f.<locals>.<lambda>", 19), 0);
    ck_assert_int_eq(name.file_len, 11);
    ck_assert_int_eq(memcmp(name.file, "/tmp/a:b.py", 11), 0);
    ck_assert_int_eq(perfname_python("py::", 4, &name), 0);
    ck_assert_int_eq(perfname_python("py::x", 5, &name), 0);
    ck_assert_int_eq(perfname_python("JS:~x", 5, &name), 0);
}
END_TEST

static const char *const nodes[] = {"18.20.8", "20.20.2", "22.23.5", "24.22.3"};

/* The program; its file's name has a blank, and every function's name and line is known. */
static const char program[] = "const o={spin(n){let s=0;for(let i=0;i<n;i++)s+=i;return s},\n"
                              "get acc(){let s=0;for(let i=0;i<1e5;i++)s+=i;return s},\n"
                              "'GET /users'(n){let s=0;for(let i=0;i<n;i++)s+=i;return s}};\n"
                              "for(let i=0;i<50;i++){o.spin(1e5);o.acc;o['GET /users'](1e5)}\n";

START_TEST(what_node_writes_is_understood)
{
    char node[512], command[2048], line[4096], directory[] = "/tmp/v8name testXXXXXX";
    node_path(nodes[_i], node, sizeof node);
    ck_assert_ptr_nonnull(mkdtemp(directory));
    char script[64], found[512] = "";
    snprintf(script, sizeof script, "%s/my app.js", directory);
    FILE *file = fopen(script, "w");
    fputs(program, file);
    fclose(file);
    snprintf(command, sizeof command,
             "'%s' --perf-basic-prof --interpreted-frames-native-stack '%s' & p=$!; wait $p; cat "
             "/tmp/perf-$p.map; rm -f /tmp/perf-$p.map '%s'; rmdir '%s'",
             node, script, script, directory);
    FILE *map = popen(command, "r");
    int lines = 0;
    while (fgets(line, sizeof line, map)) {
        line[strcspn(line, "\n")] = 0;
        char *text = strchr(strchr(line, ' ') + 1, ' ') + 1;
        struct v8_name name;
        v8name_parse(text, strlen(text), &name);
        ck_assert_msg(name.kind != V8_OTHER, "%s", text);
        lines++;
        int ours = name.url_len == strlen(script) && !memcmp(name.url, script, name.url_len);
        ck_assert_msg(ours == !!strstr(text, "my app.js"), "%s", text);
        if (!ours || name.kind != V8_JS || name.tier != '~') continue;
        snprintf(found + strlen(found), sizeof found - strlen(found), "%.*s:%d ", (int)name.function_len,
                 name.function, name.line);
    }
    pclose(map);
    ck_assert_int_gt(lines, 2000);
    ck_assert_msg(strstr(found, "spin:1 ") && strstr(found, "get acc:2 ") && strstr(found, "GET /users:3 "),
                  "%s", found);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("v8name");
    TCase *tcase = tcase_create("v8name");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, every_form_is_taken_apart, 0, sizeof forms / sizeof *forms);
    tcase_add_test(tcase, python_names_are_function_and_file);
    tcase_add_loop_test(tcase, what_node_writes_is_understood, 0, sizeof nodes / sizeof *nodes);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
