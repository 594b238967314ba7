#include "config/options.h"

#include <errno.h>
#include <string.h>

#include "config/values.h"
#include "symbol/scriptpath.h"
#include "sys/fmt.h"
#include "sys/heap.h"

enum option_kind { KIND_BOOLEAN, KIND_NUMBER, KIND_WORD, KIND_EXPORTERS, KIND_SIGNAL, KIND_TEXT };

struct option {
    const char *name;
    enum option_kind kind;
    const char *fallback; /* the default as a user would write it, parsed like any value; "" is unset */
    const char *unit;     /* of a number; else what the text is */
    size_t offset;        /* of the member of struct config */
    int64_t min, max;     /* of a number */
    const struct value_word *words;
    const char *meaning; /* one line, without '|' */
};

static const struct value_word exporters[] = {{"otlp", CONFIG_EXPORTER_OTLP},
                                              {"otlp_grpc", CONFIG_EXPORTER_OTLP_GRPC},
                                              {"otlp_http", CONFIG_EXPORTER_OTLP_HTTP},
                                              {"pprof", CONFIG_EXPORTER_PPROF},
                                              {"pyroscope", CONFIG_EXPORTER_PYROSCOPE},
                                              {"file", CONFIG_EXPORTER_FILE},
                                              {"console", CONFIG_EXPORTER_CONSOLE},
                                              {"none", 0},
                                              {NULL, 0}};
static const struct value_word log_levels[] = {{"none", LOG_LEVEL_NONE},   {"error", LOG_LEVEL_ERROR},
                                               {"warn", LOG_LEVEL_WARN},   {"info", LOG_LEVEL_INFO},
                                               {"debug", LOG_LEVEL_DEBUG}, {NULL, 0}};
static const struct value_word verbosities[] = {{"basic", CONFIG_VERBOSITY_BASIC},
                                                {"normal", CONFIG_VERBOSITY_NORMAL},
                                                {"detailed", CONFIG_VERBOSITY_DETAILED},
                                                {NULL, 0}};

static const struct value_word strips[] = {{"none", SCRIPT_STRIP_NONE},
                                           {"dependencies", SCRIPT_STRIP_DEPENDENCIES},
                                           {"all", SCRIPT_STRIP_ALL},
                                           {NULL, 0}};

#define AT(member) .offset = offsetof(struct config, member)
#define RANGE(low, high) .min = (low), .max = (high)

