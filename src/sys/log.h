/*
 * Messages to the user: "otelprof[PID]: LEVEL: text", one write(2) a line, to stderr or to a file that is
 * opened for each line and closed again (the application may close or reuse any descriptor at any time).
 * Never to stdout. Any thread; not in signal handlers. Lines over 1,000 bytes are cut.
 */
#ifndef OTELPROF_SYS_LOG_H
#define OTELPROF_SYS_LOG_H

enum log_level { LOG_LEVEL_NONE, LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Lines above |level| are dropped. |file|: a path that lives as long as the process, or NULL for stderr. */
void log_configure(enum log_level level, const char *file);

/* True if a line of |level| would be written. */
int log_enabled(enum log_level level);

void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_write(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
