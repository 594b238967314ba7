#include "symbol/names.h"

#include <errno.h>
#include <string.h>

#include "symbol/binary.h"
#include "symbol/demangle.h"
#include "symbol/elf.h"
#include "symbol/elfimage.h"
#include "symbol/plt.h"
#include "symbol/rangemap.h"
#include "symbol/symtab.h"
#include "sys/heap.h"
#include "sys/rawcall.h"
#include "sys/selfmem.h"
#include "sys/sort.h"

/* Everything here is in virtual addresses of the file. */
struct function {
    uint64_t start;
    char *name;
    char *system_name; /* |name| itself when it is not mangled */
};

struct names {
    struct rangemap ranges; /* payload: index in |functions| + 1; 0: known to be unknown */
    struct function *functions;
    size_t count, cap;
    int unavailable; /* a negative errno that will not change */
};

/* The files of one batch. */
struct source {
    int fd, debug_fd;
    void *image;
    struct elf elf, debug;
    const struct elf *symbols; /* |elf| or |debug| */
    const Elf64_Shdr *table;   /* NULL: no symbols at all */
};

enum { VDSO_BYTES_MAX = 64 * 1024 };

static int open_vdso(const struct module *module, struct source *source)
{
    size_t size = module->base_limit - module->base;
    if (size > VDSO_BYTES_MAX) return -EINVAL;
    source->image = heap_alloc(size);
    if (!source->image) return -ENOMEM;
    int rc = selfmem_read(module->base, source->image, size);
    return rc ? rc : elf_open_image(&source->elf, source->image, size);
}

static int open_elf(const struct module *module, struct source *source)
{
    if (module->is_vdso) return open_vdso(module, source);
    source->fd = binary_open(module);
    return source->fd < 0 ? source->fd : elf_open_file(&source->elf, source->fd);
}

static void choose_table(const struct module *module, struct source *source)
{
    source->symbols = &source->elf;
    source->table = elf_section_of_type(&source->elf, SHT_SYMTAB);
    if (source->table) return;
    source->debug_fd = binary_open_debug(module->build_id);
    if (source->debug_fd >= 0 && !elf_open_file(&source->debug, source->debug_fd))
        source->table = elf_section_of_type(&source->debug, SHT_SYMTAB);
    if (source->table)
        source->symbols = &source->debug;
    else
        source->table = elf_section_of_type(&source->elf, SHT_DYNSYM);
}

static void close_source(struct source *source)
{
    elf_close(&source->elf);
    elf_close(&source->debug);
    if (source->fd >= 0) sys_close(source->fd);
    if (source->debug_fd >= 0) sys_close(source->debug_fd);
    heap_free(source->image);
}

/* Remembers a function and returns its payload; 0 without memory. |suffix| is added to both names. */
static uint64_t add_function(struct names *names, uint64_t start, const char *system_name, const char *suffix)
{
    char readable[SYMTAB_NAME_MAX];
    size_t suffix_len = strlen(suffix), len = demangle(system_name, readable, sizeof readable - suffix_len);
    if (heap_grow(&names->functions, &names->cap, names->count + 1, sizeof *names->functions)) return 0;
    struct function *f = &names->functions[names->count];
    size_t system_len = strlen(system_name);
    f->start = start;
    f->system_name = heap_alloc(system_len + suffix_len + 1);
    if (!f->system_name) return 0;
    memcpy(f->system_name, system_name, system_len);
    memcpy(f->system_name + system_len, suffix, suffix_len + 1);
    f->name = f->system_name;
    if (len) {
        memcpy(readable + len, suffix, suffix_len + 1);
        f->name = heap_strndup(readable, len + suffix_len);
        if (!f->name) f->name = f->system_name;
    }
    return ++names->count;
}

static int remember_plt(struct names *names, const struct elf *elf, uint64_t address)
{
    struct plt_entry *entry = heap_alloc(sizeof *entry);
    if (!entry) return -ENOMEM;
    int rc = plt_find(elf, address, entry);
    if (!rc) {
        uint64_t payload = add_function(names, entry->start, entry->target[0] ? entry->target : "[plt]",
                                        entry->target[0] ? "@plt" : "");
        rc = payload ? rangemap_insert(&names->ranges, entry->start, entry->limit - entry->start, payload)
                     : -ENOMEM;
    }
    heap_free(entry);
    return rc;
}

