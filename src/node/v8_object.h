/*
 * Reading V8's heap objects: every word through selfmem_read, because nothing found on the way from machine
 * code to an object is proven before its type is. Only on the isolate's thread inside a code event: there no
 * object moves or dies while it is read. Addresses are untagged unless they are called tagged.
 */
#ifndef OTELPROF_NODE_V8_OBJECT_H
#define OTELPROF_NODE_V8_OBJECT_H

#include <stdint.h>

#include "node/v8_layout.h"

/* The object that the |tagged| word points to, strongly or weakly, or 0: a Smi, or a weak pointer that the
 * collector has cleared. */
uintptr_t v8_object_untag(uintptr_t tagged);

/* The tagged word at |offset| of |object|; 0 (a Smi) when it cannot be read. */
uintptr_t v8_object_word(uintptr_t object, int32_t offset);

/* The instance type of |object|, or 0 (V8's types of this module are all above 0). */
int32_t v8_object_type(uintptr_t object);

struct v8_array {
    uintptr_t data;  /* the first element */
    uint32_t length; /* elements; bytes of a byte array */
};

/* The array at |tagged| with at most |limit| elements: 0, or -EINVAL when it is none. */
int v8_array_words(const struct v8_layout *layout, uintptr_t tagged, uint32_t limit, struct v8_array *array);
int v8_array_bytes(const struct v8_layout *layout, uintptr_t tagged, uint32_t limit, struct v8_array *array);

/*
 * The address of the first bytecode of the SharedFunctionInfo at |tagged|, which is what V8 gives as
 * code_start in the code event of that bytecode. 0: not a SharedFunctionInfo, or one that has no bytecode
 * now.
 */
uintptr_t v8_bytecode_of_shared(const struct v8_layout *layout, uintptr_t tagged);

#endif
