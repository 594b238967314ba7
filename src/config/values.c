#include "config/values.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "sys/utf8.h"

enum { SIGNAL_LAST = 64, RTMIN_NUMBER = 34 };

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int same_word(const char *word, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!word[i] || lower(word[i]) != lower(text[i])) return 0;
    return !word[len];
}

const char *value_trim(const char *text, size_t *len)
{
    while (*len && is_blank(*text)) {
        text++;
        (*len)--;
    }
    while (*len && is_blank(text[*len - 1])) (*len)--;
    return text;
}

int value_boolean(const char *text)
{
    static const struct value_word words[] = {{"true", 1}, {"false", 0}, {NULL, 0}};
    const struct value_word *word = value_find_word(words, text, strlen(text));
    return word ? word->value : -EINVAL;
}

int value_number(const char *text, size_t len, int64_t *number)
{
    text = value_trim(text, &len);
    if (!len) return -EINVAL;
    for (size_t i = 0; i < len; i++)
        if (text[i] < '0' || text[i] > '9') return -EINVAL;
    int64_t value = 0;
    for (size_t i = 0; i < len; i++)
        if (__builtin_mul_overflow(value, (int64_t)10, &value) ||
            __builtin_add_overflow(value, (int64_t)(text[i] - '0'), &value))
            return -ERANGE;
    *number = value;
    return 0;
}

const struct value_word *value_find_word(const struct value_word *words, const char *text, size_t len)
{
    text = value_trim(text, &len);
    for (; words->word; words++)
        if (same_word(words->word, text, len)) return words;
    return NULL;
}

static int signal_usable(int64_t number)
{
    static const int refused[] = {SIGKILL, SIGSTOP, SIGILL, SIGFPE, SIGBUS, SIGSEGV, 32, 33, 34};
    if (number < 1 || number > SIGNAL_LAST) return -EINVAL;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (number == refused[i]) return -EPERM;
    return (int)number;
}

int value_signal(const char *text, size_t len)
{
    static const struct value_word names[] = {
        {"PROF", SIGPROF},     {"VTALRM", SIGVTALRM},  {"ALRM", SIGALRM}, {"USR1", SIGUSR1},
        {"USR2", SIGUSR2},     {"URG", SIGURG},        {"IO", SIGIO},     {"PWR", SIGPWR},
        {"STKFLT", SIGSTKFLT}, {"WINCH", SIGWINCH},    {"KILL", SIGKILL}, {"STOP", SIGSTOP},
        {"ILL", SIGILL},       {"FPE", SIGFPE},        {"BUS", SIGBUS},   {"SEGV", SIGSEGV},
        {"RTMIN", 34},         {"RTMAX", SIGNAL_LAST}, {NULL, 0}};
    int64_t number;
    text = value_trim(text, &len);
    if (!value_number(text, len, &number)) return signal_usable(number);
    if (len > 3 && same_word("SIG", text, 3)) {
        text += 3;
        len -= 3;
    }
    const struct value_word *name = value_find_word(names, text, len);
    if (name) return signal_usable(name->value);
    if (len < 7 || !same_word("RTMIN+", text, 6)) return -EINVAL;
    if (value_number(text + 6, len - 6, &number) || number > SIGNAL_LAST - RTMIN_NUMBER) return -EINVAL;
    return signal_usable(RTMIN_NUMBER + number);
}

const char *value_next_item(const char **at, size_t *len)
{
    while (**at) {
        const char *item = *at;
        const char *end = strchr(item, ',');
        if (!end) end = item + strlen(item);
        *at = *end ? end + 1 : end;
        *len = (size_t)(end - item);
        item = value_trim(item, len);
        if (*len) return item;
    }
    return NULL;
}

void value_for_message(const char *text, size_t len, char *out, size_t size)
{
    size_t used = 0;
    while (len) {
        size_t n = utf8_sequence(text, len);
        int plain = n > 0 && !(n == 1 && ((unsigned char)*text < 0x20 || *text == 0x7f));
        size_t take = n ? n : 1;
        if (used + take + sizeof "..." > size) {
            memcpy(out + used, "...", 3);
            used += 3;
            break;
        }
        if (plain) {
            memcpy(out + used, text, n);
            used += n;
        } else {
            out[used++] = '?';
        }
        text += take;
        len -= take;
    }
    out[used] = 0;
}
