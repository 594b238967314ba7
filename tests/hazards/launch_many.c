/*
 * launch_many COUNT COMMANDS NAME=VALUE...: runs each of the COMMANDS once as it is, and then COUNT of them
 * in turn, two at a time, with the variables of an LD_PRELOAD. COMMANDS is a file of one command a line, its
 * words separated by tabs. All have the OTEL_ variables; what begins with LD_PRELOAD= only the latter have.
 * Prints each command whose wait status, standard output or standard error differ, and at the end "launched N
 * different N".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 16, COMMANDS = 256, VARIABLES = 1024, OUTPUT = 1 << 16, DEADLINE = 60, AT_A_TIME = 2 };

struct result {
    int status;
    char text[2][OUTPUT]; /* standard output, standard error */
    ssize_t length[2];
};

struct slot {
    int streams[2];
    pid_t pid;
};

static struct slot slots[AT_A_TIME];
static char *commands[COMMANDS][WORDS + 1];
static struct result without[COMMANDS], with;
static char *plain[VARIABLES], *preloaded[VARIABLES];

static int read_commands(const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    int count = 0;
    while (file && count < COMMANDS && getline(&line, &size, file) > 0) {
        char *rest = strdup(line), *word;
        rest[strcspn(rest, "\n")] = 0;
        for (int i = 0; i < WORDS && (word = strsep(&rest, "\t")); i++) commands[count][i] = word;
        count++;
    }
    free(line);
    if (file) fclose(file);
    return count;
}

static void make_environment(char **environment, char **variables, int with_preload)
{
    int count = 0;
    for (char **v = environ; *v && count < VARIABLES / 2; v++) environment[count++] = *v;
    for (char **v = variables; *v && count < VARIABLES - 1; v++)
        if (with_preload || strncmp(*v, "LD_PRELOAD=", 11)) environment[count++] = *v;
}

static void start(struct slot *slot, char **command, char **environment)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    for (int i = 0; i < 2; i++) {
        if (ftruncate(slot->streams[i], 0) || lseek(slot->streams[i], 0, SEEK_SET)) abort();
        posix_spawn_file_actions_adddup2(&actions, slot->streams[i], i + 1);
    }
    int rc = posix_spawnp(&slot->pid, command[0], &actions, NULL, command, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (rc) {
        printf("%s: %s\n", command[0], strerror(rc));
        exit(3);
    }
}

static void finish(struct slot *slot, struct result *result)
{
    while (waitpid(slot->pid, &result->status, 0) != slot->pid) continue;
    slot->pid = 0;
    for (int i = 0; i < 2; i++) result->length[i] = pread(slot->streams[i], result->text[i], OUTPUT, 0);
}

static int differs(const struct result *one, const struct result *other)
{
    if (one->status != other->status) return 1;
    for (int i = 0; i < 2; i++)
        if (one->length[i] != other->length[i] ||
            memcmp(one->text[i], other->text[i], (size_t)one->length[i]))
            return 1;
    return 0;
}

static void print_result(char **command, const char *how, const struct result *result)
{
    printf("different: %s %s, %s us: status %#x, %.*s%.*s\n", command[0], command[1] ? command[1] : "", how,
           (unsigned)result->status, (int)result->length[0], result->text[0], (int)result->length[1],
           result->text[1]);
}

static void too_long(int signo)
{
    for (int i = 0; i < AT_A_TIME; i++)
        if (slots[i].pid) kill(slots[i].pid, SIGKILL);
}

int main(int argc, char **argv)
{
    int count = atoi(argv[1]), known = read_commands(argv[2]), different = 0;
    if (known == 0) return 2;
    signal(SIGALRM, too_long);
    make_environment(plain, argv + 3, 0);
    make_environment(preloaded, argv + 3, 1);
    for (int i = 0; i < AT_A_TIME; i++)
        for (int s = 0; s < 2; s++) slots[i].streams[s] = memfd_create("output", MFD_CLOEXEC);
    for (int i = 0; i < known; i++) {
        start(&slots[0], commands[i], plain);
        finish(&slots[0], &without[i]);
    }
    for (int n = 0; n < count; n += AT_A_TIME) {
        alarm(DEADLINE);
        for (int i = 0; i < AT_A_TIME; i++) start(&slots[i], commands[(n + i) % known], preloaded);
        for (int i = 0; i < AT_A_TIME; i++) {
            finish(&slots[i], &with);
            if (!differs(&without[(n + i) % known], &with)) continue;
            different++;
            print_result(commands[(n + i) % known], "without", &without[(n + i) % known]);
            print_result(commands[(n + i) % known], "with", &with);
        }
        alarm(0);
    }
    printf("launched %d different %d\n", count, different);
    return 0;
}
