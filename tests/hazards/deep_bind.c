/* deep_bind PLUGIN: opens the plugin so that its own names and libc's come before ours (RTLD_DEEPBIND): its
 * threads, handlers and masks pass us by. Then the plugin's threads and main burn. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "burn.h"

static __attribute__((noipa)) void burn_in_main(void)
{
    burn(300 * MILLIS);
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND);
    int (*run)(void) = plugin ? (int (*)(void))dlsym(plugin, "run") : NULL;
    if (!run) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    burn_in_main();
    printf("plugin %d\n", run());
    dlclose(plugin);
    print_used(begin);
    return 0;
}
