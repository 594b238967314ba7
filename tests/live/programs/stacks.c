/* Recursion of random depth through callbacks, libc and alloca on the main thread, for N milliseconds. */
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned sink;
static unsigned state = 12345;

static unsigned next_random(void)
{
    return state = state * 1103515245u + 12345u;
}

static int compare(const void *a, const void *b)
{
    sink += *(const unsigned *)a;
    return memcmp(a, b, sizeof(unsigned));
}

__attribute__((noinline)) static unsigned leaf(unsigned n)
{
    unsigned values[64];
    for (unsigned i = 0; i < 64; i++) values[i] = next_random() + n;
    qsort(values, 64, sizeof *values, compare);
    return values[0];
}

__attribute__((noinline)) static unsigned format(unsigned n)
{
    char text[64];
    snprintf(text, sizeof text, "%u-%08x-%s", n, n * 7, "text");
    return (unsigned)strlen(text) + leaf(n);
}

__attribute__((noinline)) static unsigned recurse(unsigned depth)
{
    char *block = alloca(depth % 7 * 16 + 16);
    memset(block, (int)depth, 16);
    unsigned result = depth ? recurse(depth - 1) + (unsigned)block[3] : format(next_random());
    return result + (next_random() % 16 == 0 ? leaf(depth) : 0);
}

int main(int argc, char **argv)
{
    long until = atol(argv[argc - 1]) * (CLOCKS_PER_SEC / 1000);
    while (clock() < until) sink += recurse(next_random() >> 16 & 63);
    return 0;
}
