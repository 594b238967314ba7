// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "complain.h"
#include "read/query.h"
#include "top_output.h"

static const char help[] =
    "usage: otelprof top [--type TYPE] [--top N] [--json] SOURCE...\n"
    "\n"
    "Prints in which functions the time (or the memory) went, the biggest first.\n"
    "\n"
    "A SOURCE is a pprof file, gzipped or not, from any profiler, or a directory, which is searched for "
    "*.pb.gz, *.pb,\n"
    "*.pprof and *.pprof.gz. Several are added up. In a directory as libotelprof fills it, the profiles of "
    "one kind are\n"
    "read: cpu, or if there is no cpu, wall, or else whatever there is; or the kind that has the --type.\n"
    "\n"
    "  --type TYPE  the sample type: cpu, samples, wall, inuse_space ..., or with its unit: cpu/nanoseconds. "
    "The\n"
    "               default is the profile's own default, or its last type.\n"
    "  --top N      the number of functions to print (20); 0 for all\n"
    "  --json       print JSON\n"
    "  -h, --help   print this help\n"
    "\n"
    "self is the value of the samples that were taken in the function itself, cum of those in the function "
    "and in what\n"
    "it called; a sample counts once in a function, however often the function is in its stack.\n"
    "\n"
    "exit code: 0 printed, 1 a wrong argument or a file that cannot be read, 2 no samples\n";

struct options {
    const char *type;
    size_t rows; // 0: all
    bool json;
};

static bool parse_rows(const char *text, size_t *rows)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *rows = (size_t)value;
    return text[0] >= '0' && text[0] <= '9' && *end == 0 && errno == 0;
}

// -1 to go on, else the exit code.
static int parse(int argc, char **argv, struct options *options)
{
    static const struct option known[] = {{"type", required_argument, NULL, 't'},
                                          {"top", required_argument, NULL, 'n'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":h", known, NULL)) != -1;) {
        switch (option) {
        case 't':
            options->type = optarg;
            break;
        case 'j':
            options->json = true;
            break;
        case 'n':
            if (!parse_rows(optarg, &options->rows))
                return complain_usage("top", "--top wants a number of functions, not %s", optarg);
            break;
        case 'h':
            fputs(help, stdout);
            return EXIT_DONE;
        default:
            return complain_option("top", option, argv);
        }
    }
    if (optind == argc) return complain_usage("top", "no profile is named; give a file or a directory");
    return -1;
}

static int print(const struct read_top *top, const struct options *options)
{
    if (top->file_count == 0) {
        complain("there is no profile (*.pb.gz, *.pb, *.pprof) in the directory; has the program run long "
                 "enough to "
                 "write one?");
        return EXIT_NO_SAMPLES;
    }
    if (top->record_count == 0) {
        complain("no samples%s%s: the profile is valid and empty; the program may have been idle or the "
                 "recording too "
                 "short",
                 top->type ? " of type " : "", top->type ? top->type : "");
        return EXIT_NO_SAMPLES;
    }
    size_t rows = options->rows && options->rows < top->frames.count ? options->rows : top->frames.count;
    if (!options->json)
        top_print_text(top, rows);
    else if (top_print_json(top, rows) != 0)
        return complain("no memory for the JSON");
    return EXIT_DONE;
}

static int top_main(int argc, char **argv)
{
    struct options options = {.rows = 20};
    int code = parse(argc, argv, &options);
    if (code >= 0) return code;
    struct read_top top = {0};
    struct read_error error;
    if (read_query_top(argv + optind, (size_t)(argc - optind), options.type, &top, &error) != 0)
        code = complain("%s", error.text);
    else
        code = print(&top, &options);
    read_top_free(&top);
    return code;
}

const struct command command_top = {"top", "print in which functions the time or the memory went", help,
                                    top_main};
