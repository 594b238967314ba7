/* burners THREADS MILLIS [thread stack bytes]: threads that burn MILLIS of CPU each, with stacks of the
 * smallest size if the last is given. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

static int64_t nanos;

static __attribute__((noipa)) void *burner(void *argument)
{
    burn(nanos);
    return argument;
}

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    int threads = atoi(argv[1]);
    pthread_t *ids = calloc((size_t)threads, sizeof *ids);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    nanos = atoi(argv[2]) * MILLIS;
    if (argc > 3) pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN);
    int made = 0;
    for (; made < threads; made++) {
        int rc = pthread_create(&ids[made], &attributes, burner, NULL);
        if (rc) {
            printf("pthread_create: %s\n", strerror(rc));
            break;
        }
    }
    if (!threads) burner(NULL);
    for (int i = 0; i < made; i++) pthread_join(ids[i], NULL);
    printf("threads %d\n", made);
    print_used(begin);
    free(ids);
    return 0;
}
