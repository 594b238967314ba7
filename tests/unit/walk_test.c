/*
 * The walker against libunwind, frame by frame: in this program's own functions, compiled in several ways, by
 * synchronous capture and from a real SIGPROF handler; memo walks against full walks; bounds; snapshots.
 */
#define UNW_LOCAL_ONLY
#include <check.h>
#include <dlfcn.h>
#include <libunwind.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

#include "sys/selfmem.h"
#include "unwind/walk.h"
#include "unwind_elf.h"
#include "unwind_heap.h" /* a table freed too early is then a report of the sanitizer */
#include "walk_shapes.h"

enum { DEPTH = 9000, MODULES = 128 };

/* What was compared, to print and to assert on. */
static struct counts {
    long stacks, unknown, frames, equal, cut, different, memo_different, deepest, reused, walked;
    long ends[8];
} counts;

static struct unwind_memo memo, fresh; /* the memo under test, and one that is emptied before each walk */
static struct unwind_module modules[MODULES];
static struct unwind_bounds bounds;
static uint64_t slot;

static void publish_all(void)
{
    static struct elf_module loaded[MODULES];
    int n = elf_loaded(loaded, MODULES);
    for (int i = 0; i < n; i++) {
        modules[i] = (struct unwind_module){loaded[i].source.start, loaded[i].source.limit, NULL};
        ck_assert_int_eq(cfi_build(&loaded[i].source, &modules[i].cfi), 0);
    }
    ck_assert_int_eq(tables_publish(modules, (uint32_t)n), 0);
}

static void own_stack(struct unwind_bounds *b)
{
    pthread_attr_t attr;
    void *low;
    size_t size;
    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_destroy(&attr);
    *b = (struct unwind_bounds){.lo = (uintptr_t)low, .hi = (uintptr_t)low + size};
}

static void set_up(void)
{
    /* Libraries that tests come through later belong in the tables, too. */
    publish_all();
    own_stack(&bounds);
    unw_set_caching_policy(unw_local_addr_space, UNW_CACHE_GLOBAL);
}

/* ---- comparing with libunwind ---- */

struct stack {
    int n;
    uintptr_t pc[DEPTH], sp[DEPTH];
};

static struct stack theirs;

static void walk_with_libunwind(ucontext_t *context, int is_signal)
{
    unw_cursor_t cursor;
    unw_word_t word;
    theirs.n = 0;
    unw_init_local2(&cursor, context, is_signal ? UNW_INIT_SIGNAL_FRAME : 0);
    do {
        unw_get_reg(&cursor, UNW_REG_IP, &word);
        theirs.pc[theirs.n] = word;
        unw_get_reg(&cursor, UNW_REG_SP, &word);
        theirs.sp[theirs.n] = word;
        if (theirs.pc[theirs.n] == 0) break;
        theirs.n++;
    } while (theirs.n < UNWIND_DEPTH_MAX && unw_step(&cursor) > 0);
}

/* Their frame for ours number |i|, over the gap. */
static unsigned their_index(const struct unwind_memo *m, unsigned i)
{
    return m->gap && i >= UNWIND_LEAF_FRAMES ? i + m->gap : i;
}

static int same_frames(const struct unwind_memo *m)
{
    for (unsigned i = 0; i < m->count; i++) {
        const struct unwind_frame *f = unwind_frame_at(m, i);
        unsigned t = their_index(m, i);
        if ((int)t >= theirs.n || (f->pc & ~UNWIND_PC_FLAGS) != theirs.pc[t] || f->sp != theirs.sp[t])
            return 0;
    }
    return 1;
}

static int same_memos(const struct unwind_memo *a, const struct unwind_memo *b)
{
    if (a->count != b->count || a->gap != b->gap || a->end != b->end) return 0;
    return memcmp(a->frames, b->frames, a->count * sizeof a->frames[0]) == 0;
}

