#include "config/program.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "sys/file.h"
#include "sys/rawcall.h"

enum { PATH_BYTES = 4096, ARGUMENT_BYTES = 4096 };

/* Not on the stack: constructors may run on a small one. Untouched pages cost nothing. */
static struct {
    char path[PATH_BYTES];
    char arguments[ARGUMENT_BYTES];
} program_text;

/* An executable that was replaced on disk while it runs shows as "/usr/bin/node (deleted)" (fs/d_path.c). */
static void cut_deleted(char *path)
{
    static const char mark[] = " (deleted)";
    size_t len = strlen(path), tail = sizeof mark - 1;
    if (len > tail && !strcmp(path + len - tail, mark)) path[len - tail] = 0;
}

/* By open, read, close alone: file_read_small would add the calls that move the descriptor out of the
 * application's way, which no thread can be in need of while constructors run. */
static size_t read_arguments(void)
{
    int fd = (int)sys_call4(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return 0;
    long n;
    do {
        n = sys_call3(SYS_read, fd, program_text.arguments, ARGUMENT_BYTES);
    } while (n == -EINTR);
    sys_close(fd);
    return n > 0 ? (size_t)n : 0;
}

void program_from_path(struct program *program, const char *path)
{
    memset(program, 0, sizeof *program);
    if (!path || !*path) return;
    const char *slash = strrchr(path, '/');
    program->path = path;
    program->name = slash ? slash + 1 : path;
    program->is_node = !strcmp(program->name, "node") || !strcmp(program->name, "nodejs");
}

void program_detect(struct program *program, const char *execfn)
{
    int n = file_read_link("/proc/self/exe", program_text.path, PATH_BYTES);
    if (n > 0) cut_deleted(program_text.path);
    program_from_path(program, n > 0 ? program_text.path : execfn);
    if (program->is_node) program->script = program_script(program_text.arguments, read_arguments());
}

static int is_one_of(const char *text, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(*list, text)) return 1;
    return 0;
}

int program_is_run_option(const char *argument)
{
    return !strcmp(argument, "--run") || !strncmp(argument, "--run=", sizeof "--run=" - 1);
}

const char *program_script(const char *arguments, size_t len)
{
    /* node(1), as of 24: options whose value is an argument of its own unless joined by '='. */
    static const char *const with_value[] = {"-r",
                                             "--require",
                                             "--import",
                                             "--loader",
                                             "--experimental-loader",
                                             "-C",
                                             "--conditions",
                                             "--env-file",
                                             "--env-file-if-exists",
                                             "--title",
                                             "--input-type",
                                             "--stack-trace-limit",
                                             "--icu-data-dir",
                                             "--diagnostic-dir",
                                             "--disable-warning",
                                             "--watch-path",
                                             "--snapshot-blob",
                                             "--build-snapshot-config",
                                             "--build-sea",
                                             "--experimental-sea-config",
                                             "--inspect-port",
                                             "--debug-port",
                                             "--test-reporter",
                                             "--test-reporter-destination",
                                             "--test-name-pattern",
                                             "--test-skip-pattern",
                                             "--test-shard",
                                             "--cpu-prof-dir",
                                             "--cpu-prof-name",
                                             "--cpu-prof-interval",
                                             "--heap-prof-dir",
                                             "--heap-prof-name",
                                             "--heap-prof-interval",
                                             "--heapsnapshot-signal",
                                             "--report-dir",
                                             "--report-directory",
                                             "--report-filename",
                                             "--report-signal",
                                             "--redirect-warnings",
                                             "--trace-event-categories",
                                             "--trace-event-file-pattern",
                                             "--unhandled-rejections",
                                             "--dns-result-order",
                                             "--openssl-config",
                                             "--tls-keylog",
                                             "--max-http-header-size",
                                             "--experimental-default-type",
                                             "--localstorage-file",
                                             NULL};
    static const char *const without_script[] = {"-e", "-p", "-pe", "--eval", "--print", "-", NULL};
    const char *argument = arguments, *end = arguments + len;
    int first = 1, skip = 0, options = 1;
    while (argument < end) {
        const char *stop = memchr(argument, 0, (size_t)(end - argument));
        if (!stop) return NULL;
        if (first || skip) {
            first = skip = 0;
        } else if (options && !strcmp(argument, "--")) {
            options = 0;
        } else if (options && is_one_of(argument, without_script)) {
            return NULL;
        } else if (options && program_is_run_option(argument)) {
            return argument;
        } else if (options && *argument == '-') {
            skip = is_one_of(argument, with_value);
        } else {
            return *argument ? argument : NULL;
        }
        argument = stop + 1;
    }
    return NULL;
}
