#include "sys/credentials.h"

#include <errno.h>
#include <string.h>

#include "sys/file.h"
#include "sys/rawcall.h"

enum { MAX_GROUPS = 256 };

/* Up to |limit| numbers of the line that begins with |key|, as /proc/PID/status writes them; the count. */
static int numbers_of(const char *status, const char *key, unsigned *values, int limit)
{
    const char *line = strstr(status, key);
    int count = 0;
    if (!line) return 0;
    for (const char *at = line + strlen(key); *at && *at != '\n' && count < limit;) {
        while (*at == ' ' || *at == '\t') at++;
        if (*at < '0' || *at > '9') break;
        unsigned n = 0;
        while (*at >= '0' && *at <= '9') n = n * 10 + (unsigned)(*at++ - '0');
        values[count++] = n;
    }
    return count;
}

int credentials_follow_main(void)
{
    char status[8192];
    unsigned uid[4], gid[4], own_uid[3], own_gid[3], groups[MAX_GROUPS];
    int64_t n = file_read_small("/proc/self/status", status, sizeof status);
    if (n <= 0) return n ? (int)n : -EIO;
    if (numbers_of(status, "\nUid:", uid, 4) != 4 || numbers_of(status, "\nGid:", gid, 4) != 4)
        return -EINVAL;
    sys_call3(SYS_getresuid, &own_uid[0], &own_uid[1], &own_uid[2]);
    sys_call3(SYS_getresgid, &own_gid[0], &own_gid[1], &own_gid[2]);
    if (!memcmp(uid, own_uid, sizeof own_uid) && !memcmp(gid, own_gid, sizeof own_gid)) return 0;
    int group_count = numbers_of(status, "\nGroups:", groups, MAX_GROUPS);
    sys_call2(SYS_setgroups, group_count, groups);
    sys_call3(SYS_setresgid, gid[0], gid[1], gid[2]);
    int rc = (int)sys_call3(SYS_setresuid, uid[0], uid[1], uid[2]);
    return rc ? rc : 1;
}