static void complain(const struct unwind_memo *m, unsigned total)
{
    char line[200];
    if (counts.different > 3) return;
    int n = snprintf(line, sizeof line, "different: ours %u end %u, theirs %d\n", total, m->end, theirs.n);
    (void)!write(2, line, (size_t)n);
    for (int i = 0; i < 40 && (i < theirs.n || i < (int)m->count); i++) {
        uintptr_t pc = i < (int)m->count ? unwind_frame_at(m, (unsigned)i)->pc & ~UNWIND_PC_FLAGS : 0;
        uintptr_t sp = i < (int)m->count ? unwind_frame_at(m, (unsigned)i)->sp : 0;
        n = snprintf(line, sizeof line, "  %2d %#lx sp %#lx | %#lx sp %#lx\n", i, pc, sp,
                     i < theirs.n ? theirs.pc[i] : 0, i < theirs.n ? theirs.sp[i] : 0);
        (void)!write(2, line, (size_t)n);
    }
}

/* All three walks of one state, and the verdicts. */
static void compare(ucontext_t *context, int is_signal)
{
    const struct unwind_tables *tables = tables_enter(&slot);
    struct regs regs = regs_from_ucontext(context);
    uintptr_t flags = is_signal ? UNWIND_PC_EXACT : 0;
    unsigned total = unwind_walk(tables, regs, flags, &bounds, &memo);
    unwind_forget(&fresh);
    unwind_walk(tables, regs, flags, &bounds, &fresh);
    int unknown = tables_lookup(tables, regs.pc) == UNWIND_RULE_INVALID;
    tables_leave(&slot);
    if (!same_memos(&memo, &fresh)) counts.memo_different++;
    /* Without CFI both guess by rbp, differently: libunwind's own assembly, which C++ exceptions run here. */
    counts.unknown += unknown;
    if (unknown) return;
    walk_with_libunwind(context, is_signal);
    counts.stacks++;
    counts.frames += total;
    counts.reused += memo.reused;
    counts.ends[memo.end]++;
    if (total > counts.deepest) counts.deepest = total;
    if (!same_frames(&memo)) {
        counts.different++;
        complain(&memo, total);
    } else if ((int)total == theirs.n) {
        counts.equal++;
    } else {
        counts.cut++;
    }
}

static void verdict(const char *what, long at_least)
{
    printf(
        "%-34s %6ld stacks %8ld frames (deepest %ld, %2.0f %% by memo): %ld equal, %ld cut, %ld different, "
        "%ld memo different\n",
        what, counts.stacks, counts.frames, counts.deepest,
        counts.frames ? 100.0 * (double)counts.reused / (double)counts.frames : 0, counts.equal, counts.cut,
        counts.different, counts.memo_different);
    ck_assert_int_ge(counts.stacks, at_least);
    ck_assert_int_eq(counts.different, 0);
    ck_assert_int_eq(counts.memo_different, 0);
    ck_assert_int_le(counts.unknown, 5);
    /* Where the CFA is in a register that only libunwind follows: r10 in the prologue of a realigned frame,
     * rbx in the dynamic linker's lazy binding. */
    ck_assert_int_le(counts.cut, counts.stacks / (strstr(what, "realigned") ? 10 : 100));
    memset(&counts, 0, sizeof counts);
}

/* The probe that the shapes call at their innermost point. */
static void probe(void)
{
    ucontext_t context;
    getcontext(&context);
    compare(&context, 1);
}

static void on_signal(int signo, siginfo_t *info, void *context)
{
    compare(context, 1);
}

static void start_ticks(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&action.sa_mask);
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
}

