/*
 * The files that a module's names come from. A path may meanwhile name another file (an upgrade, another
 * mount namespace), so what is opened is compared with what runs. Background thread; not async-signal-safe.
 */
#ifndef OTELPROF_SYMBOL_BINARY_H
#define OTELPROF_SYMBOL_BINARY_H

#include "symbol/module.h"

/*
 * Opens the file that |module| was mapped from: by its path, else by /proc/self/exe if it is the program,
 * else by /proc/self/map_files (needs CAP_CHECKPOINT_RESTORE). It is the right one if the build ids are
 * equal; without build ids, if device and inode are, or the ELF and program headers (overlayfs shows other
 * numbers in maps than in stat). A descriptor that the caller closes; -ESTALE if there are only other files,
 * or a negative errno.
 */
int binary_open(const struct module *module);

/* The detached debug file /usr/lib/debug/.build-id/xx/yyyy.debug of that build id: a descriptor, or -ENOENT.
 */
int binary_open_debug(const char *build_id);

#endif
