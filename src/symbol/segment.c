#include "symbol/segment.h"

#include <errno.h>

#include "sys/selfmem.h"

enum { MAX_HEADERS = 64 };

int segment_of(const struct module *module, uintptr_t address, struct segment *segment)
{
    Elf64_Ehdr header;
    Elf64_Phdr headers[MAX_HEADERS];
    int rc = selfmem_read(module->base, &header, sizeof header);
    if (rc) return rc;
    if (!elf_header_ok(&header) || header.e_phnum > MAX_HEADERS) return -ENOENT;
    rc = selfmem_read(module->base + header.e_phoff, headers, header.e_phnum * sizeof *headers);
    for (unsigned i = 0; !rc && i < header.e_phnum; i++) {
        uintptr_t start = module->bias + headers[i].p_vaddr;
        if (headers[i].p_type != PT_LOAD || address - start >= headers[i].p_filesz) continue;
        *segment = (struct segment){start, start + headers[i].p_filesz, headers[i].p_offset};
        return 0;
    }
    return rc ? rc : -ENOENT;
}
