/*
 * Sockets by raw system calls: close-on-exec, never blocking but for the waits here, which end at a deadline
 * (clock_monotonic; INT64_MAX: none). Background thread. Negative errno on errors.
 */
#ifndef OTELPROF_NET_SOCKET_H
#define OTELPROF_NET_SOCKET_H

#include <stdint.h>
#include <sys/socket.h>

#include "net/address.h"

/* Fills |name| with |address| and |port|; the length that counts. */
socklen_t socket_name(const struct address *address, uint16_t port, struct sockaddr_storage *name);

/* A socket of |family| and |type| (SOCK_STREAM, SOCK_DGRAM), or a negative errno. */
int socket_open(int family, int type);

/* Connects; for streams, waits until that is done or refused. 0, -ETIMEDOUT or another negative errno. */
int socket_connect(int fd, const void *name, socklen_t len, int64_t deadline);

/* Waits for |events| (POLLIN, POLLOUT): 0, -ETIMEDOUT or another negative errno. */
int socket_wait(int fd, short events, int64_t deadline);

#endif
