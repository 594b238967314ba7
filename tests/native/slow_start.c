/* A library whose pthread_create lets half a second and more pass before the new thread's first function: as
 * on a machine that is overloaded, where the thread is long in the process before it can be told of. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { DELAY_MICROS = 700 * 1000 };

struct call {
    void *(*start)(void *);
    void *argument;
};

static void *begin_late(void *argument)
{
    struct call call = *(struct call *)argument;
    free(argument);
    usleep(DELAY_MICROS);
    return call.start(call.argument);
}

int pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT,
                                                                                       "pthread_create");
    struct call *call = malloc(sizeof *call);
    *call = (struct call){start, argument};
    return next(id, attributes, begin_late, call);
}
