/* Inlining, without a V8: its tables as bytes that Node 24 and 26 wrote, and its objects built by hand. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "node/inlining.h"
#include "node/position_table.h"
#include "node/v8_layout.h"

/* Instance types of the made-up V8. */
enum {
    TYPE_CODE = 245,
    TYPE_BYTECODE = 191,
    TYPE_SHARED = 262,
    TYPE_BYTES = 190,
    TYPE_FIXED = 175,
    TYPE_WEAK = 240,
    TYPE_INTERPRETER_DATA = 159
};

/* Maglev's code of `function half(value) { return (value / 2) | 0; }` at character 148 of its file, as
 * V8 13.6 and 14.6 wrote its table: 148 is the function, 176 the division, 181 the |, 185 the return. */
static const uint8_t table_13[] = {0x11, 0xd4, 0x04, 0x01, 0x00, 0x01, 0x00, 0x2b, 0x00, 0x09, 0x70,
                                   0x6b, 0x00, 0x09, 0x14, 0x37, 0x10, 0x15, 0x00, 0x15, 0x00};
static const uint8_t table_14[] = {0x22, 0xd4, 0x04, 0x02, 0x00, 0x02, 0x00, 0x56, 0x00, 0x12, 0x70,
                                   0xd6, 0x01, 0x00, 0x12, 0x14, 0x6e, 0x10, 0x2a, 0x00, 0x2a, 0x00};
enum { HALF_CODE_LEN = 0x140 };

static void check_half(const struct inlined_position *positions, int count)
{
    static const uint32_t offsets[] = {148, 176, 181, 185}, pcs[] = {7, 32, 89, 116};
    ck_assert_int_eq(count, 4);
    for (int i = 0; i < count; i++) {
        ck_assert_uint_eq(positions[i].pc_offset, pcs[i]);
        ck_assert_uint_eq(positions[i].position, offsets[i]);
        ck_assert_uint_eq(positions[i].function, 0);
    }
}

START_TEST(a_table_of_each_encoding_gives_the_same_positions)
{
    struct inlined_position positions[16];
    check_half(positions, position_table_decode(POSITIONS_WITH_SIGN, table_13, sizeof table_13, HALF_CODE_LEN,
                                                0, positions, 16));
    check_half(positions, position_table_decode(POSITIONS_WITH_FLAGS, table_14, sizeof table_14,
                                                HALF_CODE_LEN, 0, positions, 16));
}
END_TEST

START_TEST(a_table_of_the_wrong_encoding_is_found_by_the_codes_length)
{
    struct inlined_position positions[16];
    ck_assert_int_eq(
        position_table_decode(POSITIONS_WITH_SIGN, table_14, sizeof table_14, 140, 0, positions, 16),
        -EINVAL);
}
END_TEST

START_TEST(damaged_tables_are_refused)
{
    struct inlined_position positions[16];
    static const uint8_t endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    ck_assert_int_eq(
        position_table_decode(POSITIONS_WITH_SIGN, endless, sizeof endless, 1 << 20, 0, positions, 16),
        -EINVAL);
    /* Cut within an entry. */
    ck_assert_int_eq(position_table_decode(POSITIONS_WITH_SIGN, table_13, 2, HALF_CODE_LEN, 0, positions, 16),
                     -EINVAL);
    /* Three entries' room, four needed. */
    ck_assert_int_eq(
        position_table_decode(POSITIONS_WITH_SIGN, table_13, sizeof table_13, HALF_CODE_LEN, 0, positions, 3),
        -EINVAL);
    /* Beyond the code. */
    ck_assert_int_eq(
        position_table_decode(POSITIONS_WITH_SIGN, table_13, sizeof table_13, 100, 0, positions, 16),
        -EINVAL);
}
END_TEST

START_TEST(random_tables_never_leave_their_bounds)
{
    struct inlined_position positions[8];
    uint8_t table[24];
    srandom(1);
    for (int round = 0; round < 200000; round++) {
        size_t size = (size_t)random() % sizeof table;
        uint32_t limit = (uint32_t)random() % 8;
        for (size_t i = 0; i < size; i++) table[i] = (uint8_t)random();
        uint8_t *copy = malloc(size);
        memcpy(copy, table, size);
        int count = position_table_decode((enum v8_position_encoding)(round & 1), copy, size, 1000, 3,
                                          positions, limit);
        free(copy);
        ck_assert(count == -EINVAL || (count >= 0 && count <= (int)limit));
        for (int i = 0; i < count; i++) {
            ck_assert_uint_le(positions[i].pc_offset, 1000);
            ck_assert_uint_le(positions[i].function, 3);
            if (i) ck_assert_uint_gt(positions[i].pc_offset, positions[i - 1].pc_offset);
        }
    }
}
END_TEST

