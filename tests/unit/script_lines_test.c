/* Lines and columns out of a fake script, against a plain count of its line ends. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "node/isolate.h"
#include "node/script_lines.h"

enum { TYPE_SCRIPT = 100, TYPE_DEBUG_INFO, TYPE_FIXED, SCRIPT_FIELD = 24, LINE_ENDS_FIELD = 40, ENDS = 4 };

/* Objects of V8, in words. A map has its instance type in the uint16_t at byte 12. */
static struct {
    uint64_t maps[3][2];
    uint64_t ends[2 + ENDS];
    uint64_t script[8];
    uint64_t shared[8];
    uint64_t handle;
    int id, first_line, first_column, is_off;
} fake;

static uint64_t tagged(const uint64_t *object)
{
    return (uintptr_t)object + 1;
}

/* "ab\n" "\n" "cdefg\n" "h" */
static const uint32_t ends[ENDS] = {2, 3, 9, 10};

static void build(void)
{
    memset(&fake, 0, sizeof fake);
    for (uint64_t i = 0; i < 3; i++) fake.maps[i][1] = (TYPE_SCRIPT + i) << 32;
    fake.ends[0] = tagged(fake.maps[2]);
    fake.ends[1] = (uint64_t)ENDS << 32;
    for (unsigned i = 0; i < ENDS; i++) fake.ends[2 + i] = (uint64_t)ends[i] << 32;
    fake.script[0] = tagged(fake.maps[0]);
    fake.script[LINE_ENDS_FIELD / 8] = tagged(fake.ends);
    fake.shared[SCRIPT_FIELD / 8] = tagged(fake.script);
    fake.handle = tagged(fake.shared);
    fake.id = 7;
}

static int line_of(void *script, int position)
{
    int line = 0;
    ck_assert_ptr_eq(script, &fake.handle);
    while (line < ENDS && (int)ends[line] < position) line++;
    return line == ENDS ? -1 : line + fake.first_line + fake.is_off * (line == ENDS - 1);
}

static int column_of(void *script, int position)
{
    ck_assert_int_eq(position, 0);
    return fake.first_column;
}

static int id_of(void *script)
{
    return fake.id;
}

static void *look_up(const char *name)
{
    static const struct {
        const char *name;
        int value;
    } told[] = {{"v8dbg_class_Script__line_ends__Object", LINE_ENDS_FIELD},
                {"v8dbg_type_Script__SCRIPT_TYPE", TYPE_SCRIPT},
                {"v8dbg_type_FixedArray__FIXED_ARRAY_TYPE", TYPE_FIXED},
                {"v8dbg_class_SharedFunctionInfo__script_or_debug_info__HeapObject", SCRIPT_FIELD}};
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
    build();
    node_process.v8.unbound_script_line = line_of;
    node_process.v8.unbound_script_column = column_of;
    node_process.v8.unbound_script_id = id_of;
    script_lines_prepare(look_up);
}

static void check_spot(const struct script_lines *lines, uint32_t position, uint32_t line, uint32_t column)
{
    struct code_spot spot = script_lines_spot(lines, position);
    ck_assert_uint_eq(spot.line, line);
    ck_assert_uint_eq(spot.column, column);
}

START_TEST(positions_have_their_lines_and_columns)
{
    static const uint32_t expected[][2] = {{1, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 1}, {3, 2},
                                           {3, 3}, {3, 4}, {3, 5}, {3, 6}, {4, 1}};
    prepare();
    struct script_lines *lines = script_lines_get(3, &fake.handle);
    ck_assert_ptr_nonnull(lines);
    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++)
        check_spot(lines, i, expected[i][0], expected[i][1]);
    check_spot(lines, 11, 0, 0);
    check_spot(lines, SCRIPT_NO_POSITION, 0, 0);
    check_spot(NULL, 1, 0, 0);
    script_lines_release(lines);
}
END_TEST

START_TEST(a_script_that_begins_elsewhere_is_moved)
{
    prepare();
    fake.first_line = 20;
    fake.first_column = 5;
    struct script_lines *lines = script_lines_get(3, &fake.handle);
    check_spot(lines, 0, 21, 6);
    check_spot(lines, 4, 23, 1); /* only the first line is moved to the right */
    script_lines_release(lines);
}
END_TEST

START_TEST(a_script_has_one_table_as_long_as_it_is_used)
{
    prepare();
    struct script_lines *lines = script_lines_get(3, &fake.handle), *other;
    ck_assert_ptr_eq(script_lines_get(3, &fake.handle), lines);
    ck_assert_ptr_eq(script_lines_share(lines), lines);
    other = script_lines_get(4, &fake.handle); /* another isolate's */
    ck_assert_ptr_ne(other, lines);
    script_lines_release(other);
    fake.id = 8;
    other = script_lines_get(3, &fake.handle);
    ck_assert_ptr_ne(other, lines);
    script_lines_release(other);
    for (int i = 0; i < 3; i++) {
        check_spot(lines, 3, 2, 1);
        script_lines_release(lines);
    }
    fake.id = 7;
    fake.first_line = 1; /* told only to a table that is new */
    lines = script_lines_get(3, &fake.handle);
    check_spot(lines, 3, 3, 1);
    script_lines_release(lines);
}
END_TEST

START_TEST(what_is_not_as_v8_says_is_not_believed)
{
    prepare();
    ck_assert_ptr_null(script_lines_get(3, NULL));
    fake.is_off = 1; /* V8 has another line at the end */
    ck_assert_ptr_null(script_lines_get(3, &fake.handle));
    prepare();
    fake.script[0] = tagged(fake.maps[1]); /* a DebugInfo */
    ck_assert_ptr_null(script_lines_get(3, &fake.handle));
    prepare();
    fake.script[LINE_ENDS_FIELD / 8] = 0; /* not made */
    ck_assert_ptr_null(script_lines_get(3, &fake.handle));
    prepare();
    fake.ends[0] = tagged(fake.maps[0]); /* no array */
    ck_assert_ptr_null(script_lines_get(3, &fake.handle));
    prepare();
    script_lines_prepare(look_up_nothing);
    ck_assert_ptr_null(script_lines_get(3, &fake.handle));
    prepare();
    node_process.v8.unbound_script_id = NULL;
    script_lines_prepare(look_up);
    ck_assert_ptr_null(script_lines_get(3, &fake.handle));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("script_lines");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, positions_have_their_lines_and_columns);
    tcase_add_test(tcase, a_script_that_begins_elsewhere_is_moved);
    tcase_add_test(tcase, a_script_has_one_table_as_long_as_it_is_used);
    tcase_add_test(tcase, what_is_not_as_v8_says_is_not_believed);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