static int remember_answers(struct names *names, const struct source *source,
                            const struct symtab_answer *answers, size_t count)
{
    char text[SYMTAB_NAME_MAX];
    uint64_t start = 0, payload = 0;
    for (size_t i = 0; i < count; i++) {
        const struct symtab_answer *a = &answers[i];
        if (i && a->low == answers[i - 1].low) continue;
        if (!a->found) {
            rangemap_insert(&names->ranges, a->low, a->high - a->low, 0);
            continue;
        }
        if (!payload || start != a->start) {
            int len = symtab_name(source->symbols, source->table, a->name, text);
            payload = len > 0 ? add_function(names, a->start, text, "") : 0;
            start = a->start;
            if (len > 0 && !payload) return -ENOMEM;
        }
        rangemap_insert(&names->ranges, a->low, a->high - a->low, payload);
    }
    return 0;
}

/* |addresses| are sorted and new to us. */
static int resolve_new(struct names *names, const struct source *source, const uint64_t *addresses,
                       size_t count)
{
    struct symtab_answer *answers = heap_zalloc(count, sizeof *answers);
    if (!answers) return -ENOMEM;
    size_t n = 0;
    struct rangemap_range range;
    int rc = 0;
    for (size_t i = 0; i < count; i++) {
        if (!plt_contains(&source->elf, addresses[i])) {
            answers[n++] = (struct symtab_answer){.address = addresses[i], .high = UINT64_MAX};
        } else if (!rangemap_lookup(&names->ranges, addresses[i], &range)) {
            rc = remember_plt(names, &source->elf, addresses[i]);
        }
    }
    int found = source->table ? symtab_find(source->symbols, source->table, answers, n) : 0;
    if (!found) found = remember_answers(names, source, answers, n);
    heap_free(answers);
    return found ? found : rc;
}

static int is_lasting(int error)
{
    return error != -ENOMEM && error != -EMFILE && error != -ENFILE && error != -EINTR;
}

/* Opens the binary for the sorted new addresses. */
static int read_names(struct module *module, const uint64_t *addresses, size_t count)
{
    struct names *names = module->names;
    if (names->unavailable) return names->unavailable;
    struct source *source = heap_zalloc(1, sizeof *source);
    if (!source) return -ENOMEM;
    source->fd = source->debug_fd = -1;
    int rc = open_elf(module, source);
    if (!rc) {
        choose_table(module, source);
        rc = resolve_new(names, source, addresses, count);
    }
    close_source(source);
    heap_free(source);
    if (rc && is_lasting(rc)) names->unavailable = rc;
    return rc;
}

static int resolve_unknown(struct module *module, const struct name_query *queries, size_t count)
{
    uint64_t *addresses = heap_alloc(count * sizeof *addresses);
    if (!addresses) return -ENOMEM;
    size_t n = 0;
    struct rangemap_range range;
    for (size_t i = 0; i < count; i++) {
        uint64_t address = queries[i].address - module->bias;
        if (!rangemap_lookup(&module->names->ranges, address, &range)) addresses[n++] = address;
    }
    sort_u64(addresses, n);
    n = sort_unique_u64(addresses, n);
    int rc = n ? read_names(module, addresses, n) : 0;
    heap_free(addresses);
    return rc;
}

static void answer(const struct module *module, struct name_query *query)
{
    struct rangemap_range range;
    query->name = query->system_name = NULL;
    query->start = 0;
    if (!module->names || !rangemap_lookup(&module->names->ranges, query->address - module->bias, &range) ||
        !range.payload)
        return;
    const struct function *f = &module->names->functions[range.payload - 1];
    query->name = f->name;
    query->system_name = f->system_name;
    query->start = f->start + module->bias;
}

int names_resolve(struct module *module, struct name_query *queries, size_t count)
{
    int rc = 0;
    if (!module->names) {
        module->names = heap_zalloc(1, sizeof *module->names);
        if (module->names) rangemap_init(&module->names->ranges, NULL, NULL);
    }
    rc = module->names ? resolve_unknown(module, queries, count) : -ENOMEM;
    for (size_t i = 0; i < count; i++) answer(module, &queries[i]);
    return rc;
}

size_t names_bytes(const struct module *module)
{
    const struct names *names = module->names;
    return names ? sizeof *names + rangemap_bytes(&names->ranges) + names->cap * sizeof *names->functions : 0;
}
