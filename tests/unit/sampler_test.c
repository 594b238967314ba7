/* Timers that are there, that are not needed, and that the kernel refuses. */
#include "sample/sampler.h"

#include <check.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct sampler_options options = {.interval_nanos = 1000000, .max_depth = 64};

static void *tell_id(void *argument)
{
    *(int *)argument = gettid();
    return NULL;
}

static int ended_thread(void)
{
    pthread_t thread;
    int tid = 0;
    ck_assert_int_eq(pthread_create(&thread, NULL, tell_id, &tid), 0);
    pthread_join(thread, NULL);
    return tid;
}

static void begin(void)
{
    ck_assert_int_eq(registry_init(), 0);
    ck_assert_int_eq(sampler_install(&options), 0);
}

START_TEST(a_thread_that_has_ended_is_no_timer_refused)
{
    begin();
    struct thread *thread = registry_claim(0);
    ck_assert_int_eq(sampler_arm(thread, ended_thread()), 0);
    ck_assert_int_lt(thread->timer, 0);
    ck_assert_uint_eq(sampler.timer_failures, 0);
    ck_assert_int_lt(sampler.process_timer, 0);
}
END_TEST

static void *live(void *argument)
{
    __atomic_store_n((int *)argument, gettid(), __ATOMIC_RELEASE);
    pause();
    return argument;
}

static int live_thread(void)
{
    static int tid;
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, live, &tid), 0);
    while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE)) usleep(1000);
    return tid;
}

START_TEST(a_limit_that_is_met_later_still_ends_the_timers_of_threads)
{
    begin();
    struct rlimit none = {0};
    struct thread *armed = registry_claim(0);
    ck_assert_int_eq(sampler_arm(armed, live_thread()), 0);
    ck_assert_int_ge(armed->timer, 0);
    ck_assert_int_eq(sampler_arm(registry_claim(0), ended_thread()), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_SIGPENDING, &none), 0);
    ck_assert_int_eq(sampler_arm(registry_claim(0), gettid()), 0);
    ck_assert_uint_eq(sampler.timer_failures, 1);
    ck_assert_int_lt(armed->timer, 0); /* for one of the process, which this limit refuses as well */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sampler");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_thread_that_has_ended_is_no_timer_refused);
    tcase_add_test(all, a_limit_that_is_met_later_still_ends_the_timers_of_threads);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
