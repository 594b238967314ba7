/*
 * What one stack costs: a walk through the tables without the PC cache, with it, with the memo, and libunwind
 * beside them. Warm: the same walk again and again. Cold: between two walks 8 MiB of other memory are read,
 * so that tables, memo and stack come from beyond the second-level cache, as in a handler that runs 100 times
 * a second.
 */
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>

#include "sys/heap.h"
#include "unwind/walk.h"
#include "unwind_elf.h"

enum { MODULES = 128, ROUNDS = 3000, COLD_ROUNDS = 400, COLD_BYTES = 8 << 20 };

static struct {
    struct unwind_module modules[MODULES];
    struct unwind_bounds bounds;
    struct unwind_memo *memo;
    uint64_t times[ROUNDS];
    volatile char *pollution;
    volatile char sum;
} bench;

static uint64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void publish(void)
{
    static struct elf_module loaded[MODULES];
    int n = elf_loaded(loaded, MODULES);
    for (int i = 0; i < n; i++) {
        bench.modules[i] = (struct unwind_module){loaded[i].source.start, loaded[i].source.limit, NULL};
        if (cfi_build(&loaded[i].source, &bench.modules[i].cfi)) exit(1);
    }
    if (tables_publish(bench.modules, (uint32_t)n)) exit(1);
}

static unsigned by_table(ucontext_t *context)
{
    memset(tables_current()->cache, 0,
           TABLES_CACHE_SLOTS * sizeof(uint64_t)); /* outside of the measured time */
    unwind_forget(bench.memo);
    return 0;
}

static unsigned forget(ucontext_t *context)
{
    unwind_forget(bench.memo);
    return 0;
}

static unsigned keep(ucontext_t *context)
{
    return 0;
}

static unsigned walk(ucontext_t *context)
{
    return unwind_walk(tables_current(), regs_from_ucontext(context), UNWIND_PC_EXACT, &bench.bounds,
                       bench.memo);
}

static unsigned walk_with_libunwind(ucontext_t *context)
{
    unw_cursor_t cursor;
    unw_word_t pc;
    unsigned n = 0;
    unw_init_local2(&cursor, context, UNW_INIT_SIGNAL_FRAME);
    do {
        unw_get_reg(&cursor, UNW_REG_IP, &pc);
        n++;
    } while (unw_step(&cursor) > 0);
    return n;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void pollute(void)
{
    for (size_t i = 0; i < COLD_BYTES; i += 64) bench.sum += bench.pollution[i];
}

static void measure(const char *name, unsigned (*prepare)(ucontext_t *), unsigned (*run)(ucontext_t *),
                    ucontext_t *context, int cold)
{
    int rounds = cold ? COLD_ROUNDS : ROUNDS;
    unsigned depth = 0;
    run(context);
    for (int i = 0; i < rounds; i++) {
        prepare(context);
        if (cold) pollute();
        uint64_t from = nanoseconds();
        depth = run(context);
        bench.times[i] = nanoseconds() - from;
    }
    qsort(bench.times, (size_t)rounds, sizeof bench.times[0], by_value);
    uint64_t median = bench.times[rounds / 2], p99 = bench.times[rounds * 99 / 100];
    printf("%-22s %-5s depth %3u  median %7lu ns  p99 %7lu ns  %6.1f ns/frame\n", name,
           cold ? "cold" : "warm", depth, median, p99, (double)median / depth);
}

static void at_the_leaf(void)
{
    ucontext_t context;
    getcontext(&context);
    for (int cold = 0; cold < 2; cold++) {
        measure("table", by_table, walk, &context, cold);
        measure("table + PC cache", forget, walk, &context, cold);
        measure("table + cache + memo", keep, walk, &context, cold);
        measure("libunwind unw_step", keep, walk_with_libunwind, &context, cold);
    }
}

/* As many functions as levels, each with a frame of its own: in real stacks hardly a pc occurs twice. */
#define LEVEL(n, next)                                                                                       \
    static __attribute__((noinline)) void level_##n(unsigned depth)                                          \
    {                                                                                                        \
        volatile char local[8 + n * 8];                                                                      \
        local[depth % 8] = 1;                                                                                \
        if (depth == 0)                                                                                      \
            at_the_leaf();                                                                                   \
        else                                                                                                 \
            next(depth - 1);                                                                                 \
        bench.sum += local[depth % 8];                                                                       \
    }
#define FOUR_LEVELS(a, b, c, d, next)                                                                        \
    LEVEL(d, next) LEVEL(c, level_##d) LEVEL(b, level_##c) LEVEL(a, level_##b)

static void none(unsigned depth) {}
FOUR_LEVELS(44, 45, 46, 47, none)
FOUR_LEVELS(40, 41, 42, 43, level_44)
FOUR_LEVELS(36, 37, 38, 39, level_40)
FOUR_LEVELS(32, 33, 34, 35, level_36)
FOUR_LEVELS(28, 29, 30, 31, level_32)
FOUR_LEVELS(24, 25, 26, 27, level_28)
FOUR_LEVELS(20, 21, 22, 23, level_24)
FOUR_LEVELS(16, 17, 18, 19, level_20)
FOUR_LEVELS(12, 13, 14, 15, level_16)
FOUR_LEVELS(8, 9, 10, 11, level_12)
FOUR_LEVELS(4, 5, 6, 7, level_8)
FOUR_LEVELS(0, 1, 2, 3, level_4)

int main(int argc, char **argv)
{
    pthread_attr_t attr;
    void *low;
    size_t size;
    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getstack(&attr, &low, &size);
    bench.bounds = (struct unwind_bounds){.lo = (uintptr_t)low, .hi = (uintptr_t)low + size};
    bench.memo = heap_map(sizeof *bench.memo);
    bench.pollution = heap_map(COLD_BYTES);
    memset((char *)bench.pollution, 1, COLD_BYTES);
    uint64_t from = nanoseconds();
    publish();
    printf("tables of %u modules built in %.1f ms\n", tables_current()->count,
           (double)(nanoseconds() - from) / 1e6);
    struct elf_module node;
    struct cfi_table *t;
    if (argc > 1 && elf_load_file(argv[1], &node)) {
        from = nanoseconds();
        if (cfi_build(&node.source, &t)) return 1;
        printf("%s: %u rows, %zu KB, %.1f ms, %u rules in all\n", argv[1], t->row_count, cfi_bytes(t) / 1024,
               (double)(nanoseconds() - from) / 1e6, rule_count());
        cfi_free(t);
    }
    level_0(14);
    level_0(44);
    return 0;
}
