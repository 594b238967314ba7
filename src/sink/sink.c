#include "sink/sink.h"

#include <errno.h>

#include "sink/console.h"
#include "sink/file.h"
#include "sys/heap.h"
#include "sys/log.h"

enum { SINKS_BUILT_IN = CONFIG_EXPORTER_FILE | CONFIG_EXPORTER_CONSOLE };

struct sinks {
    unsigned enabled; /* CONFIG_EXPORTER_* */
    struct sink_file file;
    struct sink_console console;
};

static void warn_of_missing(unsigned missing)
{
    if (!missing) return;
    log_error("OTEL_PROFILES_EXPORTER names%s%s%s%s%s, but this build has no network sinks yet: nothing is "
              "sent; use "
              "OTEL_PROFILES_EXPORTER=file to write profiles to OTEL_PROFILING_FILE_DIR",
              missing & CONFIG_EXPORTER_OTLP ? " otlp" : "",
              missing & CONFIG_EXPORTER_OTLP_GRPC ? " otlp_grpc" : "",
              missing & CONFIG_EXPORTER_OTLP_HTTP ? " otlp_http" : "",
              missing & CONFIG_EXPORTER_PPROF ? " pprof" : "",
              missing & CONFIG_EXPORTER_PYROSCOPE ? " pyroscope" : "");
}

struct sinks *sinks_open(const struct config *config)
{
    struct sinks *sinks = heap_zalloc(1, sizeof *sinks);
    if (!sinks) return NULL;
    sinks->enabled = config->exporters & SINKS_BUILT_IN;
    warn_of_missing(config->exporters & ~(unsigned)SINKS_BUILT_IN);
    if (sinks->enabled & CONFIG_EXPORTER_CONSOLE)
        sink_console_open(&sinks->console, (enum config_verbosity)config->console_verbosity,
                          (unsigned)config->console_top);
    if (sinks->enabled & CONFIG_EXPORTER_FILE && sink_file_open(&sinks->file, config->file_dir)) {
        heap_free(sinks);
        return NULL;
    }
    return sinks;
}

unsigned sinks_enabled(const struct sinks *sinks)
{
    return sinks->enabled;
}

int sinks_write(struct sinks *sinks, const struct export_window *window)
{
    int rc = 0;
    if (sinks->enabled & CONFIG_EXPORTER_FILE) rc = sink_file_write(&sinks->file, window);
    if (sinks->enabled & CONFIG_EXPORTER_CONSOLE) {
        int console = sink_console_write(&sinks->console, window);
        if (!rc) rc = console;
    }
    return rc;
}

void sinks_close(struct sinks *sinks)
{
    if (!sinks) return;
    if (sinks->enabled & CONFIG_EXPORTER_FILE) sink_file_close(&sinks->file);
    heap_free(sinks);
}
