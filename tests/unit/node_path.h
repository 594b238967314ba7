/* Where the Node binaries are that tests/node/fetch-node.sh gets. */
#ifndef OTELPROF_TESTS_NODE_PATH_H
#define OTELPROF_TESTS_NODE_PATH_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The path of Node |version|; without it the test fails: ctest gets it first. */
static inline void node_path(const char *version, char *path, size_t size)
{
    const char *directory = getenv("OTELPROF_CACHE");
    ck_assert_msg(directory != NULL, "OTELPROF_CACHE is not set: run by ctest");
    snprintf(path, size, "%s/node-%s/bin/node", directory, version);
    ck_assert_msg(access(path, X_OK) == 0, "%s is missing: run tests/node/fetch-node.sh", path);
}

#endif
