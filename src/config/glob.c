#include "config/glob.h"

/* Only the last star needs to be tried again: an earlier one that took more would leave less for it. */
int glob_match(const char *glob, size_t len, const char *text)
{
    size_t g = 0, after_star = 0;
    const char *retry = NULL; /* what the last star has not taken yet */
    while (*text) {
        if (g < len && glob[g] == '*') {
            after_star = ++g;
            retry = text;
        } else if (g < len && (glob[g] == '?' || glob[g] == *text)) {
            g++;
            text++;
        } else if (retry) {
            g = after_star;
            text = ++retry;
        } else {
            return 0;
        }
    }
    while (g < len && glob[g] == '*') g++;
    return g == len;
}
