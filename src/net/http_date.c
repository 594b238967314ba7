#include "net/http_date.h"

#include <string.h>

#include "config/values.h"
#include "sys/utc.h"

enum { LENGTH = 29 };

static int month_of(const char *name)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int i = 0; i < 12; i++)
        if (!memcmp(names + 3 * i, name, 3)) return i + 1;
    return 0;
}

int64_t http_date_parse(const char *text, size_t len)
{
    static const char form[] = "???, 00 ??? 0000 00:00:00 GMT";
    int64_t day, year, hour, minute, second;
    if (len != LENGTH) return -1;
    for (size_t i = 0; i < LENGTH; i++)
        if (form[i] != '?' && (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]))
            return -1;
    int month = month_of(text + 8);
    if (!month || value_number(text + 5, 2, &day) || value_number(text + 12, 4, &year) ||
        value_number(text + 17, 2, &hour) || value_number(text + 20, 2, &minute) ||
        value_number(text + 23, 2, &second))
        return -1;
    if (day < 1 || day > 31 || year < 1970 || hour > 23 || minute > 59 || second > 60) return -1;
    struct utc utc = {(int)year, month, (int)day, (int)hour, (int)minute, (int)second, 0};
    return utc_seconds(&utc);
}