static void stop_ticks(void)
{
    setitimer(ITIMER_PROF, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    signal(SIGPROF, SIG_IGN);
}

static void nothing(void) {}

/* ---- the tests ---- */

START_TEST(captured_stacks_are_libunwinds)
{
    for (const struct walk_shape *s = walk_shapes; s->name; s++) {
        for (int i = 0; i < 300; i++) s->run((unsigned)i * 7919, probe);
        verdict(s->name, 300);
    }
}
END_TEST

START_TEST(interrupted_stacks_are_libunwinds)
{
    for (const struct walk_shape *s = walk_shapes; s->name; s++) {
        char name[64];
        snprintf(name, sizeof name, "%s, SIGPROF", s->name);
        start_ticks();
        for (unsigned i = 0; counts.stacks < 150; i++) s->run(i * 7919, nothing);
        stop_ticks();
        verdict(name, 150);
    }
}
END_TEST

START_TEST(deep_recursion_keeps_leaf_and_root)
{
    for (unsigned depth = 900; depth < 8300; depth += 613) walk_recurse(depth, probe);
    for (unsigned depth = 980; depth < 1040; depth++) walk_recurse(depth, probe);
    for (unsigned i = 0; i < 30; i++) walk_recurse(500 + i * 104729 % 3000, probe);
    ck_assert_int_gt(counts.ends[UNWIND_END_DEPTH], 0);
    ck_assert_int_eq(counts.deepest, UNWIND_DEPTH_MAX);
    verdict("deep recursion", 90);
}
END_TEST

/* Captured at every call level on the way in and out: nearly all of each stack is the last one's. */
START_TEST(the_memo_takes_over_what_is_unchanged)
{
    walk_recurse_probing(200, probe);
    ck_assert_int_gt(counts.reused * 10, counts.frames * 9);
    verdict("each level of a recursion", 200);
    walk_recurse_probing(1500, probe);
    verdict("each level, deeper than the memo", 1500);
}
END_TEST

static struct {
    uintptr_t words[512];
    struct unwind_memo memo, fresh;
} fake;

/* Random frame chains in a made-up stack, with random words changed between two walks. */
START_TEST(memo_walks_equal_full_walks_whatever_changes)
{
    enum { WORDS = 512 };
    uint64_t random = 0x5eed;
    long reused = 0, frames = 0;
    struct unwind_bounds b = {.lo = (uintptr_t)fake.words, .hi = (uintptr_t)(fake.words + WORDS)};
    uintptr_t first[3] = {0, 0, 0};
    for (long round = 0; round < 200000; round++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        if (round % 64 == 0)
            for (size_t i = 0; i < WORDS;) { /* fp, return address, some locals */
                size_t next = i + 2 + (i * 31 + random) % 9;
                fake.words[i] = next < WORDS ? (uintptr_t)&fake.words[next] : 0;
                if (i + 1 < WORDS) fake.words[i + 1] = 0x400000 + (random >> 9) % 64;
                if (round == 0 && i < 40) first[i % 3] = i;
                for (size_t k = i + 2; k < next && k < WORDS; k++) fake.words[k] = random;
                i = next;
            }
        size_t at =
            random % WORDS; /* sometimes a frame pointer, sometimes a return address, mostly a local */
        if (round % 3)
            fake.words[at] =
                round % 2 ? 0x400000 + random % 64 : (uintptr_t)&fake.words[(random >> 20) % WORDS];
        struct regs r = {0x500000 + random % 2, b.lo + first[round % 3] * 8, b.lo + first[round % 3] * 8};
        unwind_walk(NULL, r, UNWIND_PC_EXACT, &b, &fake.memo);
        unwind_forget(&fake.fresh);
        unwind_walk(NULL, r, UNWIND_PC_EXACT, &b, &fake.fresh);
        ck_assert(same_memos(&fake.memo, &fake.fresh));
        reused += fake.memo.reused;
        frames += fake.memo.count;
    }
    printf("%-34s 200000 stacks %8ld frames (%2.0f %% by memo)\n", "changed words, fp chains", frames,
           100.0 * (double)reused / (double)frames);
    ck_assert_int_gt(reused, frames / 4);
}
END_TEST

static void on_inner(int signo)
{
    probe();
}

static void on_outer(int signo)
{
    raise(SIGUSR2);
}

START_TEST(nested_signal_handlers)
{
    signal(SIGUSR1, on_outer);
    signal(SIGUSR2, on_inner);
    for (int i = 0; i < 300; i++) raise(SIGUSR1);
    unsigned exact = 0;
    for (unsigned i = 0; i < memo.count; i++) exact += (unwind_frame_at(&memo, i)->pc & UNWIND_PC_EXACT) != 0;
    ck_assert_uint_eq(exact, 3); /* the leaf and below each of the two signal frames */
    verdict("nested signal handlers", 300);
}
END_TEST

START_TEST(an_alternate_stack_needs_its_own_bounds)
{
    static char space[65536];
    sigaltstack(&(stack_t){.ss_sp = space, .ss_size = sizeof space}, NULL);
    sigaction(SIGUSR2, &(struct sigaction){.sa_handler = on_inner, .sa_flags = SA_ONSTACK}, NULL);
    struct unwind_bounds own = bounds;
    bounds = (struct unwind_bounds){(uintptr_t)space, (uintptr_t)space + sizeof space, own.lo, own.hi, 0, 0};
    for (int i = 0; i < 300; i++) raise(SIGUSR2);
    verdict("alternate stack, both ranges", 300);
    bounds = own;
    bounds.lo = (uintptr_t)space;
    bounds.hi = (uintptr_t)space + sizeof space;
    raise(SIGUSR2);
    ck_assert_int_eq(memo.end, UNWIND_END_UNREADABLE);
    bounds = own;
}
END_TEST

static void *thread_main(void *unused)
{
    own_stack(&bounds);
    for (int i = 0; i < 300; i++) walk_shapes[0].run((unsigned)i, probe);
    ck_assert_int_eq(counts.ends[UNWIND_END_COMPLETE], counts.stacks);
    verdict("a thread's stack", 300);
    return NULL;
}

START_TEST(a_threads_stack_ends_at_its_start)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, thread_main, NULL), 0);
    pthread_join(thread, NULL);
}
END_TEST