/* clang-format off */
static const struct option options[] = {
    {"OTEL_SDK_DISABLED", KIND_BOOLEAN, "false", "", AT(sdk_disabled),
     .meaning = "Switches everything off, as in every OpenTelemetry SDK."},
    {"OTEL_SERVICE_NAME", KIND_TEXT, "", "a name", AT(service_name),
     .meaning = "The service.name of the profiles. Unset: service.name in OTEL_RESOURCE_ATTRIBUTES, else for "
                "Node.js the name in the nearest package.json, else unknown_service:PROGRAM."},
    {"OTEL_RESOURCE_ATTRIBUTES", KIND_TEXT, "", "key=value,key=value", AT(resource_attributes),
     .meaning = "More attributes of the resource, percent-encoded where a comma or an equals sign is meant."},
    {"OTEL_PROFILES_EXPORTER", KIND_EXPORTERS, "otlp", "", AT(exporters), .words = exporters,
     .meaning = "Where profiles go. none, alone: no profile is made."},
    {"OTEL_PROFILING_ENABLED", KIND_BOOLEAN, "true", "", AT(profiling_enabled),
     .meaning = "false: this process is not profiled."},
    {"OTEL_PROFILING_INCLUDE", KIND_TEXT, "", "globs, comma-separated", AT(include),
     .meaning = "Programs to profile besides node and nodejs: globs (* and ?) on the name of the program or, "
                "with a slash in the glob, on its path. * is every program but shells and tools, which must "
                "be named."},
    {"OTEL_PROFILING_EXCLUDE", KIND_TEXT, "", "globs, comma-separated", AT(exclude),
     .meaning = "Programs never to profile; beats OTEL_PROFILING_INCLUDE."},
    {"OTEL_PROFILING_IN_TESTS", KIND_BOOLEAN, "false", "", AT(in_tests),
     .meaning = "true: Node.js is profiled where NODE_ENV is test, too."},
    {"OTEL_PROFILING_CONFIG_FILE", KIND_TEXT, SETTINGS_FILE_DEFAULT, "a path", AT(config_file),
     .meaning = "A file of these options, one NAME=value a line, which need not exist at the default place. The "
                "environment wins."},
    {"OTEL_PROFILING_START_DELAY_MS", KIND_NUMBER, "0", "milliseconds", AT(start_delay_ms), RANGE(0, 86400000),
     .meaning = "Nothing is sampled, and no profile begins, before the process is this old. Its background "
                "thread is there from the start."},
    {"OTEL_PROFILING_COLLECTION_INTERVAL_MS", KIND_NUMBER, "10000", "milliseconds",
     AT(collection_interval_ms), RANGE(100, 3600000), .meaning = "The time that one profile covers."},
    {"OTEL_PROFILING_CPU_ENABLED", KIND_BOOLEAN, "true", "", AT(cpu_enabled),
     .meaning = "The CPU profile."},
    {"OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS", KIND_NUMBER, "10000", "microseconds",
     AT(cpu_sampling_interval_micros), RANGE(100, 1000000),
     .meaning = "The CPU time of a thread between two samples of it."},
    {"OTEL_PROFILING_MAX_STACK_DEPTH", KIND_NUMBER, "128", "frames", AT(max_stack_depth), RANGE(16, 1024),
     .meaning = "Frames kept of a stack: of a deeper one the leaf side and the 32 root-most, with [truncated] between."},
    {"OTEL_PROFILING_SHORTEN_PATHS", KIND_BOOLEAN, "false", "", AT(shorten_paths),
     .meaning = "Scripts in the working directory are named relative to it."},
    {"OTEL_PROFILING_STRIP_FILENAMES", KIND_WORD, "none", "", AT(strip_filenames), .words = strips,
     .meaning = "Scripts whose functions are told without their file: dependencies are those in a node_modules "
                "directory."},
    {"OTEL_PROFILING_TIER_LABEL", KIND_BOOLEAN, "false", "", AT(tier_label),
     .meaning = "Each sample says in the label v8.tier how V8 ran its innermost JavaScript function: ignition "
                "(interpreted), sparkplug (baseline), maglev or turbofan."},
    {"OTEL_PROFILING_SIGNAL", KIND_SIGNAL, "auto", "", AT(signal),
     .meaning = "The signal that the timers send. auto: SIGPROF where nobody else uses it, else a real-time "
                "signal."},
    {"OTEL_PROFILING_EXIT_TIMEOUT_MS", KIND_NUMBER, "500", "milliseconds", AT(exit_timeout_ms),
     RANGE(0, 60000), .meaning = "How long the end of the process may be held up by the last export."},
    {"OTEL_PROFILING_FILE_DIR", KIND_TEXT, "otelprof-profiles", "a directory", AT(file_dir),
     .meaning = "Where the file exporter writes; made if missing."},
    {"OTEL_PROFILING_CONSOLE_VERBOSITY", KIND_WORD, "basic", "", AT(console_verbosity), .words = verbosities,
     .meaning = "How much the console exporter says."},
    {"OTEL_PROFILING_CONSOLE_TOP", KIND_NUMBER, "10", "functions", AT(console_top), RANGE(1, 1000),
     .meaning = "Functions that the detailed console output lists."},
    {"OTEL_PROFILING_LOG_LEVEL", KIND_WORD, "error", "", AT(log_level), .words = log_levels,
     .meaning = "What the profiler says about itself. debug also says why a process is not profiled."},
    {"OTEL_PROFILING_LOG_FILE", KIND_TEXT, "", "a path", AT(log_file),
     .meaning = "The file that messages are appended to. Unset: stderr."},
};
/* clang-format on */

enum { OPTION_COUNT = sizeof options / sizeof *options, MESSAGE_BYTES = 512, SHOWN_BYTES = 80 };

/* Why |text| is not taken, for the warning. */
static int add_warning(struct config *config, const struct option *option, const char *text, size_t len,
                       const char *reason, const char *result)
{
    char shown[SHOWN_BYTES], line[MESSAGE_BYTES];
    value_for_message(text, len, shown, sizeof shown);
    size_t n = fmt_text(line, sizeof line, "%s: \"%s\" %s: %s", option->name, shown, reason, result);
    if (heap_grow(&config->warnings, &config->warning_cap, config->warning_count + 1, sizeof(char *)))
        return -ENOMEM;
    char *copy = heap_strndup(line, n);
    if (!copy) return -ENOMEM;
    config->warnings[config->warning_count++] = copy;
    return 0;
}

