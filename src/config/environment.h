/*
 * The environment without getenv, which is the application's to override (bash and others do). Only read,
 * never changed. Constructor or background thread; not in signal handlers.
 */
#ifndef OTELPROF_CONFIG_ENVIRONMENT_H
#define OTELPROF_CONFIG_ENVIRONMENT_H

#include <stddef.h>

/*
 * The environment of this process, never NULL: libc's |environ|, else (a constructor that runs before libc's
 * own, or a copy relocation that left ours empty: opentelemetry-injector #348) the one /proc/self/environ
 * shows, in memory that lives as long as the process. Empty when neither can be had: a process that changed
 * its uid may not read its own /proc/self/environ, which is no error (opentelemetry-injector #361).
 */
char **config_environment(void);

/*
 * One pass over |environment| for the |count| variables |names|: values[i] is the text after "names[i]=" of
 * the first entry that has it, as with getenv, or NULL if there is none. A value that is empty or blank
 * counts as unset: NULL, even if a later duplicate has text. Values point into |environment|. NULL names are
 * skipped.
 */
void environment_pick(char *const *environment, const char *const *names, const char **values, size_t count);

#endif
