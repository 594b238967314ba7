#include "symbol/module.h"

#include <errno.h>
#include <string.h>

#include "symbol/copies.h"
#include "symbol/elfimage.h"
#include "symbol/maps.h"
#include "sys/file.h"
#include "sys/hash.h"
#include "sys/heap.h"

/* One walk over the maps. */
struct scan {
    struct modules *modules;
    struct maps_line base; /* the last line at offset 0 of a file */
    uint8_t *mapped;       /* for each module of |all|: seen in this walk */
    size_t mapped_cap;
    struct module *current; /* the module that began at |base|, once it is known */
    struct elfimage image;  /* of |base| */
    int image_state;        /* 0 not read, 1 read, -1 not a module */
    int changed;
    int error;
};

static int is_vdso(const struct maps_line *line)
{
    return line->path_len == 6 && !memcmp(line->path, "[vdso]", 6);
}

static int is_file(const struct maps_line *line)
{
    return (line->inode && line->path_len && line->path[0] == '/') || is_vdso(line);
}

static int same_file(const struct maps_line *a, const struct maps_line *b)
{
    return a->inode == b->inode && a->device == b->device && a->path_len == b->path_len && a->path_len &&
           !memcmp(a->path, b->path, a->path_len);
}

static int is_of(const struct module *m, const struct maps_line *base, const char *build_id)
{
    return m->base == base->start && m->inode == base->inode && m->device == base->device &&
           strlen(m->path) == base->path_len && !memcmp(m->path, base->path, base->path_len) &&
           !strcmp(m->build_id, build_id);
}

static uint64_t hash_of_modules(const char *text)
{
    uint64_t hash = 1;
    struct maps_line line;
    while ((text = maps_next(text, &line)))
        if (line.executable && is_file(&line))
            hash = hash_combine(hash, hash_bytes(line.text, line.text_len));
    return hash;
}

static void describe(struct module *m, const struct scan *scan)
{
    const struct elfimage *image = &scan->image;
    m->start = image->exec_start;
    m->limit = image->exec_limit;
    m->file_offset = image->exec_offset;
    m->base_limit = scan->base.limit;
    m->bias = image->bias;
    m->eh_frame_hdr = image->eh_frame_hdr;
    m->eh_frame_hdr_size = image->eh_frame_hdr_size;
}

static struct module *add_module(struct scan *scan)
{
    struct modules *modules = scan->modules;
    struct module *m = heap_zalloc(1, sizeof *m);
    if (!m || heap_grow(&modules->all, &modules->cap, modules->count + 1, sizeof *modules->all) ||
        heap_grow(&scan->mapped, &scan->mapped_cap, modules->count + 1, 1)) {
        heap_free(m);
        return NULL;
    }
    m->path = heap_strndup(scan->base.path, scan->base.path_len);
    if (!m->path) {
        heap_free(m);
        return NULL;
    }
    m->base = scan->base.start;
    m->device = scan->base.device;
    m->since = MODULE_NEVER;
    m->inode = scan->base.inode;
    m->is_vdso = is_vdso(&scan->base);
    memcpy(m->build_id, scan->image.build_id, sizeof m->build_id);
    describe(m, scan);
    uintptr_t self = (uintptr_t)&modules_refresh;
    m->is_self = self >= m->start && self < m->limit;
    modules->all[modules->count++] = m;
    m->id = (uint32_t)modules->count;
    scan->changed = 1;
    return m;
}

/* The module at |scan->base|, known or new; NULL without memory. */
static struct module *take_module(struct scan *scan)
{
    struct modules *modules = scan->modules;
    struct module *m = NULL;
    for (size_t i = 0; i < modules->count && !m; i++)
        if (is_of(modules->all[i], &scan->base, scan->image.build_id)) m = modules->all[i];
    if (!m) m = add_module(scan);
    if (!m) {
        scan->error = -ENOMEM;
        return NULL;
    }
    if (m->gone) {
        m->gone = 0;
        scan->changed = 1;
    }
    scan->mapped[m->id - 1] = 1;
    return m;
}

/* True if |line| lies in the segments of the file that begins at |scan->base|. */
static int belongs(struct scan *scan, const struct maps_line *line)
{
    if (!same_file(&scan->base, line)) return 0;
    if (!scan->image_state)
        scan->image_state = elfimage_read(scan->base.start, &scan->image) || !scan->image.exec_limit ? -1 : 1;
    return scan->image_state > 0 && line->start < scan->image.limit;
}

