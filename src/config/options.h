/*
 * All environment variables that this build acts on, in one table: name, kind of value, default, range,
 * meaning. The configuration file (settings_file.h) has the same names; a variable that is set wins. The
 * reference in the documentation is printed from the same table (config_write_reference), so an option that
 * is not in it does not exist.
 *
 * Rules (OpenTelemetry's, sdk-environment-variables.md): empty or blank is unset; a boolean is true only for
 * "true" and false only for "false", in any case of letters; an unknown word, or a number that is wrong or
 * out of range, keeps the default and gives a warning. Of duplicate variables the first counts, as in getenv.
 *
 * Constructor or background thread; not in signal handlers.
 */
#ifndef OTELPROF_CONFIG_OPTIONS_H
#define OTELPROF_CONFIG_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "config/environment.h"
#include "config/settings_file.h"
#include "sys/log.h"

/* Bits of config.exporters; none of them set means "none": no profile is to be made. */
enum config_exporter {
    CONFIG_EXPORTER_OTLP = 1,
    CONFIG_EXPORTER_OTLP_GRPC = 2,
    CONFIG_EXPORTER_OTLP_HTTP = 4,
    CONFIG_EXPORTER_PPROF = 8,
    CONFIG_EXPORTER_PYROSCOPE = 16,
    CONFIG_EXPORTER_FILE = 32,
    CONFIG_EXPORTER_CONSOLE = 64
};

enum config_verbosity { CONFIG_VERBOSITY_BASIC, CONFIG_VERBOSITY_NORMAL, CONFIG_VERBOSITY_DETAILED };

enum { CONFIG_SIGNAL_AUTO = 0 };

struct config {
    int sdk_disabled;      /* OTEL_SDK_DISABLED */
    int profiling_enabled; /* OTEL_PROFILING_ENABLED */
    int in_tests;          /* OTEL_PROFILING_IN_TESTS */
    int cpu_enabled;
    int64_t start_delay_ms;
    int64_t collection_interval_ms;
    int64_t cpu_sampling_interval_micros; /* of CPU time */
    int64_t exit_timeout_ms;
    int64_t max_stack_depth; /* frames */
    int64_t console_top;     /* functions */
    unsigned exporters;      /* enum config_exporter bits */
    int log_level;           /* enum log_level */
    int console_verbosity;   /* enum config_verbosity */
    int strip_filenames;     /* enum script_strip (symbol/scriptpath.h) */
    int shorten_paths;
    int tier_label;
    int signal; /* a signal number of the kernel, or CONFIG_SIGNAL_AUTO */

    /* Copies owned by this struct; NULL when unset. */
    char *service_name;
    char *resource_attributes; /* as written, still percent-encoded: resource.h decodes it */
    char *include;
    char *exclude;
    char *config_file;
    char *log_file;
    char *file_dir; /* never empty; may be relative */

    char **warnings; /* a finished line each, without prefix */
    size_t warning_count, warning_cap;
};

/*
 * Fills |config| from |environment| (NULL-terminated, as config_environment gives it) and, for what is not
 * set there, from |file| (NULL: none): defaults first, then what is set. Prints nothing: what is to be said
 * waits in config->warnings, and of lines of the file in |file|. 0, or -ENOMEM when a text or a warning was
 * lost; |config| is usable either way.
 */
int config_load(struct config *config, char *const *environment, struct settings_file *file);

/* Frees what |config| owns. */
void config_release(struct config *config);

/* Logs the collected warnings. To be called once activation is decided and log_configure was called: a
 * process that stands down prints nothing. */
void config_report_warnings(const struct config *config);

/* Gives |put| the options table as a Markdown table, a line at a time without newline; |line| is valid only
 * during the call. */
void config_write_reference(void (*put)(const char *line, void *context), void *context);

#endif
