/* drop_user: a server that begins as root: burns a while with threads, then becomes nobody. Prints the user
 * ids of all its threads a second and a half later. */
#define _GNU_SOURCE
#include <dirent.h>
#include <grp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "burn.h"

enum { NOBODY = 65534 };

static atomic_int stop;

static void *burner(void *argument)
{
    while (!stop) burn(MILLIS);
    return argument;
}

static void print_ids(const char *tid)
{
    char path[300], line[256];
    snprintf(path, sizeof path, "/proc/self/task/%s/status", tid);
    FILE *file = fopen(path, "r");
    if (!file) printf("task %s unreadable\n", tid);
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "Uid:", 4) || !strncmp(line, "Gid:", 4) || !strncmp(line, "CapEff:", 7))
            printf("task %s", line);
    if (file) fclose(file);
}

int main(void)
{
    pthread_t id;
    int64_t begin = process_cpu();
    pthread_create(&id, NULL, burner, NULL);
    usleep(700000);
    if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
        return 3;
    usleep(1500000);
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks));)
        if (entry->d_name[0] != '.') print_ids(entry->d_name);
    stop = 1;
    pthread_join(id, NULL);
    print_used(begin);
    return 0;
}
