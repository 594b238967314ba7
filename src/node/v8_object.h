/*
 * Reading V8's heap objects, only on the isolate's thread inside a code event: there no object moves or dies
 * while it is read. Addresses are untagged unless they are called tagged.
 *
 * Nothing found on the way from machine code to an object is sure to be one before its type is, so words are
 * read through selfmem_read: one system call each. Once the layout is proven in this process (struct v8_heap)
 * they are read by plain loads; the types are checked all the same.
 */
#ifndef OTELPROF_NODE_V8_OBJECT_H
#define OTELPROF_NODE_V8_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "node/v8_layout.h"

struct v8_heap {
    const struct v8_layout *layout;
    int proven; /* set when enough objects were found where the layout says: loads may be plain */
};

/* Copies |size| bytes at |address|: 0, or -EFAULT (while the layout is not proven). */
int v8_heap_read(const struct v8_heap *heap, uintptr_t address, void *buffer, size_t size);

/* The object that the |tagged| word points to, strongly or weakly, or 0: a Smi, or a weak pointer that the
 * collector has cleared. */
uintptr_t v8_object_untag(uintptr_t tagged);

/* The tagged word at |offset| of |object|; 0 (a Smi) when it cannot be read. */
uintptr_t v8_object_word(const struct v8_heap *heap, uintptr_t object, int32_t offset);

/* The instance type of the objects with the map at the tagged word |map|, or 0. */
int32_t v8_map_type(const struct v8_heap *heap, uintptr_t map);

/* The instance type of |object|, or 0 (V8's types of this module are all above 0). */
int32_t v8_object_type(const struct v8_heap *heap, uintptr_t object);

struct v8_array {
    uintptr_t data;  /* the first element */
    uint32_t length; /* elements; bytes of a byte array */
};

/* The array at |tagged| with at most |limit| elements: 0, or -EINVAL when it is none. */
int v8_array_words(const struct v8_heap *heap, uintptr_t tagged, uint32_t limit, struct v8_array *array);
int v8_array_bytes(const struct v8_heap *heap, uintptr_t tagged, uint32_t limit, struct v8_array *array);

/*
 * The address of the first bytecode of the SharedFunctionInfo at |tagged|, which is what V8 gives as
 * code_start in the code event of that bytecode. 0: not a SharedFunctionInfo, or one that has no bytecode
 * now.
 */
uintptr_t v8_bytecode_of_shared(const struct v8_heap *heap, uintptr_t tagged);

/*
 * The Code object of the machine code at |start|, or 0 when it says something else than |len| about it. With
 * a proven |heap| only if it is sure that |start| is machine code in V8's heap.
 */
uintptr_t v8_code_of(const struct v8_heap *heap, uintptr_t start, size_t len);

/*
 * The beginning of the machine code around |pc|, not before |floor|, with its length in |*len|; 0: there is
 * none. Any thread, also while V8 runs: what it gives was so at one moment. By reads that cannot fault.
 */
uintptr_t v8_code_around(const struct v8_layout *layout, uintptr_t pc, uintptr_t floor, size_t *len);

#endif