/*
 * A module begins at offset 0 of a file and ends where its program headers say; it counts once one of its
 * lines is executable. Its text may be missing in the maps: node --use-largepages moves it to anonymous
 * memory.
 */
static void scan_line(struct scan *scan, const struct maps_line *line)
{
    if (!is_file(line)) return;
    /* lld and gold map the first page of small files twice, the second time as text. */
    int second_view = line->executable && belongs(scan, line);
    if (!line->offset && !second_view) {
        scan->base = *line;
        scan->current = NULL;
        scan->image_state = 0;
    }
    if (line->executable && !scan->current && belongs(scan, line)) scan->current = take_module(scan);
    /* Headers that claim more than the loader can have mapped: another file's code is not ours. */
    if (line->executable && scan->current && !same_file(&scan->base, line) &&
        line->start < scan->current->limit && line->start > scan->current->start)
        scan->current->limit = line->start;
}

static void mark_gone(struct scan *scan)
{
    struct modules *modules = scan->modules;
    for (size_t i = 0; i < modules->count; i++) {
        if (scan->mapped[i] || modules->all[i]->gone) continue;
        modules->all[i]->gone = 1;
        scan->changed = 1;
    }
}

static int rebuild_live(struct modules *modules)
{
    if (heap_grow(&modules->live, &modules->live_cap, modules->count, sizeof *modules->live)) return -ENOMEM;
    size_t n = 0;
    for (size_t i = 0; i < modules->count; i++) {
        struct module *m = modules->all[i];
        if (m->gone) continue;
        size_t at = n++;
        for (; at && modules->live[at - 1]->start > m->start; at--) modules->live[at] = modules->live[at - 1];
        modules->live[at] = m;
    }
    modules->live_count = n;
    return 0;
}

static void find_main(struct modules *modules)
{
    char exe[4096];
    static const char deleted[] = " (deleted)";
    for (size_t i = 0; i < modules->count; i++)
        if (modules->all[i]->is_main) return;
    int len = file_read_link("/proc/thread-self/exe", exe, sizeof exe);
    size_t cut = sizeof deleted - 1;
    if (len > (int)cut && !strcmp(exe + len - cut, deleted)) exe[len - (int)cut] = 0;
    for (size_t i = 0; i < modules->live_count && len > 0; i++) {
        if (strcmp(modules->live[i]->path, exe)) continue;
        modules->live[i]->is_main = 1;
        return;
    }
    if (modules->live_count) modules->live[0]->is_main = 1;
}

int modules_refresh(struct modules *modules)
{
    char *text;
    int64_t len = maps_read(&text);
    if (len < 0) return (int)len;
    uint64_t hash = hash_of_modules(text);
    if (hash == modules->seen) {
        heap_free(text);
        return 0;
    }
    struct scan scan = {.modules = modules};
    if (heap_grow(&scan.mapped, &scan.mapped_cap, modules->count + 1, 1)) {
        heap_free(text);
        return -ENOMEM;
    }
    memset(scan.mapped, 0, scan.mapped_cap);
    struct maps_line line;
    for (const char *at = text; (at = maps_next(at, &line));) scan_line(&scan, &line);
    if (!scan.error) mark_gone(&scan);
    heap_free(scan.mapped);
    int rc = rebuild_live(modules);
    if (!rc) rc = copies_scan(modules, text);
    heap_free(text);
    if (rc) return rc;
    find_main(modules);
    if (scan.error) return scan.error;
    modules->seen = hash;
    return scan.changed;
}

const struct module *modules_find(const struct modules *modules, uintptr_t pc)
{
    size_t low = 0, high = modules->live_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (modules->live[middle]->start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low && pc < modules->live[low - 1]->limit ? modules->live[low - 1] : NULL;
}

int modules_range_of(uintptr_t address, uintptr_t *start, uintptr_t *limit)
{
    char *text;
    int64_t len = maps_read(&text);
    if (len < 0) return (int)len;
    int rc = -ENOENT;
    struct maps_line line;
    for (const char *at = text; rc && (at = maps_next(at, &line));) {
        if (address < line.start || address >= line.limit || !line.readable) continue;
        *start = line.start;
        *limit = line.limit;
        rc = 0;
    }
    heap_free(text);
    return rc;
}
