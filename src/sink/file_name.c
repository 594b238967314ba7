#include "sink/file_name.h"

#include <string.h>

#include "sys/fmt.h"

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

/* Year, month and day of a day number since 1970-01-01: H. Hinnant, "chrono-Compatible Low-Level Date
 * Algorithms", civil_from_days. Years begin in March, so that the leap day is the last one. */
static void civil_from_days(int64_t days, int *year, int *month, int *day)
{
    days += 719468; /* 0000-03-01 to 1970-01-01 */
    int64_t era = days / 146097, of_era = days % 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t from_march = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * from_march + 2) / 5 + 1);
    *month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
    *year = (int)(year_of_era + era * 400 + (*month <= 2));
}

void file_name_time(int64_t unix_nanos, char *out)
{
    int64_t millis = unix_nanos > 0 ? unix_nanos / 1000000 : 0;
    int64_t seconds = millis / 1000;
    int year, month, day, rest = (int)(seconds % 86400);
    civil_from_days(seconds / 86400, &year, &month, &day);
    fmt_text(out, FILE_NAME_TIME_MAX, "%04d%02d%02dT%02d%02d%02d.%03dZ", year, month, day, rest / 3600,
             rest / 60 % 60, rest % 60, (int)(millis % 1000));
}
