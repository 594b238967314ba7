/* Which Node this process runs. */
#ifndef OTELPROF_NODE_NODE_VERSION_H
#define OTELPROF_NODE_NODE_VERSION_H

#include <stddef.h>

/* Remembers where Node keeps its version. |lookup|: dlsym on the global scope. Constructor. */
void node_version_prepare(void *(*lookup)(const char *));

/* "20.20.2" into |out| (|size| bytes, terminated); its length, or 0 when Node does not tell (yet: its static
 * constructors run before main, but after ours). Any thread. */
size_t node_version(char *out, size_t size);

#endif
