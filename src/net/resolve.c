#include "net/resolve.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>

#include "net/dns_message.h"
#include "net/resolve_files.h"
#include "net/socket.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/fmt.h"
#include "sys/heap.h"
#include "sys/rawcall.h"

enum { DNS_PORT = 53, FILE_LIMIT = 1024 * 1024, QUESTIONS = 2, SECOND_ANSWER_NANOS = 200 * 1000 * 1000 };

const struct resolver resolver_of_system = {"/etc/hosts", "/etc/resolv.conf", DNS_PORT};

/* The questions for both kinds of addresses, in one exchange. */
struct exchange {
    uint8_t question[QUESTIONS][DNS_MESSAGE_MAX];
    size_t len[QUESTIONS];
    enum dns_verdict verdict[QUESTIONS]; /* DNS_NOT_OURS: no answer yet */
    struct address found[QUESTIONS][RESOLVE_MAX];
    size_t count[QUESTIONS];
};

struct search {
    struct resolve_config config;
    struct exchange exchange;
    uint16_t port;
    int64_t deadline;
};

static int prepare(struct exchange *e, const char *name)
{
    static const enum dns_type types[QUESTIONS] = {DNS_A, DNS_AAAA};
    for (int i = 0; i < QUESTIONS; i++) {
        uint16_t id = 0;
        sys_call3(SYS_getrandom, &id, sizeof id, GRND_NONBLOCK);
        int len = dns_question(id, name, types[i], e->question[i]);
        if (len < 0) return len;
        e->len[i] = (size_t)len;
        e->verdict[i] = DNS_NOT_OURS;
        e->count[i] = 0;
    }
    return 0;
}

static void take_answer(struct exchange *e, const uint8_t *message, size_t len)
{
    for (int i = 0; i < QUESTIONS; i++) {
        if (e->verdict[i] != DNS_NOT_OURS) continue;
        e->verdict[i] =
            dns_answer(message, len, e->question[i], e->len[i], e->found[i], RESOLVE_MAX, &e->count[i]);
        if (e->verdict[i] != DNS_NOT_OURS) return;
    }
}

static int is_answered(const struct exchange *e)
{
    return e->verdict[0] != DNS_NOT_OURS && e->verdict[1] != DNS_NOT_OURS;
}

/* Asks one server; what it answers until |until| is in |e|. */
static void ask(struct exchange *e, const struct address *server, uint16_t port, int64_t until)
{
    struct sockaddr_storage name;
    socklen_t len = socket_name(server, port, &name);
    int fd = socket_open(name.ss_family, SOCK_DGRAM);
    if (fd < 0) return;
    int rc = socket_connect(fd, &name, len, until); /* only this server's answers come in then */
    for (int i = 0; i < QUESTIONS && rc >= 0; i++)
        rc = (int)sys_call6(SYS_sendto, fd, (long)e->question[i], (long)e->len[i], 0, 0, 0);
    while (rc >= 0 && !is_answered(e) && !(rc = socket_wait(fd, POLLIN, until))) {
        uint8_t message[DNS_MESSAGE_MAX];
        rc = (int)sys_call6(SYS_recvfrom, fd, (long)message, sizeof message, 0, 0, 0);
        if (rc > 0) take_answer(e, message, (size_t)rc);
        /* Some servers never answer for one of the two. */
        int64_t soon = clock_monotonic() + SECOND_ANSWER_NANOS;
        if ((e->count[0] || e->count[1]) && soon < until) until = soon;
        if (rc == -EAGAIN || rc == -EINTR) rc = 0;
    }
    sys_close(fd);
}

/* DNS_FOUND, DNS_NO_NAME (also: no address), or DNS_FAILED. */
static enum dns_verdict judge(const struct exchange *e)
{
    if (e->count[0] || e->count[1]) return DNS_FOUND;
    for (int i = 0; i < QUESTIONS; i++)
        if (e->verdict[i] == DNS_NOT_OURS || e->verdict[i] == DNS_FAILED) return DNS_FAILED;
    return DNS_NO_NAME;
}

