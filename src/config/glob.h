/* Globs as users write them for programs: '*' is any text, slashes too, '?' any one byte; no brackets, no
 * escapes. Pure; any thread. */
#ifndef OTELPROF_CONFIG_GLOB_H
#define OTELPROF_CONFIG_GLOB_H

#include <stddef.h>

/* True if the |len| bytes of |glob| match the whole of |text|. Time is at most |len| x strlen(text): a glob
 * of many stars cannot hang a process start. */
int glob_match(const char *glob, size_t len, const char *text);

#endif
