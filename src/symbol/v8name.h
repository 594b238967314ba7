/*
 * The names that runtimes give their code, taken apart. V8 uses the same text in JIT code events and in
 * /tmp/perf-PID.map; the forms are those seen from Node 16 to 26 (facts/node.md, section a). Pure functions
 * of the text: any thread, async-signal-safe.
 */
#ifndef OTELPROF_SYMBOL_V8NAME_H
#define OTELPROF_SYMBOL_V8NAME_H

#include <stddef.h>

enum v8_kind {
    V8_OTHER,            /* not one of the forms below: |function| is the whole text */
    V8_JS,               /* JS: (Node 20+), Function:, LazyCompile: */
    V8_EVAL,             /* Eval: the top level of eval'ed code, and of a CommonJS module */
    V8_SCRIPT,           /* Script: the top level of a script or module */
    V8_BUILTIN,          /* Builtin:ArrayMap */
    V8_BYTECODE_HANDLER, /* BytecodeHandler:LdaZero */
    V8_REGEXP, /* RegExp:ab+c, RegExp.> src: 'ab+c' flags: '' (Node 24+); |function| is the pattern */
    V8_STUB,   /* Stub:js-to-wasm:ii:i */
    V8_WASM    /* JS:add-0-liftoff, Function:add-0-turbofan; |function| is "add" */
};

/* The texts point into the parsed name, or are "(anonymous)" with static life. */
struct v8_name {
    enum v8_kind kind;
    char tier; /* V8's mark, see v8tier.h: '~' interpreted, '^' baseline, '+' maglev, '*' turbofan; 0 none */
    const char *function;
    size_t function_len; /* never 0 */
    const char *url;     /* of V8_JS, V8_EVAL and V8_SCRIPT */
    size_t url_len;      /* 0: none */
    int line, column;    /* of the function's beginning, from 1; 0 unknown (Node <= 18 has no column) */
};

/*
 * Takes the |len| bytes at |text| apart. Nothing fails: an unknown form is V8_OTHER.
 *
 * Functions and URLs may both hold blanks and colons, and V8 writes one blank between them. The split is: at
 * the first character if that is a blank (no function name); else at the last blank before something that
 * begins like a URL or an absolute path ("GET /users /x/app.js" is the function "GET /users"; a directory
 * whose name ends with a blank is split wrong); else, for relative script names, at the first blank, behind
 * "get " or "set ". ":LINE" or ":LINE:COLUMN" is cut off the end first.
 */
void v8name_parse(const char *text, size_t len, struct v8_name *name);

/* True if |text| has one of V8's forms. */
int v8name_is(const char *text, size_t len);

struct python_name {
    const char *function;
    size_t function_len;
    const char *file;
    size_t file_len; /* 0: none */
};

/* CPython 3.12+ (-X perf): "py::QUALIFIED.NAME:FILE". Returns 1, or 0 if |text| is of another form. */
int perfname_python(const char *text, size_t len, struct python_name *name);

#endif
