/* plugins MILLIS FILE...: loads each file in turn, lets its plugin_run burn MILLIS, unloads it. Prints where
 * it was and what it used. */
#include <dlfcn.h>
#include <stdlib.h>

#include "burn.h"

static __attribute__((noipa)) int run_plugin(const char *path, int64_t nanos)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return 1;
    int64_t (*run)(int64_t) = (int64_t(*)(int64_t))dlsym(library, "plugin_run");
    int64_t used = run(nanos);
    printf("plugin %s %p %lld\n", path, (void *)(uintptr_t)run, (long long)used);
    return dlclose(library);
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    for (int i = 2; i < argc; i++)
        if (run_plugin(argv[i], atoi(argv[1]) * MILLIS)) return 1;
    print_used(begin);
    return 0;
}
