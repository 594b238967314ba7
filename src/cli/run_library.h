// SPDX-License-Identifier: Apache-2.0
// Which libotelprof.so `otelprof run` preloads.
#ifndef OTELPROF_CLI_RUN_LIBRARY_H
#define OTELPROF_CLI_RUN_LIBRARY_H

// The absolute path of the library, to be freed: $OTELPROF_LIBRARY if set, else libotelprof.so beside this
// program or in
// ../lib from there. NULL, after telling the user, if there is none or if its path cannot stand in
// LD_PRELOAD.
char *run_library_find(void);

#endif
