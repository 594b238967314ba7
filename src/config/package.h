/* The name that a Node.js application gives itself in its package.json. Background thread; reads files. */
#ifndef OTELPROF_CONFIG_PACKAGE_H
#define OTELPROF_CONFIG_PACKAGE_H

#include <stddef.h>

/*
 * The "name" of the nearest package.json that has one, from the directory of |script| up to /; a heap string
 * that the caller frees, or NULL. |script| is as written on the command line and |directory| (absolute) what
 * it is relative to; a script that is a directory starts the search itself. A script below a node_modules
 * directory is a tool of the project around it (node node_modules/next/dist/bin/next): that project's name is
 * preferred.
 */
char *package_find_name(const char *script, const char *directory);

/*
 * The string value of |key| in the top-level object of the JSON |text|: written to |out|, terminated, and its
 * length returned, or -ENOENT when there is none (or it is empty, longer than |size| - 1, or no string). A
 * scanner of a page because the runtime can use no JSON library (they need libc and its malloc): it knows
 * nesting, strings and escapes, and stops at the first thing it does not understand; a |text| that is cut off
 * is fine as long as the key came before.
 */
int package_json_string(const char *text, size_t len, const char *key, char *out, size_t size);

#endif
