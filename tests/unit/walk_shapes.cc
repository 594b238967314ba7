/*
 * The same shapes at three optimisation levels: each group of functions is a template over its level, with
 * attributes, so that one program has them all.
 */
#include "walk_shapes.h"

#include <alloca.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

typedef void (*probe_t)(void);

static volatile unsigned sink;

#define LEVEL_O0 __attribute__((noinline, optimize("O0")))
#define LEVEL_O2 __attribute__((noinline, optimize("O2,no-omit-frame-pointer")))
#define LEVEL_NOFP __attribute__((noinline, optimize("O2,omit-frame-pointer")))

static void burn(unsigned n)
{
    for (unsigned i = 0; i < n; i++) sink = sink * 5 + i;
}

/* Random recursion over three functions with different frames. */
#define CHAIN(level, attribute)                                                                              \
    attribute void chain_a_##level(unsigned seed, unsigned depth, probe_t probe);                            \
    attribute void chain_c_##level(unsigned seed, unsigned depth, probe_t probe)                             \
    {                                                                                                        \
        char local[200];                                                                                     \
        memset(local, (int)seed, sizeof local);                                                              \
        chain_a_##level(seed * 1103515245 + 12345, depth - 1, probe);                                        \
        sink = sink + (unsigned)local[seed % 200];                                                           \
    }                                                                                                        \
    attribute void chain_b_##level(unsigned seed, unsigned depth, probe_t probe)                             \
    {                                                                                                        \
        volatile unsigned a = seed, b = seed * 3, c = seed * 5, d = seed * 7;                                \
        chain_a_##level(seed * 1103515245 + 12345, depth - 1, probe);                                        \
        sink = sink + a + b + c + d;                                                                         \
    }                                                                                                        \
    attribute void chain_a_##level(unsigned seed, unsigned depth, probe_t probe)                             \
    {                                                                                                        \
        if (depth == 0) {                                                                                    \
            burn(300);                                                                                       \
            probe();                                                                                         \
        } else if (seed >> 16 & 1) {                                                                         \
            chain_b_##level(seed, depth, probe);                                                             \
        } else {                                                                                             \
            chain_c_##level(seed, depth, probe);                                                             \
        }                                                                                                    \
        sink = sink + seed;                                                                                  \
    }                                                                                                        \
    static void run_chain_##level(unsigned seed, probe_t probe)                                              \
    {                                                                                                        \
        chain_a_##level(seed, seed / 7 % 40, probe);                                                         \
    }                                                                                                        \
    attribute void vla_##level(unsigned seed, probe_t probe)                                                 \
    {                                                                                                        \
        unsigned n = seed % 500 + 1;                                                                         \
        char *room = (char *)alloca(n);                                                                      \
        memset(room, (int)seed, n);                                                                          \
        char array[n * 2];                                                                                   \
        memset(array, 1, n * 2);                                                                             \
        burn(100);                                                                                           \
        probe();                                                                                             \
        sink = sink + (unsigned)room[n - 1] + (unsigned)array[n];                                            \
    }                                                                                                        \
    attribute void aligned_##level(unsigned seed, probe_t probe)                                             \
    {                                                                                                        \
        alignas(64) char local[256];                                                                         \
        char *room = (char *)alloca(seed % 64 + 1);                                                          \
        memset(local, (int)seed, sizeof local);                                                              \
        memset(room, 1, seed % 64 + 1);                                                                      \
        burn(100);                                                                                           \
        probe();                                                                                             \
        sink = sink + (unsigned)local[seed % 256] + (unsigned)room[0];                                       \
    }                                                                                                        \
    [[noreturn]] attribute void leaves_##level(probe_t probe)                                                \
    {                                                                                                        \
        probe();                                                                                             \
        throw std::runtime_error("out");                                                                     \
    }                                                                                                        \
    attribute void never_returns_##level(unsigned seed, probe_t probe)                                       \
    {                                                                                                        \
        burn(seed % 50);                                                                                     \
        leaves_##level(probe); /* the call is the last instruction */                                        \
    }                                                                                                        \
    attribute void throw_##level(unsigned seed, probe_t probe)                                               \
    {                                                                                                        \
        try {                                                                                                \
            never_returns_##level(seed, probe);                                                              \
        } catch (const std::exception &e) {                                                                  \
            sink = sink + (unsigned)e.what()[0];                                                             \
            probe();                                                                                         \
        }                                                                                                    \
    }

CHAIN(o0, LEVEL_O0)
CHAIN(o2, LEVEL_O2)
CHAIN(nofp, LEVEL_NOFP)

static probe_t sort_probe;

static int order(const void *a, const void *b)
{
    if ((*(const int *)a ^ *(const int *)b) % 16 == 0) sort_probe();
    return *(const int *)a - *(const int *)b;
}

static void run_qsort(unsigned seed, probe_t probe)
{
    int values[64];
    for (int i = 0; i < 64; i++) values[i] = (int)((seed + (unsigned)i) * 2654435761u >> 8) % 1000;
    values[0] = values[1];
    sort_probe = probe;
    qsort(values, 64, sizeof values[0], order);
    sink = sink + (unsigned)values[0];
}

/* Through the PLT into libm and libc, whose assembly has no frame pointers. */
static void run_libc(unsigned seed, probe_t probe)
{
    char text[64], other[64];
    double x = std::sin((double)seed) + std::pow(1.5, seed % 9);
    memset(text, 'a' + (int)(seed % 3), sizeof text - 1);
    text[63] = 0;
    strcpy(other, text);
    free(malloc(seed % 3000 + 1));
    sink = sink + (unsigned)strtol("12345", nullptr, 10) + (unsigned)strlen(other) + (unsigned)x;
    probe();
}

extern "C" const struct walk_shape walk_shapes[] = {
    {"chain -O0", run_chain_o0, 1},
    {"chain -O2 fp", run_chain_o2, 1},
    {"chain -O2 no fp", run_chain_nofp, 1},
    {"alloca, VLA -O0", vla_o0, 1},
    {"alloca, VLA -O2", vla_o2, 1},
    {"alloca, VLA -O2 no fp", vla_nofp, 1},
    {"realigned -O0", aligned_o0, 0},
    {"realigned -O2", aligned_o2, 0},
    {"realigned -O2 no fp", aligned_nofp, 0},
    {"exceptions -O0", throw_o0, 0},
    {"exceptions -O2", throw_o2, 0},
    {"exceptions -O2 no fp", throw_nofp, 0},
    {"qsort callback", run_qsort, 0},
    {"libc by PLT", run_libc, 1},
    {nullptr, nullptr, 0},
};

__attribute__((noinline)) void walk_recurse(unsigned depth, probe_t probe)
{
    if (depth)
        walk_recurse(depth - 1, probe);
    else
        probe();
    sink = sink + depth;
}

__attribute__((noinline)) void walk_recurse_probing(unsigned depth, probe_t probe)
{
    if (depth) walk_recurse_probing(depth - 1, probe);
    probe();
    sink = sink + depth;
}