/* Asks the servers in turn until one has an answer, be it that there is no such name. */
static enum dns_verdict look_up(struct search *s, const char *name)
{
    enum dns_verdict verdict = DNS_FAILED;
    for (int attempt = 0; attempt < s->config.attempts; attempt++)
        for (size_t i = 0; i < s->config.server_count; i++) {
            int64_t until = clock_monotonic() + s->config.timeout_seconds * NANOS_PER_SECOND;
            if (until > s->deadline) until = s->deadline;
            if (prepare(&s->exchange, name)) return DNS_NO_NAME;
            ask(&s->exchange, &s->config.servers[i], s->port, until);
            verdict = judge(&s->exchange);
            if (verdict != DNS_FAILED || clock_monotonic() >= s->deadline) return verdict;
        }
    return verdict;
}

static int count_dots(const char *name)
{
    int dots = 0;
    for (; *name; name++) dots += *name == '.';
    return dots;
}

/* A name that ends with a dot, or has enough of them, is whole: it comes before those of the search list. */
static enum dns_verdict look_up_all(struct search *s, const char *host)
{
    size_t len = strlen(host);
    int absolute = len && host[len - 1] == '.', early = absolute || count_dots(host) >= s->config.ndots;
    enum dns_verdict verdict = early ? look_up(s, host) : DNS_NO_NAME, worst = verdict;
    for (size_t i = 0; i < s->config.search_count && !absolute && verdict != DNS_FOUND; i++) {
        char name[DNS_NAME_MAX + 1];
        if (len + strlen(s->config.search[i]) + 2 > sizeof name) continue;
        fmt_text(name, sizeof name, "%s.%s", host, s->config.search[i]);
        verdict = look_up(s, name);
        if (verdict == DNS_FAILED) worst = verdict;
    }
    if (!early && verdict != DNS_FOUND) verdict = look_up(s, host);
    return verdict == DNS_NO_NAME ? worst : verdict;
}

static int resolve_by_dns(const struct resolver *resolver, const char *host, int64_t deadline,
                          struct address *found)
{
    char *text = NULL;
    struct search *s = heap_alloc(sizeof *s);
    if (!s) return -ENOMEM;
    int64_t len = file_read_text(resolver->conf_path, FILE_LIMIT, &text);
    resolve_config_parse(text ? text : "", len > 0 ? (size_t)len : 0, &s->config);
    heap_free(text);
    s->port = resolver->port;
    s->deadline = deadline;
    enum dns_verdict verdict = look_up_all(s, host);
    int count = 0, rc = verdict == DNS_NO_NAME ? -ENOENT : -EAGAIN;
    for (int i = 0; i < QUESTIONS; i++)
        for (size_t k = 0; verdict == DNS_FOUND && k < s->exchange.count[i] && count < RESOLVE_MAX; k++)
            found[count++] = s->exchange.found[i][k];
    heap_free(s);
    if (count) return count;
    return rc == -EAGAIN && clock_monotonic() >= deadline ? -ETIMEDOUT : rc;
}

static size_t resolve_by_hosts(const struct resolver *resolver, const char *host, struct address *found)
{
    char *text = NULL;
    int64_t len = file_read_text(resolver->hosts_path, FILE_LIMIT, &text);
    size_t count = len > 0 ? hosts_find(text, (size_t)len, host, found, RESOLVE_MAX) : 0;
    heap_free(text);
    return count;
}

/* RFC 6761: these names are never asked for. */
static int is_localhost(const char *host)
{
    static const char name[] = "localhost";
    size_t len = strlen(host), own = sizeof name - 1;
    if (len && host[len - 1] == '.') len--;
    if (len < own || (len > own && host[len - own - 1] != '.')) return 0;
    for (size_t i = 0; i < own; i++)
        if ((host[len - own + i] | 0x20) != name[i]) return 0;
    return 1;
}

int resolve(const struct resolver *resolver, const char *host, int64_t deadline, struct address *found)
{
    if (!address_parse(host, strlen(host), &found[0])) return 1;
    size_t count = resolve_by_hosts(resolver, host, found);
    if (count) return (int)count;
    if (!is_localhost(host)) return resolve_by_dns(resolver, host, deadline, found);
    address_parse("127.0.0.1", 9, &found[0]);
    address_parse("::1", 3, &found[1]);
    return 2;
}
