/* A dynamic program without a libc, as Go makes them with -buildmode=pie: the loader brings in what is
 * preloaded, and the libc that that one needs, which nobody starts. Writes a line and ends with 7. */
#include "sys/rawcall.h"

void _start(void);

void _start(void)
{
    static const char line[] = "no libc\n";
    sys_call3(SYS_write, 1, (long)line, sizeof line - 1);
    sys_call3(SYS_exit_group, 7, 0, 0);
    __builtin_unreachable();
}
