/* soak_loader MILLIS PLUGIN: eight threads that load and unload PLUGIN, allocate and free, throw and catch,
 * for MILLIS. What an unwinder that takes the loader's or the allocator's lock in a handler hangs in. */
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
#include "burn.h"
}

static int64_t deadline;
static const char *plugin;
static std::atomic<long> loads, throws, allocations, failures;

static __attribute__((noipa)) void thrower(int depth)
{
    std::string text(40, 'x');
    if (!depth) throw std::runtime_error(text);
    thrower(depth - 1);
    throws += 0;
}

static void load(void)
{
    void *library = dlopen(plugin, RTLD_NOW);
    int64_t (*run)(int64_t) = library ? (int64_t(*)(int64_t))dlsym(library, "plugin_run") : nullptr;
    if (run)
        run(20000), loads++;
    else
        failures++;
    if (library) dlclose(library);
}

static void allocate(unsigned *seed)
{
    std::vector<char *> blocks;
    for (int i = 0; i < 60; i++) {
        size_t size = (size_t)rand_r(seed) % (i % 20 ? 2000 : 300000) + 1;
        blocks.push_back((char *)malloc(size));
        memset(blocks.back(), i, size < 4096 ? size : 4096);
    }
    for (char *block : blocks) free(block);
    allocations += 60;
}

static void *worker(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    while (clock_nanos(CLOCK_MONOTONIC) < deadline) {
        try {
            thrower(6);
        } catch (const std::exception &e) {
            throws++;
        }
        allocate(&seed);
        load();
    }
    return nullptr;
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    pthread_t ids[8];
    deadline = clock_nanos(CLOCK_MONOTONIC) + atoi(argv[1]) * MILLIS;
    plugin = argv[2];
    for (uintptr_t i = 0; i < 8; i++) pthread_create(&ids[i], nullptr, worker, (void *)(i + 1));
    for (pthread_t id : ids) pthread_join(id, nullptr);
    std::printf("counts %ld %ld %ld failures %ld\n", loads.load(), throws.load(), allocations.load(),
                failures.load());
    print_used(begin);
    return argc - 3;
}
