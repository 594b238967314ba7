/* Threads from their first to their last instruction: how slots are filled and closed. */
#ifndef OTELPROF_SAMPLE_THREADS_H
#define OTELPROF_SAMPLE_THREADS_H

#include "sample/registry.h"

/* The creator's part: a slot that carries |start| and |argument|, or NULL when there is none (the thread runs
 * unsampled). */
struct thread *threads_prepare(void *(*start)(void *), void *argument);

/* pthread_create failed after all. */
void threads_cancel(struct thread *thread);

/*
 * The new thread's part, before the application's start routine: |stack_high| is an address above all its
 * frames in the same mapping (libc's thread descriptor), |stack_root| one that is above those of the start
 * routine and below those of its caller. Arms its timer, unless the thread was born with our signal blocked.
 */
void threads_begin(struct thread *thread, uintptr_t stack_high, uintptr_t stack_root);

/* The thread's last act: its timer goes, its CPU time is final. */
void threads_finish(struct thread *thread);

/* The main thread, from the constructor: |start_routine| is the program's entry point, |stack_root| an
 * address in a constructor's frame: main's caller is above it. NULL without memory.
 */
struct thread *threads_adopt_main(uintptr_t start_routine, uintptr_t stack_high, uintptr_t stack_root);

/*
 * Background thread: finds threads that were not made by pthread_create (raw clone) or that ended without
 * telling, by /proc/self/task; cheap while the link count of that directory says that nothing changed.
 * |own_tid| is left out. |thorough|: look even then. The number of those that the
 * next call will sample if they are still there.
 */
int threads_discover(int own_tid, int thorough);

/* Background thread, where a window ends: what such threads have used until now is in it as nobody's. */
void threads_settle_strangers(void);

/*
 * Background thread, about once a second: a thread that used CPU but had no tick since the last call is
 * looked at; if it blocks our signal its timer goes (else sigwait of all signals would return ours), and
 * comes back when it does not.
 */
void threads_check_masks(void);

/* The name of |thread| as it is now into thread->name; empty when it cannot be read. Background thread. */
void threads_read_name(struct thread *thread);

#endif
