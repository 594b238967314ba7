/*
 * V8 and Node as seen from C: the exported C++ functions we call, by mangled name, and the layouts of what
 * they take. Sources: deps/v8/include/v8-{isolate,callbacks,unwinder,profiler}.h and src/node.h of the
 * releases named; the layouts were compiled against the headers of Node 16 to 26 (JitCodeEvent and
 * RegisterState are the same in all).
 */
#ifndef OTELPROF_NODE_V8_ABI_H
#define OTELPROF_NODE_V8_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef void v8_isolate; /* v8::Isolate, opaque */

/* v8::JitCodeEvent, 80 bytes. */
struct v8_jit_code_event {
    int32_t type;      /* enum v8_event */
    int32_t code_type; /* enum v8_code */
    uintptr_t code_start;
    size_t code_len;
    void *script; /* Local<UnboundScript>: may be empty (0) */
    void *user_data;
    void *wasm_source_info;
    union {
        struct {
            const char *text; /* not terminated */
            size_t len;
        } name; /* V8_CODE_ADDED */
        struct {
            size_t offset; /* from code_start */
            size_t position;
            int32_t position_type; /* 0: any position, 1: a statement's */
        } line;                    /* V8_CODE_ADD_LINE_POS_INFO */
        uintptr_t new_code_start;  /* V8_CODE_MOVED */
    };
    v8_isolate *isolate;
};

enum v8_event {
    V8_CODE_ADDED,
    V8_CODE_MOVED,
    V8_CODE_REMOVED,
    V8_CODE_ADD_LINE_POS_INFO,
    V8_CODE_START_LINE_INFO,
    V8_CODE_END_LINE_INFO
};

enum v8_code { V8_BYTE_CODE, V8_JIT_CODE, V8_WASM_CODE };

enum { V8_ENUMERATE_EXISTING = 1 }; /* v8::JitCodeEventOptions::kJitCodeEventEnumExisting */

/* v8::RegisterState, 40 bytes. */
struct v8_register_state {
    uintptr_t pc, sp, fp, lr;
    void *callee_saved;
};

/* v8::SampleInfo of V8 10 and later, 40 bytes (32 before: the frame count is first in both, nothing else is
 * read). */
struct v8_sample_info {
    size_t frames_count;
    void *rest[7];
};

struct v8_functions {
    v8_isolate *(*try_get_current)(void);
    void (*request_interrupt)(v8_isolate *, void (*)(v8_isolate *, void *), void *);
    void (*get_stack_sample)(v8_isolate *, const struct v8_register_state *, void **frames, size_t limit,
                             struct v8_sample_info *);
    void (*set_jit_code_event_handler)(v8_isolate *, int options, void (*)(struct v8_jit_code_event *));
    void (*get_embedded_code_range)(v8_isolate *, const void **code, size_t *length);
    void (*get_code_range)(v8_isolate *, void **start, size_t *length);
    void *(*get_current_context)(v8_isolate *);
    int (*unbound_script_line)(void *script, int position);   /* from 0; -1 unknown */
    int (*unbound_script_column)(void *script, int position); /* likewise; NULL before Node 19 */
    int (*unbound_script_id)(void *script);                   /* the Script's, for its isolate's life */
    int (*function_position)(const void *script);             /* of its function's beginning; may be NULL */
    void (*use_detailed_positions)(v8_isolate *);             /* may be NULL */
    const char *(*get_version)(void);
    void *(*current_environment)(void *context);
    void (*add_cleanup_hook)(v8_isolate *, void (*)(void *), void *);
};

/*
 * Fills |functions| through |lookup| (dlsym on the global scope). 0, or -ENOENT with the first missing name
 * in
 * |*missing| when the process holds no V8, or one that does not export what is needed.
 */
int v8_abi_find(struct v8_functions *functions, void *(*lookup)(const char *), const char **missing);

#endif
