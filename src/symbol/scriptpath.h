/*
 * The file name of a script, in the words of a person: V8 calls ES modules by URL
 * (file:///srv/my%20app/a.mjs) and CommonJS modules by path. Pure functions; any thread.
 */
#ifndef OTELPROF_SYMBOL_SCRIPTPATH_H
#define OTELPROF_SYMBOL_SCRIPTPATH_H

#include <stddef.h>

enum script_strip {
    SCRIPT_STRIP_NONE,
    SCRIPT_STRIP_DEPENDENCIES, /* files in a node_modules directory get no name */
    SCRIPT_STRIP_ALL           /* no file gets a name */
};

struct script_paths {
    int strip;             /* enum script_strip */
    const char *directory; /* files in it are named relative to it; NULL: absolute paths stay */
};

/*
 * Writes the file name for the script |url| (|len| bytes, not terminated) into |out| (|size| bytes, not
 * terminated) and returns its length, at most |size|. file: URLs become paths, percent signs decoded; names
 * of no file (node:fs, evalmachine.<anonymous>, https://...) stay as they are.
 */
size_t script_path(const struct script_paths *paths, const char *url, size_t len, char *out, size_t size);

#endif
