#include "symbol/elf.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "sys/file.h"
#include "sys/heap.h"
#include "sys/rawcall.h"

#if defined(__x86_64__)
#define ELF_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define ELF_MACHINE EM_AARCH64
#endif

enum {
    SECTION_MAX = 1 << 16, /* 4 MiB of headers; node has 42, -ffunction-sections objects thousands */
    SECTION_NAMES_MAX = 1 << 20,
    PROGRAM_HEADER_MAX = 64, /* node has 13 */
    NOTES_MAX = 64 * 1024,
    STRING_STEP = 256
};

int elf_header_ok(const Elf64_Ehdr *header)
{
    return !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_machine == ELF_MACHINE;
}

int elf_read(const struct elf *elf, uint64_t offset, void *buffer, size_t size)
{
    if (offset > elf->size || size > elf->size - offset) return -EINVAL;
    if (elf->fd < 0) {
        memcpy(buffer, elf->image + offset, size);
        return 0;
    }
    int64_t n = file_read_at(elf->fd, buffer, size, offset);
    if (n < 0) return (int)n;
    return n == (int64_t)size ? 0 : -EINVAL; /* the file was cut while we read */
}

/* The number of sections and the index of their names: in section 0 when they do not fit into the header. */
static int count_sections(const struct elf *elf, uint64_t *count, uint64_t *names)
{
    *count = elf->header.e_shnum;
    *names = elf->header.e_shstrndx;
    if (*count && *names != SHN_XINDEX) return 0;
    Elf64_Shdr first;
    int rc = elf_read(elf, elf->header.e_shoff, &first, sizeof first);
    if (rc) return rc;
    if (!*count) *count = first.sh_size;
    if (*names == SHN_XINDEX) *names = first.sh_link;
    return 0;
}

static void load_section_names(struct elf *elf, uint64_t index)
{
    if (index >= elf->section_count) return;
    const Elf64_Shdr *names = &elf->sections[index];
    if (names->sh_type != SHT_STRTAB || names->sh_size > SECTION_NAMES_MAX) return;
    char *text = heap_alloc(names->sh_size + 1);
    if (!text) return;
    if (elf_read(elf, names->sh_offset, text, names->sh_size)) {
        heap_free(text);
        return;
    }
    text[names->sh_size] = 0;
    elf->section_names = text;
    elf->section_names_size = names->sh_size;
}

/* A file whose section headers are missing or broken still has program headers: not an error. */
static int load_sections(struct elf *elf)
{
    uint64_t count, names;
    if (!elf->header.e_shoff || elf->header.e_shentsize != sizeof(Elf64_Shdr)) return 0;
    if (count_sections(elf, &count, &names) || !count || count > SECTION_MAX) return 0;
    elf->sections = heap_alloc(count * sizeof *elf->sections);
    if (!elf->sections) return -ENOMEM;
    if (elf_read(elf, elf->header.e_shoff, elf->sections, count * sizeof *elf->sections)) {
        heap_free(elf->sections);
        elf->sections = NULL;
        return 0;
    }
    elf->section_count = count;
    load_section_names(elf, names);
    return 0;
}

static int open_source(struct elf *elf)
{
    int rc = elf_read(elf, 0, &elf->header, sizeof elf->header);
    if (rc == -EINVAL || (!rc && !elf_header_ok(&elf->header))) rc = -ENOEXEC;
    return rc ? rc : load_sections(elf);
}

int elf_open_file(struct elf *elf, int fd)
{
    struct stat st;
    memset(elf, 0, sizeof *elf);
    elf->fd = fd;
    int rc = (int)sys_call2(SYS_fstat, fd, &st);
    if (rc) return rc;
    if (!S_ISREG(st.st_mode)) return -ENOEXEC;
    elf->size = (uint64_t)st.st_size;
    return open_source(elf);
}

int elf_open_image(struct elf *elf, const void *image, size_t size)
{
    memset(elf, 0, sizeof *elf);
    elf->fd = -1;
    elf->image = image;
    elf->size = size;
    return open_source(elf);
}

void elf_close(struct elf *elf)
{
    heap_free(elf->sections);
    heap_free(elf->section_names);
    memset(elf, 0, sizeof *elf);
    elf->fd = -1;
}

int elf_program_headers(const struct elf *elf, Elf64_Phdr *headers, size_t max)
{
    size_t count = elf->header.e_phnum;
    if (count && elf->header.e_phentsize != sizeof *headers) return -EINVAL;
    if (count > max) count = max;
    int rc = elf_read(elf, elf->header.e_phoff, headers, count * sizeof *headers);
    return rc ? rc : (int)count;
}

const char *elf_section_name(const struct elf *elf, const Elf64_Shdr *section)
{
    return section->sh_name < elf->section_names_size ? elf->section_names + section->sh_name : "";
}

const Elf64_Shdr *elf_section_of_type(const struct elf *elf, uint32_t type)
{
    for (size_t i = 0; i < elf->section_count; i++)
        if (elf->sections[i].sh_type == type) return &elf->sections[i];
    return NULL;
}

