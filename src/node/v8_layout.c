#include "node/v8_layout.h"

#include <errno.h>
#include <stddef.h>

enum { FIELD_LIMIT = 512, TYPE_LIMIT = 0xffff };

struct row {
    unsigned major, minor;
    struct v8_layout layout; /* its types come from V8 only */
};

enum { IN_CODE = 0, NO_FIELD = 0, SIGN = POSITIONS_WITH_SIGN, FLAGS = POSITIONS_WITH_FLAGS };

#define ROW(v8_major, v8_minor, header_bytes, code, start, size, deoptimization, positions, literal, shared, \
            inlining, bytecode, places, pcs, kind)                                                           \
    {                                                                                                        \
        v8_major, v8_minor,                                                                                  \
        {                                                                                                    \
            .header = header_bytes, .stream_code = code, .instruction_start = start,                         \
            .instruction_size = size, .deoptimization_data = deoptimization, .position_table = positions,    \
            .literals = literal, .shared_function = shared, .inlining_positions = inlining,                  \
            .function_data = 8, .bytecode_data = bytecode, .bytecode_positions = places,                     \
            .baseline_bytecode = 16, .position_encoding = pcs, .turbofan_kind = kind                         \
        }                                                                                                    \
    }

/*
 * Each row was tried on the release named behind it, by tests/node/inlining_test.py or by the same program by
 * hand. A V8 between two of them is not guessed at: the self-checks would find most of what can be wrong, not
 * all.
 */
/* clang-format off */
static const struct row rows[] = {
    /*       header  code     start     size deopt table lits own inlined bytecode its pcs  kind */
    ROW(9, 4,     96,  IN_CODE, NO_FIELD, 40,  16,  24,    2,   6,   7,     54,     32,  SIGN, NO_FIELD), /* 16.20.2 */
    ROW(9, 6,    128,  IN_CODE, NO_FIELD, 40,  16,  24,    2,   6,   7,     54,     32,  SIGN, NO_FIELD), /* 17.9.1 */
    ROW(10, 1,   128,  IN_CODE, NO_FIELD, 40,  16,  24,    2,   6,   7,     54,     32,  SIGN, NO_FIELD), /* 18.0.0 */
    ROW(10, 2,   128,  IN_CODE, NO_FIELD, 40,  16,  24,    2,   6,   7,     56,     32,  SIGN, NO_FIELD), /* 18.20.8 */
    ROW(10, 8,   128,  IN_CODE, NO_FIELD, 40,  16,  24,    2,   6,   7,     54,     32,  SIGN, NO_FIELD), /* 19.8.1 */
    ROW(11, 3,    16,  8,       40,       56,  16,  24,    2,   6,   7,     54,     32,  SIGN, 13), /* 20.20.2 */
    ROW(11, 8,    32,  8,       32,       44,   8,  16,    2,   6,   7,     52,     32,  SIGN, 13), /* 21.7.3 */
    ROW(12, 4,    32,  8,       40,       52,   8,  16,    2,   6,   7,     64,     24,  SIGN, 12), /* 22.23.5 */
    ROW(12, 9,    32,  8,       40,       52,   8,  16,    2,   6,   7,     64,     24,  SIGN, 12), /* 23.11.1 */
    ROW(13, 6,    32,  8,       40,       56,   8,  16,    3,   7,   8,     64,     24,  SIGN, 12), /* 24.22.3 */
    ROW(14, 1,    32,  8,       40,       56,   8,  16,    3,   7,   8,     64,     24,  FLAGS, 12), /* 25.9.0 */
    ROW(14, 6,    32,  8,       40,       56,   8,  16,    3,   7,   8,     64,     24,  FLAGS, 13), /* 26.12.1 */
};
/* clang-format on */

struct told {
    const char *name;
    size_t offset; /* in struct v8_layout */
    int32_t limit;
};

#define FIELD(member, name)                                                                                  \
    {                                                                                                        \
        "v8dbg_" name, offsetof(struct v8_layout, member), FIELD_LIMIT                                       \
    }