/* A heap of V8 11.3's objects, in words. */
static struct {
    uint64_t words[512] __attribute__((aligned(64)));
    size_t used;
    uintptr_t code_start;
    uint64_t *code, *deoptimization, *inlining, *literals, *bytecode_a, *bytecode_b, *bytecode_own;
} fake;

static uint64_t tagged(const uint64_t *object)
{
    return (uintptr_t)object + 1;
}

static uint64_t *make(int type, size_t words)
{
    uint64_t *map = &fake.words[fake.used], *object = map + 2;
    map[1] = (uint64_t)type << 32; /* the uint16_t at byte 12 */
    object[0] = tagged(map);
    fake.used += 2 + words;
    return object;
}

static uint64_t *make_array(int type, size_t length, size_t words)
{
    uint64_t *array = make(type, 2 + words);
    array[1] = (uint64_t)length << 32;
    return array;
}

static uint64_t *make_function(uint64_t *data)
{
    uint64_t *shared = make(TYPE_SHARED, 8);
    shared[1] = tagged(data);
    return shared;
}

static uint64_t raw_position(uint32_t offset, uint32_t function)
{
    return (uint64_t)(offset + 1) << 1 | (uint64_t)function << 31;
}

/* Three inlined calls: a at 10; b, which has InterpreterData, at 20 of a; and the function itself at 30. */
static void build(void)
{
    memset(&fake, 0, sizeof fake);
    fake.bytecode_a = make(TYPE_BYTECODE, 9);
    fake.bytecode_b = make(TYPE_BYTECODE, 9);
    fake.bytecode_own = make(TYPE_BYTECODE, 9);
    uint64_t *interpreter = make(TYPE_INTERPRETER_DATA, 3);
    interpreter[1] = tagged(fake.bytecode_b);
    fake.literals = make_array(TYPE_WEAK, 2, 2);
    fake.literals[2] = tagged(make_function(fake.bytecode_a));
    fake.literals[3] = tagged(make_function(interpreter)) + 2; /* weakly */
    fake.inlining = make_array(TYPE_BYTES, 48, 6);
    fake.inlining[2] = raw_position(10, 0);
    fake.inlining[3] = 0;
    fake.inlining[4] = raw_position(20, 1);
    fake.inlining[5] = 1;
    fake.inlining[6] = raw_position(30, 0);
    fake.inlining[7] = UINT32_MAX;
    fake.deoptimization = make_array(TYPE_FIXED, 9, 9);
    fake.deoptimization[2 + 2] = tagged(fake.literals);
    fake.deoptimization[2 + 6] = tagged(make_function(fake.bytecode_own));
    fake.deoptimization[2 + 7] = tagged(fake.inlining);
    uint64_t *table = make_array(TYPE_BYTES, sizeof table_13, 3);
    memcpy(&table[2], table_13, sizeof table_13);
    fake.used += fake.used % 2; /* V8 aligns what holds code */
    uint64_t *stream = make(252, 4);
    fake.code = make(TYPE_CODE, 10);
    stream[1] = tagged(fake.code);
    fake.code_start = (uintptr_t)&stream[2];
    fake.code[2] = tagged(fake.deoptimization);
    fake.code[3] = tagged(table);
    fake.code[5] = fake.code_start;
    fake.code[6] = 0x11dull << 32; /* flags, TurboFan's */
    fake.code[7] = HALF_CODE_LEN;
}

