/* shares_exceptions CPU_MILLIS: as shares.c on one thread, where each slice ends by an exception that crosses
 * four frames with destructors. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

extern "C" {
#include "burn.h"
}

#define NOIPA __attribute__((noipa))

static int64_t used[4];
static int destroyed;

struct guard {
    std::string text = "a string that is too long for the small-string buffer";
    ~guard() { destroyed++; }
};

#define BURNER(percent)                                                                                      \
    extern "C" NOIPA void burn_##percent(int64_t nanos)                                                      \
    {                                                                                                        \
        guard g;                                                                                             \
        used[percent / 10 - 1] += burn(nanos);                                                               \
        throw std::runtime_error(g.text);                                                                    \
    }

BURNER(10)
BURNER(20)
BURNER(30)
BURNER(40)

NOIPA static void deeper(void (*function)(int64_t), int64_t nanos, int levels)
{
    guard g;
    if (levels)
        deeper(function, nanos, levels - 1);
    else
        function(nanos);
    destroyed--;
}

int main(int argc, char **argv)
{
    static void (*const functions[4])(int64_t) = {burn_10, burn_20, burn_30, burn_40};
    int64_t begin = process_cpu(), end = thread_cpu() + atoi(argv[1]) * MILLIS;
    uint64_t seed = 88172645463325252ULL;
    int caught = 0;
    while (thread_cpu() < end) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        int i = seed >> 62;
        int64_t unit = 300000 + (int64_t)(seed >> 20) % 300000;
        try {
            deeper(functions[i], unit * (i + 1), 3);
        } catch (const std::exception &e) {
            caught++;
        }
    }
    std::printf("caught %d\n", caught);
    for (int i = 0; i < 4; i++) std::printf("function burn_%d %lld\n", (i + 1) * 10, (long long)used[i]);
    print_used(begin);
    return argc - 2;
}
