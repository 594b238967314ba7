#include "sys/process.h"

#include <errno.h>
#include <string.h>

#include "sys/clock.h"
#include "sys/file.h"

enum { TICKS_PER_SECOND = 100, FIELD_AFTER_COMMAND = 3, FIELD_STARTTIME = 22, STAT_LINE_BYTES = 1024 };

int64_t process_start_ticks(const char *stat_line)
{
    const char *at = strrchr(stat_line, ')');
    if (!at) return -EINVAL;
    for (int field = FIELD_AFTER_COMMAND; field <= FIELD_STARTTIME; field++) {
        at = strchr(at, ' ');
        if (!at) return -EINVAL;
        at++;
    }
    int64_t ticks = 0;
    if (*at < '0' || *at > '9') return -EINVAL;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(ticks, (int64_t)10, &ticks) ||
            __builtin_add_overflow(ticks, (int64_t)(*at - '0'), &ticks))
            return -EINVAL;
    return ticks;
}

int64_t process_start_realtime(void)
{
    char line[STAT_LINE_BYTES];
    int64_t rc = file_read_small("/proc/self/stat", line, sizeof line);
    if (rc < 0) return rc;
    int64_t since_boot, ticks = process_start_ticks(line);
    if (ticks < 0) return ticks;
    if (__builtin_mul_overflow(ticks, NANOS_PER_SECOND / TICKS_PER_SECOND, &since_boot)) return -EINVAL;
    int64_t boot_clock = clock_read(CLOCK_BOOTTIME);
    return boot_clock < 0 ? boot_clock : clock_realtime() - boot_clock + since_boot;
}
