#include <check.h>
#include <stdlib.h>
#include <time.h>

#include "sys/utc.h"

static void expect_as_gmtime(time_t seconds, int millisecond)
{
    struct tm tm;
    struct utc utc;
    gmtime_r(&seconds, &tm);
    utc_split((int64_t)seconds * 1000000000 + millisecond * 1000000 + 999999, &utc);
    int same = utc.year == tm.tm_year + 1900 && utc.month == tm.tm_mon + 1 && utc.day == tm.tm_mday &&
               utc.hour == tm.tm_hour && utc.minute == tm.tm_min && utc.second == tm.tm_sec &&
               utc.millisecond == millisecond;
    if (!same) ck_abort_msg("%lld: %d-%d-%d", (long long)seconds, utc.year, utc.month, utc.day);
}

START_TEST(dates_are_those_of_gmtime)
{
    /* All days that 64 bits of nanoseconds reach: 1677 to 2262. */
    for (time_t day = -106000; day < 106000; day++)
        for (int part = 0; part < 3; part++) expect_as_gmtime(day * 86400 + part * 43199, part * 499);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("utc");
    TCase *all = tcase_create("all");
    tcase_add_test(all, dates_are_those_of_gmtime);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
