/* Random identifiers. Any thread; not in signal handlers. */
#ifndef OTELPROF_SYS_UUID_H
#define OTELPROF_SYS_UUID_H

enum { UUID_TEXT_BYTES = 37 };

/* Writes a random UUID (RFC 9562, version 4), 36 lower-case characters and a NUL. Of getrandom(2), without
 * ever waiting for the kernel's pool; where there is none (before Linux 3.17, or early in a boot) it is a
 * hash of clocks, pid and addresses: unique enough for a name, no secret. */
void uuid_random(char text[UUID_TEXT_BYTES]);

#endif
