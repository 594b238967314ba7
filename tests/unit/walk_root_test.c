/* Where a stack ends when libc has no unwind tables. Made-up stacks, no tables: every frame is one by its
 * record. */
#include <check.h>
#include <stdlib.h>

#include "unwind/walk.h"

enum { LEAF_PC = 0x500000, START_PC = 0x400001, JUNK = 0x123457 };

static struct {
    uintptr_t words[64];
    struct unwind_memo memo;
} fake;

/* A leaf with a frame record at word 2, called by a function at word 4 whose fp is no frame pointer. */
static void walk(const struct unwind_bounds *bounds)
{
    fake.words[2] = JUNK;
    fake.words[3] = START_PC;
    unwind_forget(&fake.memo);
    struct regs regs = {LEAF_PC, (uintptr_t)fake.words, (uintptr_t)&fake.words[2]};
    ck_assert_uint_eq(unwind_walk(NULL, regs, UNWIND_PC_EXACT, bounds, &fake.memo), 2);
    ck_assert_uint_eq(unwind_frame_at(&fake.memo, 1)->pc, START_PC);
}

static struct unwind_bounds stack_with_root(size_t word)
{
    return (struct unwind_bounds){.lo = (uintptr_t)fake.words,
                                  .hi = (uintptr_t)(fake.words + 64),
                                  .root = (uintptr_t)&fake.words[word]};
}

START_TEST(a_frame_at_or_above_the_root_is_the_outermost)
{
    struct unwind_bounds bounds = stack_with_root(4);
    walk(&bounds);
    ck_assert_uint_eq(fake.memo.end, UNWIND_END_COMPLETE);
    bounds = stack_with_root(3);
    walk(&bounds);
    ck_assert_uint_eq(fake.memo.end, UNWIND_END_COMPLETE);
}
END_TEST

START_TEST(below_the_root_or_without_one_the_stack_is_cut)
{
    struct unwind_bounds bounds = stack_with_root(5);
    walk(&bounds);
    ck_assert_uint_eq(fake.memo.end, UNWIND_END_NO_RULE);
    bounds.root = 0;
    walk(&bounds);
    ck_assert_uint_eq(fake.memo.end, UNWIND_END_NO_RULE);
}
END_TEST

START_TEST(a_stack_above_the_threads_own_has_no_root)
{
    uintptr_t own_high = (uintptr_t)fake.words; /* not read: the walk stays on the other stack */
    struct unwind_bounds bounds = {.lo = own_high - 64,
                                   .hi = own_high,
                                   .lo2 = (uintptr_t)fake.words,
                                   .hi2 = (uintptr_t)(fake.words + 64),
                                   .root = own_high - 16};
    walk(&bounds);
    ck_assert_uint_eq(fake.memo.end, UNWIND_END_NO_RULE);
}
END_TEST

START_TEST(the_interrupted_function_itself_is_not_the_root)
{
    struct unwind_bounds bounds = stack_with_root(0);
    struct regs regs = {LEAF_PC, (uintptr_t)fake.words, JUNK};
    unwind_forget(&fake.memo);
    ck_assert_uint_eq(unwind_walk(NULL, regs, UNWIND_PC_EXACT, &bounds, &fake.memo), 1);
    ck_assert_uint_eq(fake.memo.end, UNWIND_END_NO_RULE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("walk_root");
    TCase *test = tcase_create("made-up stacks");
    tcase_add_test(test, a_frame_at_or_above_the_root_is_the_outermost);
    tcase_add_test(test, below_the_root_or_without_one_the_stack_is_cut);
    tcase_add_test(test, a_stack_above_the_threads_own_has_no_root);
    tcase_add_test(test, the_interrupted_function_itself_is_not_the_root);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
