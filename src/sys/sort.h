/* Sorting without libc: qsort takes memory for large arrays. Heap sort: in place, no recursion, O(n log n)
 * always. Async-signal-safe. */
#ifndef OTELPROF_SYS_SORT_H
#define OTELPROF_SYS_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Lets the value at |at| sink until the heap [at, count) is one again. */
static inline void sort_sink_u64(uint64_t *values, size_t at, size_t count)
{
    uint64_t value = values[at];
    size_t child;
    while ((child = 2 * at + 1) < count) {
        if (child + 1 < count && values[child + 1] > values[child]) child++;
        if (values[child] <= value) break;
        values[at] = values[child];
        at = child;
    }
    values[at] = value;
}

/* Ascending. */
static inline void sort_u64(uint64_t *values, size_t count)
{
    for (size_t i = count / 2; i-- > 0;) sort_sink_u64(values, i, count);
    for (size_t end = count; end-- > 1;) {
        uint64_t largest = values[0];
        values[0] = values[end];
        values[end] = largest;
        sort_sink_u64(values, 0, end);
    }
}

/* Removes repetitions from a sorted array; returns the new count. */
static inline size_t sort_unique_u64(uint64_t *values, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!kept || values[kept - 1] != values[i]) values[kept++] = values[i];
    return kept;
}

#endif