static void *look_up(const char *name)
{
    static const struct {
        const char *name;
        int value;
    } told[] = {{"v8dbg_type_Code__CODE_TYPE", TYPE_CODE},
                {"v8dbg_type_BytecodeArray__BYTECODE_ARRAY_TYPE", TYPE_BYTECODE},
                {"v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", TYPE_SHARED},
                {"v8dbg_type_InterpreterData__INTERPRETER_DATA_TYPE", TYPE_INTERPRETER_DATA},
                {"v8dbg_type_ByteArray__BYTE_ARRAY_TYPE", TYPE_BYTES},
                {"v8dbg_type_FixedArray__FIXED_ARRAY_TYPE", TYPE_FIXED},
                {"v8dbg_type_WeakFixedArray__WEAK_FIXED_ARRAY_TYPE", TYPE_WEAK}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (!strcmp(told[i].name, name)) return (void *)&told[i].value;
    return NULL;
}

static void *look_up_nothing(const char *name)
{
    return NULL;
}

static void prepare(void)
{
    ck_assert_int_eq(inlining_prepare("11.3.244.8-node.38", look_up), 0);
    build();
}

static int decode(struct inlining *inlining)
{
    return inlining_decode(fake.code_start, HALF_CODE_LEN, 1, inlining);
}

START_TEST(an_unknown_V8_and_one_without_types_are_not_supported)
{
    struct inlining inlining;
    ck_assert_int_eq(inlining_prepare("11.4.1", look_up), -ENOTSUP);
    ck_assert_int_eq(inlining_prepare("99.3", look_up), -ENOTSUP);
    ck_assert_int_eq(inlining_prepare("", look_up), -ENOTSUP);
    ck_assert_int_eq(inlining_prepare("11.3.244.8-node.38", look_up_nothing), -ENOTSUP);
    build();
    ck_assert_int_eq(decode(&inlining), -ENOTSUP);
}
END_TEST

START_TEST(the_tree_is_decoded)
{
    struct inlining inlining;
    prepare();
    ck_assert_int_eq(decode(&inlining), 0);
    ck_assert_uint_eq(inlining.function_count, 3);
    ck_assert_uint_eq(inlining.functions[0].bytecode, (uintptr_t)fake.bytecode_a + 54);
    ck_assert_uint_eq(inlining.functions[0].caller, 0);
    ck_assert_uint_eq(inlining.functions[0].call_position, 10);
    ck_assert_uint_eq(inlining.functions[1].bytecode, (uintptr_t)fake.bytecode_b + 54);
    ck_assert_uint_eq(inlining.functions[1].caller, 1);
    ck_assert_uint_eq(inlining.functions[1].call_position, 20);
    ck_assert_uint_ne(inlining.functions[2].bytecode, 0);
    check_half(inlining.positions, (int)inlining.position_count);
    inlining_free(&inlining);
    ck_assert_ptr_null(inlining.functions);
}
END_TEST

START_TEST(a_function_whose_pointer_was_cleared_has_no_bytecode)
{
    struct inlining inlining;
    prepare();
    fake.literals[3] = 3;
    ck_assert_int_eq(decode(&inlining), 0);
    ck_assert_uint_eq(inlining.functions[1].bytecode, 0);
    inlining_free(&inlining);
}
END_TEST

static void check_refused(uint64_t *word, uint64_t value)
{
    struct inlining inlining;
    uint64_t before = *word;
    *word = value;
    ck_assert_int_eq(decode(&inlining), -EINVAL);
    ck_assert_ptr_null(inlining.functions);
    ck_assert_ptr_null(inlining.positions);
    *word = before;
}

START_TEST(contradictions_are_refused)
{
    prepare();
    check_refused(&fake.code[5], fake.code_start + 8);           /* instruction_start */
    check_refused(&fake.code[7], HALF_CODE_LEN + 1);             /* instruction_size */
    check_refused(&fake.code[2], 0);                             /* no deoptimization data */
    check_refused(&fake.code[2], tagged(fake.inlining));         /* of the wrong type */
    check_refused(&fake.code[2], 0xdead0000beef1);               /* nowhere */
    check_refused(&fake.deoptimization[1], 4ull << 32);          /* too short */
    check_refused(&fake.inlining[1], 47ull << 32);               /* not whole entries */
    check_refused(&fake.inlining[1], (uint64_t)INT32_MAX << 32); /* too many */
    check_refused(&fake.inlining[2], raw_position(10, 1));       /* inlined into itself */
    check_refused(&fake.inlining[3], 2);                         /* no such literal */
}
END_TEST

START_TEST(code_that_was_decoded_often_is_still_checked)
{
    struct inlining inlining;
    prepare();
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(decode(&inlining), 0);
        inlining_free(&inlining);
    }
    check_refused(&fake.code[2], tagged(fake.inlining));
    check_refused(&fake.inlining[3], 2);
    ck_assert_int_eq(inlining_decode(8, 8, 0, &inlining), -EINVAL);
}
END_TEST

