// SPDX-License-Identifier: Apache-2.0
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "complain.h"
#include "run_child.h"
#include "run_environment.h"
#include "run_library.h"
#include "run_report.h"

static const char help[] =
    "usage: otelprof run [--dir DIR] [--interval MICROS] [--] COMMAND [ARGUMENT...]\n"
    "\n"
    "Runs COMMAND under the profiler and then says on stderr where its profiles are. The command needs no "
    "change; its\n"
    "input, output and exit code are its own.\n"
    "\n"
    "  --dir DIR          the directory for the profiles (otelprof-profiles)\n"
    "  --interval MICROS  one CPU sample every so many microseconds of CPU time (10000)\n"
    "  -h, --help         print this help\n"
    "\n"
    "environment:\n"
    "  OTELPROF_LIBRARY   the libotelprof.so to preload; the default is the one beside otelprof or in "
    "../lib\n"
    "  OTEL_PROFILES_EXPORTER, OTEL_PROFILING_FILE_DIR and all other OTEL_* variables are passed on; where "
    "they are set\n"
    "  already, run leaves them as they are, except that an option above wins.\n"
    "  OTEL_PROFILING_LOG_LEVEL=debug tells why a program is not profiled.\n"
    "\n"
    "exit code: the command's own; 128+N if signal N killed it; 127 if it is not found, 126 if it cannot be "
    "executed;\n"
    "1 for a wrong argument or a missing library\n";

// Above an hour between samples there is a mistake.
#define LONGEST_INTERVAL 3600000000ULL

static bool is_interval(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 10 || text[digits]) return false;
    unsigned long long value = strtoull(text, NULL, 10);
    return value >= 1 && value <= LONGEST_INTERVAL;
}

// -1 to go on, else the exit code.
static int parse(int argc, char **argv, struct run_settings *settings)
{
    static const struct option known[] = {{"dir", required_argument, NULL, 'd'},
                                          {"interval", required_argument, NULL, 'i'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    opterr = 0;
    // "+": options after the command are the command's.
    for (int option; (option = getopt_long(argc, argv, "+:h", known, NULL)) != -1;) {
        switch (option) {
        case 'd':
            if (!*optarg) return complain_usage("run", "--dir wants a directory");
            settings->directory = optarg;
            break;
        case 'i':
            if (!is_interval(optarg))
                return complain_usage("run", "--interval wants microseconds (1 to %llu), not %s",
                                      LONGEST_INTERVAL, optarg);
            settings->interval = optarg;
            break;
        case 'h':
            fputs(help, stdout);
            return EXIT_DONE;
        default:
            return complain_option("run", option, argv);
        }
    }
    if (optind == argc) return complain_usage("run", "no command is named");
    settings->command = argv[optind];
    return -1;
}

static int run_main(int argc, char **argv)
{
    struct run_settings settings = {0};
    int code = parse(argc, argv, &settings);
    if (code >= 0) return code;
    char *library = run_library_find();
    settings.library = library;
    if (!library) return EXIT_FAILED;
    code = run_environment_set(&settings);
    free(library);
    if (code != 0) return complain("cannot set the environment of the command");
    bool files = run_environment_writes_files(), started;
    const char *directory = run_environment_directory();
    struct read_store before = {0};
    if (files) before = run_report_look(directory);
    code = run_child(argv + optind, &started);
    if (started && files)
        run_report_print(directory, &before);
    else if (started)
        complain("the profiles went where OTEL_PROFILES_EXPORTER=%s says, not to files",
                 getenv("OTEL_PROFILES_EXPORTER"));
    read_store_free(&before);
    return code;
}

const struct command command_run = {"run", "run a command under the profiler", help, run_main};
