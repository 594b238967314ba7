#include "sys/utc.h"

#include "sys/clock.h"

enum { SECONDS_PER_DAY = 86400, DAYS_TO_1970 = 719468, DAYS_PER_ERA = 146097 /* 400 years from March 1st */ };

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static void split_days(int64_t days, struct utc *utc)
{
    days += DAYS_TO_1970;
    int64_t era = floor_divide(days, DAYS_PER_ERA);
    int64_t day_of_era = days - era * DAYS_PER_ERA;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    utc->day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
    utc->month = (int)(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
    utc->year = (int)(year_of_era + era * 400 + (utc->month <= 2));
}

void utc_split(int64_t nanos, struct utc *utc)
{
    int64_t seconds = floor_divide(nanos, NANOS_PER_SECOND);
    int64_t days = floor_divide(seconds, SECONDS_PER_DAY);
    int of_day = (int)(seconds - days * SECONDS_PER_DAY);
    split_days(days, utc);
    utc->hour = of_day / 3600;
    utc->minute = of_day / 60 % 60;
    utc->second = of_day % 60;
    utc->millisecond = (int)((nanos - seconds * NANOS_PER_SECOND) / 1000000);
}

/* Hinnant's days_from_civil. */
static int64_t join_days(const struct utc *utc)
{
    int64_t year = utc->year - (utc->month <= 2), era = floor_divide(year, 400);
    int64_t year_of_era = year - era * 400;
    int month_from_march = utc->month > 2 ? utc->month - 3 : utc->month + 9;
    int64_t day_of_year = (153 * month_from_march + 2) / 5 + utc->day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * DAYS_PER_ERA + day_of_era - DAYS_TO_1970;
}

int64_t utc_seconds(const struct utc *utc)
{
    return join_days(utc) * SECONDS_PER_DAY + utc->hour * 3600 + utc->minute * 60 + utc->second;
}