/* Single steps through calls that go through the PLT, prologues and epilogues: every instruction once. */
static void on_trap(int signo, siginfo_t *info, void *context)
{
    compare(context, 1);
}

START_TEST(every_single_instruction_of_calls)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    for (const struct walk_shape *s = walk_shapes; s->name; s++) {
        if (!s->short_enough_to_step) continue;
        s->run(3, nothing); /* binds what is bound lazily */
        __asm__ volatile("sub $128, %%rsp; pushf; orl $0x100, (%%rsp); popf; add $128, %%rsp" ::
                             : "memory", "cc");
        s->run(3, nothing);
        __asm__ volatile("sub $128, %%rsp; pushf; andl $~0x100, (%%rsp); popf; add $128, %%rsp" ::
                             : "memory", "cc");
        char name[64];
        snprintf(name, sizeof name, "%s, stepped", s->name);
        verdict(name, 20);
    }
}
END_TEST

START_TEST(a_copied_stack_is_walked_from_afar)
{
    /* As the background thread does: registers and a copy of the words from sp up. */
    static uintptr_t copy[1 << 16];
    ucontext_t context;
    getcontext(&context);
    struct regs regs = regs_from_ucontext(&context);
    size_t size = bounds.hi - regs.sp < sizeof copy ? bounds.hi - regs.sp : sizeof copy;
    ck_assert_int_eq(selfmem_read(regs.sp, copy, size), 0);
    struct unwind_bounds b = {.lo = regs.sp, .hi = regs.sp + size, .shift = (uintptr_t)copy - regs.sp};
    unwind_walk(tables_current(), regs, UNWIND_PC_EXACT, &b, &memo);
    unwind_walk(tables_current(), regs, UNWIND_PC_EXACT, &bounds, &fresh);
    ck_assert(same_memos(&memo, &fresh));
    ck_assert_uint_eq(memo.end, UNWIND_END_COMPLETE);
}
END_TEST

START_TEST(wild_registers_end_the_walk_at_once)
{
    uintptr_t wild[] = {0,         1,    7,    8,         bounds.lo, bounds.lo + 1, bounds.hi - 8,
                        bounds.hi, ~0UL, ~7UL, 1UL << 47, 1UL << 63};
    int n = sizeof wild / sizeof wild[0];
    uintptr_t code = (uintptr_t)probe + 20;
    for (int i = 0; i < n * n * 2; i++) {
        struct regs r = {i % 2 ? code : wild[i / 2 % n], wild[i / 2 % n], wild[i / 2 / n]};
        ck_assert_uint_ge(unwind_walk(tables_current(), r, UNWIND_PC_EXACT, &bounds, &memo), 1);
        ck_assert_uint_ne(memo.end, UNWIND_END_NONE);
    }
    static const struct unwind_bounds none;
    ck_assert_uint_eq(unwind_walk(tables_current(), (struct regs){code, 4096, 0}, 0, &none, &memo), 1);
    ck_assert_uint_eq(memo.end, UNWIND_END_UNREADABLE);
}
END_TEST

