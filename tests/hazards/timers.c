/* timers MILLIS: burns MILLIS, then prints how many POSIX timers and threads the process has. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

int main(int argc, char **argv)
{
    int64_t begin = process_cpu();
    burn(atoi(argv[1]) * MILLIS);
    FILE *file = fopen("/proc/self/timers", "r");
    DIR *tasks = opendir("/proc/self/task");
    char line[256];
    int timers = 0, threads = 0;
    while (file && fgets(line, sizeof line, file)) timers += !strncmp(line, "ID:", 3);
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) threads += entry->d_name[0] != '.';
    printf("timers %d threads %d\n", timers, threads);
    print_used(begin);
    return argc - 2;
}
