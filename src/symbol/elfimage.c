#include "symbol/elfimage.h"

#include <errno.h>
#include <string.h>

#include "sys/selfmem.h"

enum { PAGE_BYTES = 4096, NOTES_MAX = 4096 };

/* No program is larger; keeps sums of broken headers from wrapping. */
#define SPAN_MAX (1ULL << 40)

int elfimage_headers(uintptr_t base, Elf64_Ehdr *header, Elf64_Phdr *headers)
{
    int rc = selfmem_read(base, header, sizeof *header);
    if (rc) return rc;
    if (!elf_header_ok(header) || header->e_phentsize != sizeof *headers) return -ENOEXEC;
    if (!header->e_phnum || header->e_phnum > ELFIMAGE_PROGRAM_HEADER_MAX || header->e_phoff > SPAN_MAX)
        return -ENOEXEC;
    rc = selfmem_read(base + header->e_phoff, headers, header->e_phnum * sizeof *headers);
    return rc ? rc : header->e_phnum;
}

static uintptr_t page_down(uintptr_t address)
{
    return address & ~(uintptr_t)(PAGE_BYTES - 1);
}

static uintptr_t page_up(uintptr_t address)
{
    return page_down(address + PAGE_BYTES - 1);
}

/* The bias is that of the segment with the lowest file offset: |base| is where offset 0 is. */
static int find_bias(uintptr_t base, const Elf64_Phdr *headers, int count, uintptr_t *bias)
{
    const Elf64_Phdr *first = NULL;
    for (int i = 0; i < count; i++)
        if (headers[i].p_type == PT_LOAD && (!first || headers[i].p_offset < first->p_offset))
            first = &headers[i];
    if (!first) return -ENOEXEC;
    *bias = base + first->p_offset - first->p_vaddr;
    return 0;
}

static int add_segment(struct elfimage *image, const Elf64_Phdr *p)
{
    uintptr_t start = image->bias + p->p_vaddr;
    if (p->p_memsz > SPAN_MAX || start + p->p_memsz + PAGE_BYTES < start) return -ENOEXEC;
    uintptr_t limit = page_up(start + p->p_memsz);
    uint64_t in_page = start - page_down(start);
    start -= in_page;
    if (!image->limit || start < image->start) image->start = start;
    if (limit > image->limit) image->limit = limit;
    if (!(p->p_flags & PF_X)) return 0;
    if (!image->exec_limit || start < image->exec_start) {
        image->exec_start = start;
        image->exec_offset = p->p_offset - in_page;
    }
    if (limit > image->exec_limit) image->exec_limit = limit;
    return 0;
}

static int inside(const struct elfimage *image, uintptr_t address, uint64_t size)
{
    return address >= image->start && address <= image->limit && size <= image->limit - address;
}

static void read_build_id(struct elfimage *image, const Elf64_Phdr *p)
{
    unsigned char notes[NOTES_MAX];
    uintptr_t address = image->bias + p->p_vaddr;
    uint64_t size = p->p_filesz < sizeof notes ? p->p_filesz : sizeof notes;
    if (!inside(image, address, size) || selfmem_read(address, notes, size)) return;
    elf_build_id_in_notes(notes, size, p->p_align, image->build_id);
}

int elfimage_read(uintptr_t base, struct elfimage *image)
{
    Elf64_Ehdr header;
    Elf64_Phdr headers[ELFIMAGE_PROGRAM_HEADER_MAX];
    memset(image, 0, sizeof *image);
    int count = elfimage_headers(base, &header, headers);
    if (count < 0) return count;
    int rc = find_bias(base, headers, count, &image->bias);
    for (int i = 0; i < count && !rc; i++)
        if (headers[i].p_type == PT_LOAD) rc = add_segment(image, &headers[i]);
    if (rc) return rc;
    if (image->limit - image->start > SPAN_MAX) return -ENOEXEC;
    for (int i = 0; i < count; i++) {
        const Elf64_Phdr *p = &headers[i];
        if (p->p_type == PT_NOTE && !image->build_id[0]) read_build_id(image, p);
        if (p->p_type == PT_GNU_EH_FRAME && inside(image, image->bias + p->p_vaddr, p->p_memsz)) {
            image->eh_frame_hdr = image->bias + p->p_vaddr;
            image->eh_frame_hdr_size = p->p_memsz;
        }
    }
    return 0;
}
