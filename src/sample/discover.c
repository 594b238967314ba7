/* Threads that nobody announced, and threads that ended unannounced: by /proc/self/task. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#include "sample/sampler.h"
#include "sample/threads.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/fmt.h"
#include "sys/heap.h"

enum { DIRENT_BYTES = 32 * 1024, TICKLESS_INTERVALS = 5, TICKLESS_NANOS = 40 * 1000 * 1000 };

/* struct linux_dirent64 (getdents64(2)). */
struct directory_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

struct tid_list {
    int *tids;
    size_t count, cap;
};

/* A thread that the last scan saw and that is in no slot. */
struct stranger {
    int tid;
    int64_t accounted_cpu; /* ns of its CPU clock that earlier windows hold, with no thread */
};

static struct {
    struct stranger *strangers;
    size_t count, cap;
    int own_tid;
} state;

static int number_of(const char *text)
{
    int n = 0;
    while (*text >= '0' && *text <= '9') n = n * 10 + (*text++ - '0');
    return *text ? 0 : n;
}

static void add_tid(struct tid_list *list, int tid)
{
    if (heap_grow(&list->tids, &list->cap, list->count + 1, sizeof *list->tids)) return;
    list->tids[list->count++] = tid;
}

static int has_tid(const struct tid_list *list, int tid)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->tids[i] == tid) return 1;
    return 0;
}

static int list_threads(struct tid_list *list)
{
    int fd = file_open("/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0) return fd;
    char *buffer = heap_alloc(DIRENT_BYTES);
    long n = 0;
    while (buffer && (n = sys_call3(SYS_getdents64, fd, buffer, DIRENT_BYTES)) > 0) {
        for (long at = 0; at < n;) {
            struct directory_entry *entry = (struct directory_entry *)(buffer + at);
            int tid = number_of(entry->name);
            if (tid > 0) add_tid(list, tid);
            at += entry->length;
        }
    }
    heap_free(buffer);
    sys_close(fd);
    return n < 0 ? (int)n : 0;
}

static void end_if_gone(struct thread *thread, void *context)
{
    if (thread->state != THREAD_LIVE || has_tid(context, thread->tid)) return;
    sampler_disarm(thread);
    registry_end(thread, -1);
}

static struct stranger *find_stranger(int tid)
{
    for (size_t i = 0; i < state.count; i++)
        if (state.strangers[i].tid == tid) return &state.strangers[i];
    return NULL;
}

/* False if there is no slot for it. */
static int adopt(const struct stranger *stranger)
{
    struct thread *thread = registry_claim(stranger->tid);
    if (!thread) return 0;
    int64_t cpu = clock_read(clock_of_thread(stranger->tid));
    if (cpu >= stranger->accounted_cpu)
        thread->accounted_cpu = stranger->accounted_cpu;              /* else its id is another's */
    if (sampler_arm(thread, stranger->tid)) registry_release(thread); /* it has announced itself meanwhile */
    return 1;
}

/* A thread in no slot in two scans running is nobody's: one that pthread_create has just made is announced
 * soon. How many are seen for the first time. */
static int adopt_strangers(const struct tid_list *all)
{
    struct stranger *left = NULL;
    size_t count = 0, cap = 0;
    int fresh = 0;
    for (size_t i = 0; i < all->count; i++) {
        int tid = all->tids[i];
        if (tid == state.own_tid || registry_find(tid)) continue;
        const struct stranger *known = find_stranger(tid);
        if (known && adopt(known)) continue;
        if (heap_grow(&left, &cap, count + 1, sizeof *left)) break;
        left[count++] = known ? *known : (struct stranger){.tid = tid};
        fresh += !known;
    }
    heap_free(state.strangers);
    state.strangers = left;
    state.count = count;
    state.cap = cap;
    return fresh;
}

int threads_discover(int own_tid, int thorough)
{
    struct stat st;
    int fresh = 0;
    state.own_tid = own_tid;
    if (file_stat("/proc/self/task", &st, 0)) return 0;
    /* The directory has a link for each thread and two of its own; ours is in no slot. */
    int changed = (int)st.st_nlink - 2 != (int)registry_count() + 1;
    if (!changed && !thorough && !state.count) return 0;
    struct tid_list all = {0};
    if (list_threads(&all) == 0 && all.count) {
        registry_each(end_if_gone, &all);
        fresh = adopt_strangers(&all);
    }
    heap_free(all.tids);
    return fresh;
}

void threads_settle_strangers(void)
{
    for (size_t i = 0; i < state.count; i++) {
        int64_t cpu = clock_read(clock_of_thread(state.strangers[i].tid));
        if (cpu > 0) state.strangers[i].accounted_cpu = cpu;
    }
}

/* SigBlk of /proc/PID/status: a hexadecimal mask. */
static int blocks_signal(int tid, int signo)
{
    char path[64], text[4096];
    fmt_text(path, sizeof path, "/proc/self/task/%d/status", tid);
    if (file_read_small(path, text, sizeof text) <= 0) return 0;
    const char *line = strstr(text, "\nSigBlk:\t");
    if (!line) return 0;
    uint64_t mask = 0;
    for (line += 9; *line && *line != '\n'; line++)
        mask = mask << 4 | (uint64_t)(*line <= '9' ? *line - '0' : *line - 'a' + 10);
    return (mask & sigmask_bit(signo)) != 0;
}

/* True if |thread| used enough CPU since its last tick that one was due for certain: ticks come at the
 * kernel's own. */
static int is_silent(struct thread *thread, int64_t cpu)
{
    int64_t due = TICKLESS_INTERVALS * sampler.interval;
    if (due < TICKLESS_NANOS) due = TICKLESS_NANOS;
    if (thread->ticks == thread->checked_ticks) return cpu - thread->checked_cpu > due;
    thread->checked_ticks = thread->ticks;
    thread->checked_cpu = cpu;
    return 0;
}

/* libc blocks all signals for moments: only a mask that is seen twice is the program's. */
static void check_mask(struct thread *thread, void *context)
{
    if (thread->state != THREAD_LIVE || thread->small_stack) return;
    int64_t cpu = clock_read(clock_of_thread(thread->tid));
    if (!is_silent(thread, cpu)) return;
    thread->checked_cpu = cpu;
    int blocked = blocks_signal(thread->tid, sampler.signo);
    thread->blocked_looks = blocked ? thread->blocked_looks + 1 : 0;
    if (blocked && !thread->signal_blocked && thread->blocked_looks >= 2) {
        sampler_disarm(thread);
        thread->signal_blocked = 1;
        sampler.blocked++;
    } else if (!blocked && thread->signal_blocked) {
        thread->signal_blocked = 0;
        sampler_arm(thread, thread->tid);
    }
}

void threads_check_masks(void)
{
    registry_each(check_mask, NULL);
}
