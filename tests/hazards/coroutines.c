/* coroutines WHERE: forty coroutines (makecontext) with stacks from malloc, or from mmap with a guard page
 * below, that take turns of 3 ms; 2 s of CPU. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "burn.h"

enum { COROUTINES = 40, STACK_BYTES = 64 * 1024, GUARD_BYTES = 4096 };

static ucontext_t scheduler, coroutines[COROUTINES];

static __attribute__((noipa)) int64_t coroutine_burn(void)
{
    return burn(3 * MILLIS) + 0;
}

static void coroutine(int number)
{
    for (;;) {
        coroutine_burn();
        swapcontext(&coroutines[number], &scheduler);
    }
}

static char *new_stack(const char *where)
{
    if (!strcmp(where, "malloc")) return malloc(STACK_BYTES);
    char *low =
        mmap(NULL, STACK_BYTES + GUARD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(low, GUARD_BYTES, PROT_NONE);
    return low + GUARD_BYTES;
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu(), end = thread_cpu() + 2 * SECONDS;
    for (int i = 0; i < COROUTINES; i++) {
        getcontext(&coroutines[i]);
        coroutines[i].uc_stack.ss_sp = new_stack(argv[1]);
        coroutines[i].uc_stack.ss_size = STACK_BYTES;
        makecontext(&coroutines[i], (void (*)(void))coroutine, 1, i);
    }
    for (int i = 0; thread_cpu() < end; i = (i + 1) % COROUTINES) swapcontext(&scheduler, &coroutines[i]);
    print_used(begin);
    return argc - 2;
}
