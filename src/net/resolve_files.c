#include "net/resolve_files.h"

#include <string.h>

#include "config/values.h"

enum { MOST_NDOTS = 15, MOST_TIMEOUT = 30, MOST_ATTEMPTS = 5 };

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word before |end|, its length in |*len|; NULL without one. |*at| moves behind it. */
static const char *next_word(const char **at, const char *end, size_t *len)
{
    const char *p = *at;
    while (p < end && is_blank(*p)) p++;
    const char *start = p;
    while (p < end && !is_blank(*p)) p++;
    *at = p;
    *len = (size_t)(p - start);
    return *len ? start : NULL;
}

/* The next line up to a comment; its end in |*end|. NULL behind the last. */
static const char *next_line(const char **at, const char *text_end, const char **end)
{
    const char *start = *at;
    if (start >= text_end) return NULL;
    const char *newline = memchr(start, '\n', (size_t)(text_end - start));
    *at = newline ? newline + 1 : text_end;
    *end = newline ? newline : text_end;
    for (const char *p = start; p < *end; p++)
        if (*p == '#' || *p == ';') *end = p;
    return start;
}

static int is_word(const char *word, size_t len, const char *expected)
{
    return strlen(expected) == len && !memcmp(word, expected, len);
}

static void add_server(struct resolve_config *config, const char *word, size_t len)
{
    if (config->server_count == RESOLVE_SERVERS) return;
    if (!address_parse(word, len, &config->servers[config->server_count])) config->server_count++;
}

/* The last search or domain line counts. */
static void set_search(struct resolve_config *config, const char *at, const char *end)
{
    size_t len, used = 0;
    config->search_count = 0;
    for (const char *word; (word = next_word(&at, end, &len));) {
        if (config->search_count == RESOLVE_SEARCH || used + len + 1 > sizeof config->search_text) return;
        config->search[config->search_count++] = memcpy(config->search_text + used, word, len);
        config->search_text[used + len] = 0;
        used += len + 1;
    }
}

static void set_option(struct resolve_config *config, const char *word, size_t len)
{
    const struct {
        const char *name;
        int *value, most;
    } options[] = {{"ndots:", &config->ndots, MOST_NDOTS},
                   {"timeout:", &config->timeout_seconds, MOST_TIMEOUT},
                   {"attempts:", &config->attempts, MOST_ATTEMPTS}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        size_t name_len = strlen(options[i].name);
        int64_t number;
        if (len <= name_len || memcmp(word, options[i].name, name_len) != 0) continue;
        if (value_number(word + name_len, len - name_len, &number)) continue;
        *options[i].value = number < options[i].most ? (int)number : options[i].most;
    }
}

void resolve_config_parse(const char *text, size_t len, struct resolve_config *config)
{
    const char *end, *text_end = text + len;
    memset(config, 0, sizeof *config);
    config->ndots = 1;
    config->timeout_seconds = 5;
    config->attempts = 2;
    for (const char *at; (at = next_line(&text, text_end, &end));) {
        size_t word_len;
        const char *word = next_word(&at, end, &word_len);
        if (!word) continue;
        if (is_word(word, word_len, "search") || is_word(word, word_len, "domain")) {
            set_search(config, at, end);
            continue;
        }
        int is_server = is_word(word, word_len, "nameserver"),
            is_options = is_word(word, word_len, "options");
        while ((is_server || is_options) && (word = next_word(&at, end, &word_len))) {
            if (is_options)
                set_option(config, word, word_len);
            else
                add_server(config, word, word_len);
        }
    }
    if (!config->server_count) add_server(config, "127.0.0.1", 9);
    if (config->timeout_seconds < 1) config->timeout_seconds = 1;
    if (config->attempts < 1) config->attempts = 1;
}

static int is_host(const char *word, size_t len, const char *host)
{
    size_t host_len = strlen(host);
    if (host_len && host[host_len - 1] == '.') host_len--;
    if (len != host_len) return 0;
    for (size_t i = 0; i < len; i++) {
        char a = word[i], b = host[i];
        if (a >= 'A' && a <= 'Z') a = (char)(a + 32);
        if (b >= 'A' && b <= 'Z') b = (char)(b + 32);
        if (a != b) return 0;
    }
    return 1;
}

size_t hosts_find(const char *text, size_t len, const char *host, struct address *found, size_t room)
{
    const char *end, *text_end = text + len;
    size_t count = 0;
    for (const char *at; count < room && (at = next_line(&text, text_end, &end));) {
        size_t word_len;
        const char *word = next_word(&at, end, &word_len);
        if (!word || address_parse(word, word_len, &found[count])) continue;
        while ((word = next_word(&at, end, &word_len)))
            if (is_host(word, word_len, host)) break;
        count += word != NULL;
    }
    return count;
}