const Elf64_Shdr *elf_section_named(const struct elf *elf, const char *name)
{
    for (size_t i = 0; i < elf->section_count; i++)
        if (!strcmp(elf_section_name(elf, &elf->sections[i]), name)) return &elf->sections[i];
    return NULL;
}

const Elf64_Shdr *elf_linked_section(const struct elf *elf, const Elf64_Shdr *section)
{
    return section->sh_link && section->sh_link < elf->section_count ? &elf->sections[section->sh_link]
                                                                     : NULL;
}

int elf_read_string(const struct elf *elf, const Elf64_Shdr *strings, uint64_t index, char *out, size_t size)
{
    if (!size || strings->sh_type != SHT_STRTAB || index >= strings->sh_size) return -EINVAL;
    uint64_t left = strings->sh_size - index, at, used = 0;
    if (__builtin_add_overflow(strings->sh_offset, index, &at) || at >= elf->size) return -EINVAL;
    if (left > elf->size - at) left = elf->size - at;
    /* In small steps: most names are short, and the table may be on a slow disk. */
    while (used < size - 1 && used < left) {
        uint64_t step = STRING_STEP;
        if (step > size - 1 - used) step = size - 1 - used;
        if (step > left - used) step = left - used;
        int rc = elf_read(elf, at + used, out + used, step);
        if (rc) return rc;
        const char *end = memchr(out + used, 0, step);
        if (end) return (int)(end - out);
        used += step;
    }
    out[used] = 0;
    return (int)used;
}

/* Note layout: three words (name size, descriptor size, type), then both padded (gABI, "Note Section"). */
int elf_build_id_in_notes(const unsigned char *notes, size_t size, uint64_t align, char id[ELF_BUILD_ID_TEXT])
{
    uint64_t mask = align == 8 ? 7 : 3, at = 0;
    while (at <= size && size - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        memcpy(&note, notes + at, sizeof note);
        uint64_t name = at + sizeof note, desc = (name + note.n_namesz + mask) & ~mask;
        uint64_t end = desc + note.n_descsz;
        if (end > size) break;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(notes + name, "GNU", 4) &&
            note.n_descsz && note.n_descsz * 2 < ELF_BUILD_ID_TEXT) {
            for (uint32_t i = 0; i < note.n_descsz; i++) {
                id[2 * i] = "0123456789abcdef"[notes[desc + i] >> 4];
                id[2 * i + 1] = "0123456789abcdef"[notes[desc + i] & 15];
            }
            id[2 * note.n_descsz] = 0;
            return 0;
        }
        at = (end + mask) & ~mask;
    }
    id[0] = 0;
    return -ENOENT;
}

static int build_id_at(const struct elf *elf, uint64_t offset, uint64_t size, uint64_t align,
                       char id[ELF_BUILD_ID_TEXT])
{
    if (size > NOTES_MAX) return -ENOENT;
    unsigned char *notes = heap_alloc(size);
    if (!notes) return -ENOMEM;
    int rc = elf_read(elf, offset, notes, size);
    if (!rc) rc = elf_build_id_in_notes(notes, size, align, id);
    heap_free(notes);
    return rc;
}

int elf_build_id(const struct elf *elf, char id[ELF_BUILD_ID_TEXT])
{
    id[0] = 0;
    for (size_t i = 0; i < elf->section_count; i++) {
        const Elf64_Shdr *s = &elf->sections[i];
        if (s->sh_type == SHT_NOTE && !build_id_at(elf, s->sh_offset, s->sh_size, s->sh_addralign, id))
            return 0;
    }
    Elf64_Phdr headers[PROGRAM_HEADER_MAX];
    int count = elf_program_headers(elf, headers, PROGRAM_HEADER_MAX);
    for (int i = 0; i < count; i++) {
        const Elf64_Phdr *p = &headers[i];
        if (p->p_type == PT_NOTE && !build_id_at(elf, p->p_offset, p->p_filesz, p->p_align, id)) return 0;
    }
    id[0] = 0;
    return -ENOENT;
}

/* The name, terminated and padded to four bytes, then the CRC (GDB manual, "Separate Debug Files"). */
int elf_debuglink(const struct elf *elf, char *name, size_t size, uint32_t *crc)
{
    const Elf64_Shdr *link = elf_section_named(elf, ".gnu_debuglink");
    char text[512];
    if (!link || link->sh_size < 8 || link->sh_size > sizeof text) return -ENOENT;
    if (elf_read(elf, link->sh_offset, text, link->sh_size)) return -ENOENT;
    size_t len = strnlen(text, link->sh_size);
    size_t at = (len + 4) & ~(size_t)3;
    if (!len || len >= size || at + sizeof *crc > link->sh_size) return -ENOENT;
    memcpy(name, text, len + 1);
    memcpy(crc, text + at, sizeof *crc);
    return 0;
}