START_TEST(damage_anywhere_is_refused_or_harmless)
{
    struct inlining inlining;
    srandom(2);
    for (int round = 0; round < 20000; round++) {
        prepare();
        fake.words[(size_t)random() % fake.used] ^= 1ull << (random() % 64);
        int rc = decode(&inlining);
        ck_assert(rc == 0 || rc == -EINVAL);
        if (rc == 0) inlining_free(&inlining);
        ck_assert_int_eq(inlining_prepare("0.0", look_up), -ENOTSUP); /* forgets what was proven */
    }
}
END_TEST

static int find(uintptr_t pc, struct found_code *found)
{
    return inlining_find(pc, (uintptr_t)fake.words, found);
}

START_TEST(code_is_found_by_an_address_in_it)
{
    struct found_code found;
    prepare();
    for (uintptr_t pc = fake.code_start; pc < fake.code_start + HALF_CODE_LEN; pc++) {
        ck_assert_int_eq(find(pc, &found), 0);
        ck_assert_uint_eq(found.start, fake.code_start);
        ck_assert_uint_eq(found.length, HALF_CODE_LEN);
        ck_assert_uint_eq(found.bytecode, (uintptr_t)fake.bytecode_own + 54);
        ck_assert_int_eq(found.mark, '*');
        ck_assert_uint_eq(found.inlining.function_count, 3);
        check_half(found.inlining.positions, (int)found.inlining.position_count);
        inlining_free(&found.inlining);
    }
}
END_TEST

START_TEST(the_compiler_of_found_code_is_told)
{
    struct found_code found;
    prepare();
    fake.code[6] = 0x11cull << 32;
    ck_assert_int_eq(find(fake.code_start, &found), 0);
    ck_assert_int_eq(found.mark, '+');
    inlining_free(&found.inlining);
}
END_TEST

START_TEST(what_is_no_code_is_not_found)
{
    struct found_code found;
    prepare();
    ck_assert_int_eq(find(fake.code_start - 1, &found), -ENOENT);
    ck_assert_int_eq(find(fake.code_start + HALF_CODE_LEN, &found), -ENOENT);
    ck_assert_int_eq(inlining_find(fake.code_start, fake.code_start, &found), -ENOENT); /* below the floor */
    ck_assert_int_eq(inlining_find(0x1000, 0, &found), -ENOENT);                        /* nothing is there */
    fake.bytecode_own[0] = tagged(fake.code);
    ck_assert_int_eq(find(fake.code_start, &found), -ENOENT); /* flushed */
    fake.code[2] = 0;
    ck_assert_int_eq(find(fake.code_start, &found), -EINVAL); /* not optimized */
    ck_assert_int_eq(inlining_prepare("0.0", look_up), -ENOTSUP);
    ck_assert_int_eq(find(fake.code_start, &found), -ENOTSUP);
}
END_TEST

START_TEST(a_search_in_damaged_memory_ends)
{
    struct found_code found;
    srandom(3);
    for (int round = 0; round < 20000; round++) {
        prepare();
        fake.words[(size_t)random() % fake.used] ^= 1ull << (random() % 64);
        if (!find(fake.code_start + (uintptr_t)random() % HALF_CODE_LEN, &found))
            inlining_free(&found.inlining);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("inlining");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, a_table_of_each_encoding_gives_the_same_positions);
    tcase_add_test(tcase, a_table_of_the_wrong_encoding_is_found_by_the_codes_length);
    tcase_add_test(tcase, damaged_tables_are_refused);
    tcase_add_test(tcase, random_tables_never_leave_their_bounds);
    tcase_add_test(tcase, an_unknown_V8_and_one_without_types_are_not_supported);
    tcase_add_test(tcase, the_tree_is_decoded);
    tcase_add_test(tcase, a_function_whose_pointer_was_cleared_has_no_bytecode);
    tcase_add_test(tcase, contradictions_are_refused);
    tcase_add_test(tcase, code_that_was_decoded_often_is_still_checked);
    tcase_add_test(tcase, damage_anywhere_is_refused_or_harmless);
    tcase_add_test(tcase, code_is_found_by_an_address_in_it);
    tcase_add_test(tcase, the_compiler_of_found_code_is_told);
    tcase_add_test(tcase, what_is_no_code_is_not_found);
    tcase_add_test(tcase, a_search_in_damaged_memory_ends);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
