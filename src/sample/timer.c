#include "sample/timer.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "sys/clock.h"
#include "sys/rawcall.h"

static int start(int clock, struct sigevent *event, int64_t first, int64_t interval)
{
    int id = -1;
    int rc = (int)sys_call3(SYS_timer_create, clock, event, &id);
    if (rc) return rc;
    struct itimerspec spec = {.it_value = {first / NANOS_PER_SECOND, first % NANOS_PER_SECOND},
                              .it_interval = {interval / NANOS_PER_SECOND, interval % NANOS_PER_SECOND}};
    rc = (int)sys_call4(SYS_timer_settime, id, 0, &spec, 0);
    if (!rc) return id;
    timer_stop(id);
    return rc;
}

int timer_start_thread(int tid, int signo, void *cookie, int64_t first, int64_t interval)
{
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signo;
    event.sigev_value.sival_ptr = cookie;
    event._sigev_un._tid = tid;
    return start(clock_of_thread(tid), &event, first, interval);
}

int timer_start_process(int signo, void *cookie, int64_t interval)
{
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = signo;
    event.sigev_value.sival_ptr = cookie;
    return start(CLOCK_PROCESS_CPUTIME_ID, &event, interval, interval);
}

void timer_stop(int id)
{
    sys_call1(SYS_timer_delete, id);
}