#define TYPE(member, name)                                                                                   \
    {                                                                                                        \
        "v8dbg_type_" name, offsetof(struct v8_layout, types.member), TYPE_LIMIT                             \
    }

/* What V8 tells, when it does: which names a release has is in facts/node.md 8.3. */
static const struct told told[] = {
    FIELD(header, "class_Code__instruction_start__uintptr_t"),
    FIELD(header, "class_InstructionStream__instruction_start__uintptr_t"),
    FIELD(instruction_start, "class_Code__instruction_start__Address"),
    FIELD(instruction_size, "class_Code__instruction_size__int"),
    FIELD(deoptimization_data, "class_Code__deoptimization_data__FixedArray"),
    FIELD(position_table, "class_Code__source_position_table__ByteArray"),
    FIELD(literals, "DeoptimizationDataLiteralArrayIndex"),
    FIELD(shared_function, "DeoptimizationDataSharedFunctionInfoIndex"),
    FIELD(shared_function, "DeoptimizationDataWrappedSharedFunctionInfoIndex"),
    FIELD(inlining_positions, "DeoptimizationDataInliningPositionsIndex"),
    FIELD(function_data, "class_SharedFunctionInfo__function_data__Object"),
    FIELD(bytecode_data, "class_BytecodeArray__data__uintptr_t"),
    TYPE(code, "Code__CODE_TYPE"),
    TYPE(bytecode_array, "BytecodeArray__BYTECODE_ARRAY_TYPE"),
    TYPE(baseline_data, "BaselineData__BASELINE_DATA_TYPE"),
    TYPE(interpreter_data, "InterpreterData__INTERPRETER_DATA_TYPE"),
    TYPE(shared_function, "SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE"),
    TYPE(shared_wrapper, "SharedFunctionInfoWrapper__SHARED_FUNCTION_INFO_WRAPPER_TYPE"),
    TYPE(byte_array, "ByteArray__BYTE_ARRAY_TYPE"),
    TYPE(trusted_byte_array, "TrustedByteArray__TRUSTED_BYTE_ARRAY_TYPE"),
    TYPE(fixed_array, "FixedArray__FIXED_ARRAY_TYPE"),
    TYPE(trusted_fixed_array, "TrustedFixedArray__TRUSTED_FIXED_ARRAY_TYPE"),
    TYPE(protected_fixed_array, "ProtectedFixedArray__PROTECTED_FIXED_ARRAY_TYPE"),
    TYPE(weak_fixed_array, "WeakFixedArray__WEAK_FIXED_ARRAY_TYPE"),
    TYPE(trusted_weak_fixed_array, "TrustedWeakFixedArray__TRUSTED_WEAK_FIXED_ARRAY_TYPE"),
};

/* The number at |*text|, which is moved behind it. */
static unsigned take_number(const char **text)
{
    unsigned number = 0;
    while (**text >= '0' && **text <= '9' && number < 1000)
        number = number * 10 + (unsigned)(*(*text)++ - '0');
    return number;
}

static const struct row *find_row(const char *version)
{
    unsigned major = take_number(&version);
    if (*version++ != '.') return NULL;
    unsigned minor = take_number(&version);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].major == major && rows[i].minor == minor) return &rows[i];
    return NULL;
}

int v8_layout_find(const char *version, void *(*lookup)(const char *), struct v8_layout *layout)
{
    const struct row *row = find_row(version);
    if (!row) return -ENOTSUP;
    *layout = row->layout;
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const int32_t *value = lookup(told[i].name);
        if (!value) continue;
        if (*value <= 0 || *value > told[i].limit) return -ENOTSUP;
        *(int32_t *)((char *)layout + told[i].offset) = *value;
    }
    int typed = layout->types.code && layout->types.bytecode_array && layout->types.shared_function &&
                layout->types.byte_array && layout->types.fixed_array;
    return typed ? 0 : -ENOTSUP;
}
