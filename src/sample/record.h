/* One sample as the handler writes it into a ring and the collector reads it. */
#ifndef OTELPROF_SAMPLE_RECORD_H
#define OTELPROF_SAMPLE_RECORD_H

#include <stdint.h>

enum { SAMPLE_KEEP_ROOT = 32 }; /* root-most frames that a cut stack keeps */

/*
 * Behind it stand |native_count| words, the native stack, leaf first: what unwind_copy (unwind/walk.h) gives,
 * that is program counters, UNWIND_PC_EXACT on those that are no return addresses, UNWIND_TRUNCATED where
 * frames were left out. In a process with V8 (script_count == native_count, else 0) two words more for each
 * of them, meaningful when it is V8's: |script_count| positions, the address of the executing bytecode of an
 * interpreted frame, then |script_count| functions, the JSFunction of a JavaScript frame. Then |js_count|
 * addresses from V8's own stack sample, only when the native walk did not reach the root.
 */
struct sample_record {
    uint64_t commit; /* ring.h */
    uint32_t thread_index;
    uint32_t thread_generation;
    uint64_t weight;   /* ns of CPU time this tick stands for */
    uint64_t sequence; /* of the code map when the sample was taken */
    uint32_t unloads;  /* sampler.unloads when the sample was taken: which modules its addresses belong to */
    uint32_t cut;      /* frames left out */
    uint16_t native_count;
    uint16_t script_count;
    uint16_t js_count;
    uint8_t end; /* enum unwind_end */
    uint8_t has_isolate;
    uint32_t isolate; /* index, if has_isolate */
    uint64_t top[2];  /* words at the top of the stack: return addresses, if the leaf has no frame; 0: none */
    uint64_t words[];
};

static inline uint64_t record_position(const struct sample_record *record, unsigned i)
{
    return record->script_count ? record->words[record->native_count + i] : 0;
}

static inline uint64_t record_function(const struct sample_record *record, unsigned i)
{
    return record->script_count ? record->words[record->native_count + record->script_count + i] : 0;
}

static inline const uint64_t *record_js(const struct sample_record *record)
{
    return record->words + record->native_count + 2 * record->script_count;
}

#endif
