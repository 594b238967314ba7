#include "symbol/copies.h"

#include <errno.h>
#include <string.h>

#include "symbol/maps.h"
#include "sys/heap.h"

/* The live module of the file in |line|, if the line is not part of its own text. */
static const struct module *copied_module(const struct modules *modules, const struct maps_line *line)
{
    for (size_t i = 0; i < modules->live_count; i++) {
        const struct module *m = modules->live[i];
        if (m->inode != line->inode || m->device != line->device) continue;
        if (strlen(m->path) != line->path_len || memcmp(m->path, line->path, line->path_len)) continue;
        uint64_t text_bytes = m->limit - m->start;
        int own = line->start < m->limit && line->limit > m->start;
        if (!own && line->offset >= m->file_offset && line->offset < m->file_offset + text_bytes) return m;
    }
    return NULL;
}

int copies_scan(struct modules *modules, const char *text)
{
    struct maps_line line;
    modules->copy_count = 0;
    while ((text = maps_next(text, &line))) {
        if (!line.executable || !line.inode) continue;
        const struct module *module = copied_module(modules, &line);
        if (!module) continue;
        if (heap_grow(&modules->copies, &modules->copy_cap, modules->copy_count + 1, sizeof *modules->copies))
            return -ENOMEM;
        modules->copies[modules->copy_count++] = (struct module_copy){
            line.start, line.limit, module, module->start + (uintptr_t)(line.offset - module->file_offset)};
    }
    return 0;
}

uintptr_t modules_original(const struct modules *modules, uintptr_t pc)
{
    for (size_t i = 0; i < modules->copy_count; i++) {
        const struct module_copy *copy = &modules->copies[i];
        if (pc >= copy->start && pc < copy->limit) return copy->original + (pc - copy->start);
    }
    return 0;
}