static int warn_default(struct config *config, const struct option *option, const char *text,
                        const char *reason)
{
    char result[SHOWN_BYTES];
    fmt_text(result, sizeof result, "%s is used", option->fallback);
    return add_warning(config, option, text, strlen(text), reason, result);
}

static void *member(struct config *config, const struct option *option)
{
    return (char *)config + option->offset;
}

static int parse_boolean(struct config *config, const struct option *option, const char *text)
{
    int value = value_boolean(text);
    if (value < 0) return warn_default(config, option, text, "is neither true nor false");
    *(int *)member(config, option) = value;
    return 0;
}

static int parse_number(struct config *config, const struct option *option, const char *text)
{
    int64_t value;
    int rc = value_number(text, strlen(text), &value);
    if (rc == -EINVAL) return warn_default(config, option, text, "is not a whole number");
    if (rc || value < option->min || value > option->max) {
        char reason[128];
        fmt_text(reason, sizeof reason, "is outside %ld to %ld %s", (long)option->min, (long)option->max,
                 option->unit);
        return warn_default(config, option, text, reason);
    }
    *(int64_t *)member(config, option) = value;
    return 0;
}

/* The words of a table, as text. */
static void join_words(const struct value_word *words, const char *separator, char *out, size_t size)
{
    size_t n = 0;
    *out = 0;
    for (; words->word; words++)
        n += fmt_text(out + n, size - n, "%s%s", words->word, words[1].word ? separator : "");
}

static void unknown_word_reason(const struct option *option, char *out, size_t size)
{
    char list[160];
    join_words(option->words, ", ", list, sizeof list);
    fmt_text(out, size, "is not one of %s", list);
}

static int parse_word(struct config *config, const struct option *option, const char *text)
{
    const struct value_word *word = value_find_word(option->words, text, strlen(text));
    if (!word) {
        char reason[200];
        unknown_word_reason(option, reason, sizeof reason);
        return warn_default(config, option, text, reason);
    }
    *(int *)member(config, option) = word->value;
    return 0;
}

/* Unknown names are left out; when nothing known is left, the default stays. */
static int parse_exporters(struct config *config, const struct option *option, const char *text)
{
    unsigned bits = 0;
    int none = 0, rc = 0;
    size_t len;
    const char *item, *at = text;
    while ((item = value_next_item(&at, &len))) {
        const struct value_word *word = value_find_word(option->words, item, len);
        if (!word) {
            char reason[200];
            unknown_word_reason(option, reason, sizeof reason);
            rc |= add_warning(config, option, item, len, reason, "this entry is ignored");
        } else {
            bits |= (unsigned)word->value;
            none |= !word->value;
        }
    }
    if (none && bits)
        rc |= add_warning(config, option, "none", 4, "stands beside other exporters", "the others are used");
    if (!bits && !none) return rc;
    *(unsigned *)member(config, option) = bits;
    return rc;
}

static int parse_signal(struct config *config, const struct option *option, const char *text)
{
    static const struct value_word automatic[] = {{"auto", CONFIG_SIGNAL_AUTO}, {NULL, 0}};
    size_t len = strlen(text);
    int signal = value_find_word(automatic, text, len) ? CONFIG_SIGNAL_AUTO : value_signal(text, len);
    if (signal == -EPERM)
        return warn_default(config, option, text,
                            "cannot be used for sampling (the kernel, a fault or libc has it)");
    if (signal < 0)
        return warn_default(config, option, text, "is not auto, a number 1 to 64, PROF or RTMIN+n");
    *(int *)member(config, option) = signal;
    return 0;
}

static int parse_text(struct config *config, const struct option *option, const char *text)
{
    if (!*text) return 0;
    char *copy = heap_strndup(text, strlen(text));
    if (!copy) return -ENOMEM;
    char **place = member(config, option);
    heap_free(*place);
    *place = copy;
    return 0;
}

static int (*const parsers[])(struct config *, const struct option *, const char *) = {
    [KIND_BOOLEAN] = parse_boolean,     [KIND_NUMBER] = parse_number, [KIND_WORD] = parse_word,
    [KIND_EXPORTERS] = parse_exporters, [KIND_SIGNAL] = parse_signal, [KIND_TEXT] = parse_text};

/* What the parsers said of a value of |file| is told with the file's other problems. */
static void complain_of_value(struct config *config, struct settings_file *file, unsigned line, size_t from)
{
    while (config->warning_count > from) {
        char *warning = config->warnings[--config->warning_count];
        char what[MESSAGE_BYTES];
        fmt_text(what, sizeof what, "%s; correct the line", warning);
        settings_file_complain(file, line, what);
        heap_free(warning);
    }
}

