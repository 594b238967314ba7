#include "sink/file_name.h"

#include <string.h>

#include "sys/fmt.h"
#include "sys/utc.h"

static int is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && memchr("._@-", c, 4));
}

void file_name_component(const char *text, char *out)
{
    size_t n = 0;
    if (!text || !*text) text = "unknown_service";
    for (; text[n] && n < FILE_NAME_COMPONENT_MAX - 1; n++) out[n] = is_plain(text[n]) ? text[n] : '_';
    out[n] = 0;
    if (!strcmp(out, ".") || !strcmp(out, "..")) out[0] = '_';
}

void file_name_time(int64_t unix_nanos, char *out)
{
    struct utc utc;
    utc_split(unix_nanos > 0 ? unix_nanos : 0, &utc);
    fmt_text(out, FILE_NAME_TIME_MAX, "%04d%02d%02dT%02d%02d%02d.%03dZ", utc.year, utc.month, utc.day,
             utc.hour, utc.minute, utc.second, utc.millisecond);
}
