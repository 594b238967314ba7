/* deep FRAMES: main -> root_1 -> ... -> root_24 -> recurse x FRAMES -> deep_leaf, which burns. Besides, every
 * 20 ms the whole way down is gone anew, so that no two stacks share addresses by chance. */
#include <stdlib.h>

#include "burn.h"

#define NOIPA __attribute__((noipa))

/* Something left to do after the call, lest the compiler makes it a jump or the recursion a loop. */
#define AFTER(call)                                                                                          \
    int64_t result = (call);                                                                                 \
    __asm__ volatile("" : "+r"(result)::"memory");                                                           \
    return result

static NOIPA int64_t deep_leaf(void)
{
    AFTER(burn(20 * MILLIS));
}

static NOIPA int64_t recurse(int frames)
{
    AFTER(frames > 1 ? recurse(frames - 1) : deep_leaf());
}

static NOIPA int64_t root_24(int frames)
{
    AFTER(recurse(frames));
}

#define ROOT(number, next)                                                                                   \
    static NOIPA int64_t root_##number(int frames)                                                           \
    {                                                                                                        \
        AFTER(root_##next(frames));                                                                          \
    }

ROOT(23, 24)
ROOT(22, 23)
ROOT(21, 22)
ROOT(20, 21)
ROOT(19, 20)
ROOT(18, 19)
ROOT(17, 18)
ROOT(16, 17)
ROOT(15, 16)
ROOT(14, 15)
ROOT(13, 14)
ROOT(12, 13)
ROOT(11, 12)
ROOT(10, 11)
ROOT(9, 10)
ROOT(8, 9)
ROOT(7, 8)
ROOT(6, 7)
ROOT(5, 6)
ROOT(4, 5)
ROOT(3, 4)
ROOT(2, 3)
ROOT(1, 2)

int main(int argc, char **argv)
{
    int64_t begin = process_cpu(), end = thread_cpu() + SECONDS;
    while (thread_cpu() < end) root_1(atoi(argv[1]));
    print_used(begin);
    return argc - 2;
}
