// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <stdlib.h>
#include <string.h>

void *read_table_add(struct read_table *table, size_t row_size, size_t *budget)
{
    if (table->count == table->capacity) {
        size_t capacity = table->capacity ? table->capacity * 2 : 64;
        size_t more = (capacity - table->capacity) * row_size;
        if (more > *budget) return NULL;
        void *rows = realloc(table->rows, capacity * row_size);
        if (!rows) return NULL;
        *budget -= more;
        table->rows = rows;
        table->capacity = capacity;
    }
    char *row = (char *)table->rows + table->count++ * row_size;
    return memset(row, 0, row_size);
}

void read_table_free(struct read_table *table)
{
    free(table->rows);
    *table = (struct read_table){0};
}