START_TEST(a_copy_keeps_leaf_and_root_and_says_what_it_cut)
{
    uint64_t out[2000];
    unsigned cut;
    memo.count = 10;
    memo.gap = 0;
    for (unsigned i = 0; i < 10; i++) memo.frames[i].pc = 110 - i; /* leaf first: 101 .. 110 */
    memo.frames[9].pc |= UNWIND_PC_EXACT | UNWIND_PC_REWALK;
    ck_assert_uint_eq(unwind_copy(&memo, 10, 4, out, &cut), 10);
    ck_assert_uint_eq(cut, 0);
    ck_assert_uint_eq(out[0], 101 | UNWIND_PC_EXACT);
    ck_assert_uint_eq(out[9], 110);
    ck_assert_uint_eq(unwind_copy(&memo, 8, 3, out, &cut), 8);
    ck_assert_uint_eq(cut, 3);
    ck_assert_uint_eq(out[3], 104);
    ck_assert_uint_eq(out[4], UNWIND_TRUNCATED);
    ck_assert_uint_eq(out[5], 108);
    ck_assert_uint_eq(out[7], 110);
    ck_assert_uint_eq(unwind_copy(&memo, 2, 9, out, &cut), 2);
    ck_assert_uint_eq(cut, 9);
    ck_assert_uint_eq(out[1], UNWIND_TRUNCATED);
    ck_assert_uint_eq(unwind_copy(&memo, 1, 9, out, &cut), 1);
    ck_assert_uint_eq(unwind_copy(&memo, 0, 9, out, &cut), 0);
    memo.count = UNWIND_MEMO_FRAMES;
    memo.gap = 100;
    ck_assert_uint_eq(unwind_copy(&memo, 2000, 100, out, &cut), UNWIND_MEMO_FRAMES + 1);
    ck_assert_uint_eq(cut, 100);
    ck_assert_uint_eq(out[UNWIND_LEAF_FRAMES], UNWIND_TRUNCATED);
    unwind_forget(&memo);
}
END_TEST

struct slots {
    uint64_t words[2];
    unsigned next;
};

static const uint64_t *next_slot(void *token)
{
    struct slots *s = token;
    return s->next < 2 ? &s->words[s->next++] : NULL;
}

static unsigned reclaim(struct slots *s)
{
    s->next = 0;
    return tables_reclaim(next_slot, s);
}

START_TEST(a_snapshot_lives_as_long_as_a_thread_is_inside)
{
    struct slots s = {{0, 0}, 0};
    const struct unwind_tables *old = tables_enter(&s.words[0]);
    uintptr_t pc = (uintptr_t)probe;
    ck_assert(tables_contains(old, pc));
    ck_assert(!tables_contains(old, (uintptr_t)&s));
    ck_assert(!tables_contains(NULL, pc));
    ck_assert_int_eq(tables_publish(NULL, 0), 0); /* all modules are gone */
    const struct unwind_tables *new = tables_enter(&s.words[1]);
    ck_assert_uint_gt(new->generation, old->generation);
    ck_assert(!tables_contains(new, pc));
    ck_assert_uint_eq(reclaim(&s), 1);
    ck_assert_uint_ne(tables_lookup(old, pc), UNWIND_RULE_INVALID); /* still there */
    ck_assert_int_eq(tables_publish(NULL, 0), 0);
    tables_leave(&s.words[0]);
    ck_assert_uint_eq(reclaim(&s), 1); /* the first is free, slot 1 is inside the second */
    tables_leave(&s.words[1]);
    ck_assert_uint_eq(reclaim(&s), 0);
}
END_TEST

