// SPDX-License-Identifier: Apache-2.0
// otelprof COMMAND [ARGUMENTS]
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "complain.h"

static const struct command *const commands[] = {&command_run, &command_top};
static const size_t command_count = sizeof commands / sizeof *commands;

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

static void print_help(FILE *out)
{
    fputs("usage: otelprof COMMAND [ARGUMENTS]\n"
          "\n"
          "Starts programs under the libotelprof profiler and reads the profiles.\n"
          "\n"
          "commands:\n",
          out);
    for (size_t i = 0; i < command_count; i++)
        fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fputs("  help     print the help of a command: otelprof help COMMAND\n"
          "\n"
          "options:\n"
          "  -h, --help     print this help\n"
          "  -V, --version  print the version\n",
          out);
}

static int help(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stdout);
        return EXIT_DONE;
    }
    const struct command *command = find(argv[1]);
    if (!command) return complain_usage("", "no help for %s: there is no such command", argv[1]);
    fputs(command->help, stdout);
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        print_help(stderr);
        return EXIT_FAILED;
    }
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        puts("otelprof " OTELPROF_VERSION);
        return EXIT_DONE;
    }
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) return help(1, argv);
    if (strcmp(first, "help") == 0) return help(argc - 1, argv + 1);
    const struct command *command = find(first);
    if (command) return command->main(argc - 1, argv + 1);
    return complain_usage("", first[0] == '-' ? "unknown option %s" : "unknown command %s", first);
}

int main(int argc, char **argv)
{
    int code = run(argc, argv);
    // A full disk or a closed pipe shows only when the buffer is written out.
    if (fflush(stdout) != 0 || ferror(stdout))
        return complain("cannot write the output: the disk is full or the reader has gone");
    return code;
}