static const struct option *find_option(const char *entry)
{
    size_t len = (size_t)(strchr(entry, '=') - entry);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (!strncmp(options[i].name, entry, len) && !options[i].name[len]) return &options[i];
    return NULL;
}

/* Other programs' variables may stand beside ours in one file: what is no option is wrong only if it can be
 * nothing else. */
static int is_foreign(const char *entry)
{
    static const char standard[] = "OTEL_", ours[] = "OTEL_PROFILING_", pyroscope[] = "PYROSCOPE_";
    return (!strncmp(entry, standard, sizeof standard - 1) && strncmp(entry, ours, sizeof ours - 1)) ||
           !strncmp(entry, pyroscope, sizeof pyroscope - 1);
}

static const char *refuse_name(const struct option *option, const char *entry)
{
    if (!option && !is_foreign(entry))
        return "is no option of this version: correct the name, or remove the line";
    if (option && option->offset == offsetof(struct config, config_file))
        return "counts in the environment alone: remove the line";
    return NULL;
}

/* The settings of |file| that the environment has not: |given| tells which it has. */
static int load_file(struct config *config, struct settings_file *file, const char *const *given)
{
    int lost = 0;
    for (size_t i = 0; i < file->count; i++) {
        const char *entry = file->entries[i], *value = strchr(entry, '=') + 1;
        const struct option *option = find_option(entry);
        const char *refusal = refuse_name(option, entry);
        if (refusal) {
            char shown[SHOWN_BYTES], what[MESSAGE_BYTES];
            value_for_message(entry, (size_t)(value - 1 - entry), shown, sizeof shown);
            fmt_text(what, sizeof what, "%s %s", shown, refusal);
            settings_file_complain(file, file->lines[i], what);
        }
        if (!option || refusal || !*value || given[option - options]) continue;
        size_t before = config->warning_count;
        lost |= parsers[option->kind](config, option, value);
        complain_of_value(config, file, file->lines[i], before);
    }
    return lost;
}

int config_load(struct config *config, char *const *environment, struct settings_file *file)
{
    const char *names[OPTION_COUNT], *values[OPTION_COUNT];
    int lost = 0;
    memset(config, 0, sizeof *config);
    for (size_t i = 0; i < OPTION_COUNT; i++) names[i] = options[i].name;
    environment_pick(environment, names, values, OPTION_COUNT);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        lost |= parsers[options[i].kind](config, &options[i], options[i].fallback);
        if (values[i]) lost |= parsers[options[i].kind](config, &options[i], values[i]);
    }
    if (file) lost |= load_file(config, file, values);
    return lost ? -ENOMEM : 0;
}

void config_release(struct config *config)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (options[i].kind == KIND_TEXT) heap_free(*(char **)member(config, &options[i]));
    for (size_t i = 0; i < config->warning_count; i++) heap_free(config->warnings[i]);
    heap_free(config->warnings);
    memset(config, 0, sizeof *config);
}

void config_report_warnings(const struct config *config)
{
    for (size_t i = 0; i < config->warning_count; i++) log_warn("%s", config->warnings[i]);
}

/* What may be written as the value of |option|. */
static void describe_value(const struct option *option, char *out, size_t size)
{
    char list[160];
    switch (option->kind) {
    case KIND_BOOLEAN:
        fmt_text(out, size, "true or false");
        break;
    case KIND_NUMBER:
        fmt_text(out, size, "%ld to %ld %s", (long)option->min, (long)option->max, option->unit);
        break;
    case KIND_WORD:
    case KIND_EXPORTERS:
        join_words(option->words, ", ", list, sizeof list);
        fmt_text(out, size, "%s %s", option->kind == KIND_WORD ? "one of" : "list of", list);
        break;
    case KIND_SIGNAL:
        fmt_text(out, size, "auto, 1 to 64, PROF, RTMIN+n");
        break;
    case KIND_TEXT:
        fmt_text(out, size, "%s", option->unit);
        break;
    }
}

void config_write_reference(void (*put)(const char *line, void *context), void *context)
{
    char line[1024], value[200];
    put("| Variable | Value | Default | Meaning |", context);
    put("|---|---|---|---|", context);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option *option = &options[i];
        const char *quote = *option->fallback ? "`" : "";
        describe_value(option, value, sizeof value);
        fmt_text(line, sizeof line, "| `%s` | %s | %s%s%s | %s |", option->name, value, quote,
                 *option->fallback ? option->fallback : "unset", quote, option->meaning);
        put(line, context);
    }
}
