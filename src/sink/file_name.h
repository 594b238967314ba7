/* The parts of a profile file's name. Pure; any thread. */
#ifndef OTELPROF_SINK_FILE_NAME_H
#define OTELPROF_SINK_FILE_NAME_H

#include <stddef.h>
#include <stdint.h>

enum {
    FILE_NAME_COMPONENT_MAX = 128, /* terminator included; Linux allows 255 bytes for a whole name */
    FILE_NAME_TIME_MAX = 32
};

/*
 * |text| as one path component in |out| (FILE_NAME_COMPONENT_MAX bytes, cut to fit): letters, digits and . _
 * @ - stay, every other byte becomes '_', and so does the first dot of "." and "..". NULL and "" give
 * "unknown_service".
 */
void file_name_component(const char *text, char *out);

/* |unix_nanos| as YYYYMMDDTHHMMSS.mmmZ (UTC, ISO 8601 basic) in |out| (FILE_NAME_TIME_MAX bytes); a time
 * before 1970 counts as 1970. */
void file_name_time(int64_t unix_nanos, char *out);

#endif
