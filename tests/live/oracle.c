/*
 * Preloaded beside nothing: a thousand times a second it interrupts the main thread of a live program and
 * walks the interrupted stack twice, with our walker (memo and all) and with libunwind, which is what we are
 * measured against. At exit it prints "oracle: compared N identical N shorter N different N" to stderr.
 */
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "symbol/module.h"
#include "sys/heap.h"
#include "unwind/tables.h"
#include "unwind/walk.h"

enum {
    SIGNAL = 51,
    MAX_FRAMES = 1000,
    SHOWN = 5,
    RED_ZONE = 128,
    REFRESH_MICROS = 50 * 1000,
    INTERVAL_NANOS = 1000 * 1000
};

static struct {
    struct modules modules;
    struct unwind_memo *memo;
    uint64_t epoch;
    uintptr_t stack_high;
    unsigned long compared, identical, shorter, different, incomplete;
    int refreshed; /* the tables know every module that was mapped at the last look */
    timer_t timer;
    struct {
        unsigned count[2];
        uintptr_t pc[2][MAX_FRAMES];
    } shown[SHOWN];
    uintptr_t theirs[MAX_FRAMES], ours[MAX_FRAMES];
} oracle;

static void publish(void)
{
    struct unwind_module list[1024];
    uint32_t count = 0;
    for (size_t i = 0; i < oracle.modules.live_count && count < 1024; i++) {
        struct module *m = oracle.modules.live[i];
        struct cfi_source source = {m->eh_frame_hdr, m->eh_frame_hdr_size, m->start, m->limit, NULL};
        struct cfi_table *table = m->unwind;
        if (!table && cfi_build(&source, &table) == 0) m->unwind = table;
        list[count++] = (struct unwind_module){m->start, m->limit, m->unwind};
    }
    tables_publish(list, count);
}

static void *refresh(void *argument)
{
    for (;;) {
        if (modules_refresh(&oracle.modules) > 0) publish();
        usleep(REFRESH_MICROS);
    }
    return argument;
}

static unsigned walk_theirs(ucontext_t *context)
{
    unw_cursor_t cursor;
    unsigned n = 0;
    if (unw_init_local2(&cursor, context, UNW_INIT_SIGNAL_FRAME)) return 0;
    do {
        unw_word_t pc;
        unw_get_reg(&cursor, UNW_REG_IP, &pc);
        if (!pc) break;
        oracle.theirs[n++] = pc;
    } while (n < MAX_FRAMES && unw_step(&cursor) > 0);
    return n;
}

static unsigned walk_ours(const ucontext_t *context)
{
    struct regs regs = regs_from_ucontext(context);
    struct unwind_bounds bounds = {.lo = regs.sp - RED_ZONE, .hi = oracle.stack_high};
    const struct unwind_tables *tables = tables_enter(&oracle.epoch);
    unwind_walk(tables, regs, UNWIND_PC_EXACT, &bounds, oracle.memo);
    unsigned n = oracle.memo->count < MAX_FRAMES ? oracle.memo->count : MAX_FRAMES;
    for (unsigned i = 0; i < n; i++) oracle.ours[i] = unwind_frame_at(oracle.memo, i)->pc & ~UNWIND_PC_FLAGS;
    tables_leave(&oracle.epoch);
    return n;
}

static void keep_example(unsigned long number, unsigned ours, unsigned theirs)
{
    unsigned long i = number - 1;
    if (i >= SHOWN) return;
    oracle.shown[i].count[0] = ours;
    oracle.shown[i].count[1] = theirs;
    memcpy(oracle.shown[i].pc[0], oracle.ours, ours * sizeof(uintptr_t));
    memcpy(oracle.shown[i].pc[1], oracle.theirs, theirs * sizeof(uintptr_t));
}

static void compare(int signo, siginfo_t *info, void *context)
{
    if (syscall(SYS_gettid) != getpid()) return;
    unsigned ours = walk_ours(context), theirs = walk_theirs(context), same = 0;
    if (!theirs) return;
    oracle.compared++;
    while (same < ours && same < theirs && oracle.ours[same] == oracle.theirs[same]) same++;
    if (same == ours && same == theirs) {
        oracle.identical++;
    } else if (same == ours && oracle.memo->end != UNWIND_END_COMPLETE) {
        oracle.shorter++; /* cut, and said to be cut */
        keep_example(oracle.shorter, ours, theirs);
    } else {
        oracle.different++;
        keep_example(oracle.different, ours, theirs);
    }
}

__attribute__((constructor)) static void begin(void)
{
    pthread_t thread;
    sigset_t all, old;
    oracle.memo = heap_map(sizeof *oracle.memo);
    oracle.stack_high = getauxval(AT_EXECFN) & ~(uintptr_t)15;
    modules_refresh(&oracle.modules);
    publish();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_create(&thread, NULL, refresh, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    unsetenv("LD_PRELOAD");
    struct sigaction action = {.sa_sigaction = compare, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&action.sa_mask);
    sigaction(SIGNAL, &action, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL};
    event._sigev_un._tid = getpid();
    struct itimerspec spec = {{0, INTERVAL_NANOS}, {0, INTERVAL_NANOS}};
    timer_create(CLOCK_MONOTONIC, &event, &oracle.timer);
    timer_settime(oracle.timer, 0, &spec, NULL);
}

__attribute__((destructor)) static void report(void)
{
    timer_delete(oracle.timer);
    signal(SIGNAL, SIG_IGN);
    for (unsigned i = 0; i < SHOWN && oracle.shown[i].count[1]; i++)
        for (int who = 0; who < 2; who++) {
            fprintf(stderr, "example %u %s:", i, who ? "libunwind" : "ours");
            for (unsigned k = 0; k < oracle.shown[i].count[who]; k++)
                fprintf(stderr, " %lx", (unsigned long)oracle.shown[i].pc[who][k]);
            fprintf(stderr, "\n");
        }
    fprintf(stderr, "oracle: compared %lu identical %lu shorter %lu different %lu\n", oracle.compared,
            oracle.identical, oracle.shorter, oracle.different);
}
