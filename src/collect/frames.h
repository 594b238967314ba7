/*
 * From program counters to locations of a profile. JIT code is named at once, while it is there; native code
 * gets its names in one batch a binary when the window closes. Background thread.
 */
#ifndef OTELPROF_COLLECT_FRAMES_H
#define OTELPROF_COLLECT_FRAMES_H

#include <stdint.h>

#include "node/code_map.h"
#include "profile/profile.h"
#include "sample/record.h"
#include "symbol/module.h"
#include "symbol/perfmap.h"
#include "symbol/scriptpath.h"
#include "symbol/v8tier.h"

struct frames {
    struct modules modules;
    struct code_map *code_map; /* NULL: no V8 here */
    struct perfmap *perfmap;   /* NULL: not looked for */
    uint32_t window;           /* number of the window that ids below belong to */
    uint32_t *mapping_of;      /* the profile's mapping id by module id */
    size_t mapping_cap;
    int large_tables_wait; /* see collect/mapped.h */
    uint32_t unloads;      /* sampler.unloads for which |modules| is right */
    struct perfmap_symbol symbol;
    struct script_paths paths;
    int tells_tier;
    /* Of the stack that is being made. */
    int is_native;     /* it holds no JavaScript, and nothing unknown that could be */
    enum v8_tier tier; /* of its innermost JavaScript, if |tells_tier| */
};

/* Another window: ids of the last profile mean nothing any more. */
void frames_begin_window(struct frames *frames, uint32_t window, struct profile *profile);

/* The stack of |record| in |profile|. |isolate|: index of the isolate whose code it runs, -1 none. Tells in
 * frames->tier at which tier its JavaScript runs. */
uint32_t frames_stack(struct frames *frames, struct profile *profile, const struct sample_record *record,
                      int isolate);

/* A function of |profile|, by its name and its file. */
uint32_t frames_function(struct profile *profile, const char *name, size_t len, const char *file,
                         size_t file_len, int64_t start_line, int64_t start_column);
uint32_t frames_function_of_no_file(struct profile *profile, const char *name, size_t len);

/* A location that is nothing but its name: "[truncated]". */
uint32_t frames_named_location(struct profile *profile, const char *name);

/* True if |record| holds an address of no module and no V8 code that is known. */
int frames_has_unknown(const struct frames *frames, const struct sample_record *record);

/* The stack of one invented frame |name| under the function at |parent| (0: none). */
uint32_t frames_synthetic_stack(struct frames *frames, struct profile *profile, const char *name,
                                uintptr_t parent);

/* True if |record| holds an address of V8's: in its builtins, or in no module. */
int frames_has_script(const struct frames *frames, const struct sample_record *record);

/* Names every native location of |profile|; what has no name is called [module+0xoffset]. */
void frames_name_native(struct frames *frames, struct profile *profile);

#endif
