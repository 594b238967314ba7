/*
 * Where V8 keeps what inlining is decoded from: fields of Code, of its deoptimization data, and of the way
 * from a SharedFunctionInfo to its bytecode.
 *
 * A row a V8 major.minor, for 64 bit without pointer compression and without the sandbox, as Node is built.
 * What V8 exports for debuggers (v8dbg_*, tools/gen-postmortem-metadata.py) is taken from there and overrides
 * the row, so that a patch release with shifted fields is followed; the rest was read in the objects of the
 * release named in v8_layout.c, from deps/v8/src/objects/{code,shared-function-info,deoptimization-data}.
 * Numbers are bytes from the untagged beginning of the object unless it is said otherwise.
 */
#ifndef OTELPROF_NODE_V8_LAYOUT_H
#define OTELPROF_NODE_V8_LAYOUT_H

#include <stdint.h>

/* The same in every V8 from 9 to 14. */
enum {
    V8_TAG_MASK = 3, /* of a tagged word: Smi ..0, strong pointer 01, weak pointer 11 */
    V8_TAG_STRONG = 1,
    V8_TAG_WEAK = 3,
    V8_SMI_SHIFT = 32,
    V8_MAP_INSTANCE_TYPE = 12, /* uint16_t */
    V8_ARRAY_LENGTH = 8,       /* Smi, of every array */
    V8_ARRAY_DATA = 16,
    V8_FLAGS_BEFORE_SIZE = 4, /* Code.flags, uint32_t, from V8 11 on, before instruction_size */
    V8_KIND_MASK = 15,        /* of them: CodeKind */
    V8_WRAPPED = 8            /* InterpreterData.bytecode_array, SharedFunctionInfoWrapper.shared_info */
};

/* How the pc of a source position table's entry is written, as a difference to the entry before it. */
enum v8_position_encoding {
    POSITIONS_WITH_SIGN, /* zig-zag; negative for what is not a statement: -difference - 1 (V8 9 to 13) */
    POSITIONS_WITH_FLAGS /* unsigned, above two bits: breakable, statement (V8 14) */
};

struct v8_layout {
    int32_t header; /* from the object that holds the machine code to its first instruction */
    int32_t
        stream_code; /* InstructionStream.code; 0: the machine code is in the Code object itself (V8 9, 10) */
    int32_t instruction_start;   /* Code.instruction_start, uintptr_t; 0: none (V8 9, 10) */
    int32_t instruction_size;    /* Code.instruction_size, int32_t */
    int32_t deoptimization_data; /* Code; of baseline code the same field holds its bytecode */
    int32_t position_table;      /* Code.source_position_table; baseline code's offsets of its bytecodes */
    int32_t literals;            /* elements of the deoptimization data, as are the next two */
    int32_t shared_function;     /* the optimized function's, in V8 13+ in a SharedFunctionInfoWrapper */
    int32_t inlining_positions;
    int32_t function_data;      /* SharedFunctionInfo.function_data, trusted_function_data */
    int32_t bytecode_data;      /* from a BytecodeArray to its first bytecode */
    int32_t bytecode_positions; /* BytecodeArray.source_position_table */
    int32_t baseline_bytecode;  /* BaselineData.data (V8 9) */
    int32_t position_encoding;  /* enum v8_position_encoding */
    int32_t turbofan_kind;      /* CodeKind in Code.flags; of other optimized code: Maglev's. 0: no Maglev */
    struct {                    /* instance types; 0: this V8 has none */
        int32_t code, bytecode_array, baseline_data, interpreter_data, shared_function, shared_wrapper;
        int32_t byte_array, trusted_byte_array;
        int32_t fixed_array, trusted_fixed_array, protected_fixed_array;
        int32_t weak_fixed_array, trusted_weak_fixed_array;
    } types;
};

/*
 * Fills |layout| for the V8 called |version| ("11.3.244.8-node.38"), with v8dbg_* values through |lookup|
 * (dlsym on the global scope). 0, or -ENOTSUP: no row for this major.minor, or V8 does not tell the types of
 * its objects, or a value that cannot be one.
 */
int v8_layout_find(const char *version, void *(*lookup)(const char *), struct v8_layout *layout);

#endif
