/* The container this process runs in, from what /proc shows. Background thread; reads files. */
#ifndef OTELPROF_CONFIG_CONTAINER_H
#define OTELPROF_CONFIG_CONTAINER_H

#include <stddef.h>

enum { CONTAINER_ID_BYTES = 65 };

struct container {
    int inside;                  /* there are signs of a container, with or without an id */
    char id[CONTAINER_ID_BYTES]; /* 64 hex digits, or "" */
};

/* Fills |container|; what cannot be read is no sign. */
void container_detect(struct container *container);

/*
 * The container id in /proc/self/cgroup (|text|): the last run of exactly 64 hex digits of a line, as in
 * ".../kubepods/.../<id>", ".../docker-<id>.scope", ".../cri-containerd-<id>.scope". The last, because a
 * container in a container (kind) has both. With cgroup v2 and a private cgroup namespace there is none
 * ("0::/"). 1 if found.
 */
int container_id_from_cgroup(const char *text, char id[CONTAINER_ID_BYTES]);

/*
 * The container id in /proc/self/mountinfo (|text|): on a line with "/hostname" (the file that Docker and
 * Podman mount), the path component of 64 hex digits after "containers" or "overlay-containers". containerd
 * under Kubernetes mounts it from ".../sandboxes/<id>", which is the pod's id and not taken. 1 if found.
 * Rule: opentelemetry-js, resource-detector-container.
 */
int container_id_from_mountinfo(const char *text, char id[CONTAINER_ID_BYTES]);

/* True if mountinfo (|text|; proc_pid_mountinfo(5)) says that / is an overlay: an image's root. */
int container_root_is_overlay(const char *text);

#endif
