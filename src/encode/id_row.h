/*
 * Rows of ids as packed varints: the location ids of stacks, by far the most of a profile's numbers (320,000
 * in the budget case). Their lengths follow no pattern, so a loop of branches mispredicts all the time; a
 * table of ready-made varints takes 0.21 ms where the loop takes 0.63 and branch-free shifting 0.55
 * (bench/encode_bench.c's case, GCC 12, EPYC). Little-endian only, as x86-64 and aarch64 are. Pure; any
 * thread.
 */
#ifndef OTELPROF_ENCODE_ID_ROW_H
#define OTELPROF_ENCODE_ID_ROW_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that id_row_put may write beyond its row: whoever allocates leaves them at the end. */
enum { ID_ROW_SLACK = 4 };

/* Bytes of |count| ids, each below 2^31, as varints. */
size_t id_row_size(const uint32_t *ids, size_t count);

/* Fills |table| for the ids 0 to |count| - 1: the varint in the lower three bytes, its length in the highest.
 * Ids from 2^21 on get the length 0. */
void id_row_table(uint32_t *table, size_t count);

/* Writes |count| ids that are all in |table|; returns the place behind. */
uint8_t *id_row_put(uint8_t *at, const uint32_t *ids, size_t count, const uint32_t *table);

#endif
