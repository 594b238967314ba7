#include "sys/log.h"

#include <fcntl.h>
#include <stdarg.h>

#include "sys/descriptors.h"
#include "sys/file.h"
#include "sys/fmt.h"
#include "sys/rawcall.h"

static struct {
    enum log_level level;
    const char *file;
} config = {LOG_LEVEL_ERROR, 0};

void log_configure(enum log_level level, const char *file)
{
    config.level = level;
    config.file = file;
    descriptors_prepare();
}

int log_enabled(enum log_level level)
{
    return level <= config.level;
}

void log_write(enum log_level level, const char *format, ...)
{
    static const char *const names[] = {"none", "error", "warning", "info", "debug"};
    if (!log_enabled(level)) return;
    char line[1024];
    size_t n = fmt_text(line, sizeof line - 1, "otelprof[%d]: %s: ", sys_getpid(), names[level]);
    va_list args;
    va_start(args, format);
    n += fmt_text_v(line + n, sizeof line - 1 - n, format, args);
    va_end(args);
    line[n++] = '\n';
    int fd = config.file ? file_open(config.file, O_WRONLY | O_CREAT | O_APPEND, 0644)
                         : descriptors_standard_error();
    if (fd < 0) return;
    sys_call3(SYS_write, fd, line, n);
    if (config.file)
        sys_close(fd);
    else
        descriptors_done(fd);
}