START_TEST(overlapping_modules_leave_a_searchable_set)
{
    struct unwind_module set[] = {
        {0x5000, 0x6000, NULL}, {0x1000, 0x2000, NULL}, {0x1800, 0x2800, NULL}, {9, 9, NULL}};
    ck_assert_int_eq(tables_publish(set, 4), 0);
    const struct unwind_tables *t = tables_current();
    ck_assert_uint_eq(t->count, 2);
    ck_assert(tables_contains(t, 0x1000) && tables_contains(t, 0x1fff) && tables_contains(t, 0x5fff));
    ck_assert(!tables_contains(t, 0xfff) && !tables_contains(t, 0x2000) && !tables_contains(t, 0x6000));
    ck_assert_uint_eq(tables_lookup_cached(t, 0x1000), UNWIND_RULE_INVALID);
}
END_TEST

static struct {
    uint64_t slots[2];
    int stop;
    long walks;
} race;

static void *walk_all_the_time(void *token)
{
    static struct unwind_memo memos[2];
    uint64_t *own = token;
    struct unwind_memo *m = &memos[own - race.slots];
    struct unwind_bounds b;
    own_stack(&b);
    while (!__atomic_load_n(&race.stop, __ATOMIC_RELAXED)) {
        ucontext_t context;
        getcontext(&context);
        unwind_walk(tables_enter(own), regs_from_ucontext(&context), UNWIND_PC_EXACT, &b, m);
        tables_leave(own);
        __atomic_add_fetch(&race.walks, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

START_TEST(publishing_under_two_walking_threads)
{
    pthread_t threads[2];
    struct elf_module libc;
    ck_assert(elf_find("/libc.so.6", &libc));
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, walk_all_the_time, &race.slots[i]);
    unsigned most = 0;
    for (int i = 0; i < 150; i++) {
        struct unwind_module set[1] = {{libc.source.start, libc.source.limit, NULL}};
        ck_assert_int_eq(cfi_build(&libc.source, &set[0].cfi), 0);
        ck_assert_int_eq(tables_publish(set, 1), 0);
        struct slots all = {{race.slots[0], race.slots[1]}, 0};
        unsigned waiting = reclaim(&all);
        if (waiting > most) most = waiting;
    }
    __atomic_store_n(&race.stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    struct slots none = {{0, 0}, 0};
    ck_assert_uint_eq(reclaim(&none), 0);
    printf("%ld walks while 150 snapshots were published, at most %u waited\n", race.walks, most);
}
END_TEST

int main(void)
{
    TCase *compared = tcase_create("libunwind"), *own = tcase_create("own");
    tcase_set_timeout(compared, 60);
    tcase_set_timeout(own, 60);
    tcase_add_checked_fixture(compared, set_up, NULL);
    tcase_add_checked_fixture(own, set_up, NULL);
    tcase_add_test(compared, captured_stacks_are_libunwinds);
    tcase_add_test(compared, interrupted_stacks_are_libunwinds);
    tcase_add_test(compared, deep_recursion_keeps_leaf_and_root);
    tcase_add_test(compared, the_memo_takes_over_what_is_unchanged);
    tcase_add_test(compared, nested_signal_handlers);
    tcase_add_test(compared, an_alternate_stack_needs_its_own_bounds);
    tcase_add_test(compared, a_threads_stack_ends_at_its_start);
    tcase_add_test(compared, every_single_instruction_of_calls);
    tcase_add_test(own, memo_walks_equal_full_walks_whatever_changes);
    tcase_add_test(own, a_copied_stack_is_walked_from_afar);
    tcase_add_test(own, wild_registers_end_the_walk_at_once);
    tcase_add_test(own, a_copy_keeps_leaf_and_root_and_says_what_it_cut);
    tcase_add_test(own, a_snapshot_lives_as_long_as_a_thread_is_inside);
    tcase_add_test(own, overlapping_modules_leave_a_searchable_set);
    tcase_add_test(own, publishing_under_two_walking_threads);
    Suite *suite = suite_create("walk");
    suite_add_tcase(suite, compared);
    suite_add_tcase(suite, own);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
