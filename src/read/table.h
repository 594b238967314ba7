// SPDX-License-Identifier: Apache-2.0
// A growing array of equal rows, for tables whose size the file does not announce.
#ifndef OTELPROF_READ_TABLE_H
#define OTELPROF_READ_TABLE_H

#include <stddef.h>

struct read_table {
    void *rows; // valid until the next read_table_add(); NULL while there is none
    size_t count, capacity;
};

// Appends one row of |row_size| bytes, zeroed, and returns it; NULL without memory, or when the table would
// take more than |*budget| bytes more than it has. The budget is shared by tables and goes down by what they
// take: it keeps a small hostile file from becoming a huge model.
void *read_table_add(struct read_table *table, size_t row_size, size_t *budget);

// Frees the rows and makes the table empty.
void read_table_free(struct read_table *table);

#endif
