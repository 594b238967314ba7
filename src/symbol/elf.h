/*
 * A reader of 64-bit little-endian ELF files of this machine's architecture that believes nothing: every
 * offset, size and index is checked against the source, and a broken file gives errors, never a fault (System
 * V ABI, chapters 4 and 5; glibc's <elf.h>). The source is an open file or an image in memory (the vDSO).
 *
 * Background thread; not async-signal-safe. Errors: -ENOEXEC for what is not such an ELF file, -EINVAL for
 * what points outside it, -ENOMEM, or that of the read.
 */
#ifndef OTELPROF_SYMBOL_ELF_H
#define OTELPROF_SYMBOL_ELF_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_BUILD_ID_TEXT 65 /* up to 32 bytes in hexadecimal */

struct elf {
    int fd;                     /* -1: an image */
    const unsigned char *image; /* not owned */
    uint64_t size;
    Elf64_Ehdr header;
    Elf64_Shdr *sections; /* NULL: stripped of section headers */
    size_t section_count;
    char *section_names; /* terminated */
    size_t section_names_size;
};

/* Reads the headers. |fd| and |image| stay the caller's and must outlive |elf|. After 0, elf_close. */
int elf_open_file(struct elf *elf, int fd);
int elf_open_image(struct elf *elf, const void *image, size_t size);
void elf_close(struct elf *elf);

/* True for the header of an ELF file that this reader takes. */
int elf_header_ok(const Elf64_Ehdr *header);

/* All |size| bytes at |offset| of the file: 0 or an error. */
int elf_read(const struct elf *elf, uint64_t offset, void *buffer, size_t size);

/* The program headers, |max| at most: their number or an error. */
int elf_program_headers(const struct elf *elf, Elf64_Phdr *headers, size_t max);

/* The first section of a type, or of a name; NULL if there is none. */
const Elf64_Shdr *elf_section_of_type(const struct elf *elf, uint32_t type);
const Elf64_Shdr *elf_section_named(const struct elf *elf, const char *name);

/* The name of a section; "" if it has none. */
const char *elf_section_name(const struct elf *elf, const Elf64_Shdr *section);

/* The section that a header's sh_link names, or NULL. */
const Elf64_Shdr *elf_linked_section(const struct elf *elf, const Elf64_Shdr *section);

/* The string at |index| of string table |strings|, terminated and cut to |size|: its length or an error. */
int elf_read_string(const struct elf *elf, const Elf64_Shdr *strings, uint64_t index, char *out, size_t size);

/* The GNU build id in hexadecimal; 0, or -ENOENT and "". */
int elf_build_id(const struct elf *elf, char id[ELF_BUILD_ID_TEXT]);

/* .gnu_debuglink: the name of the file with the debug information, and its CRC-32. 0 or -ENOENT. */
int elf_debuglink(const struct elf *elf, char *name, size_t size, uint32_t *crc);

/* The same out of the bytes of a note segment or section whose notes are aligned to |align|. */
int elf_build_id_in_notes(const unsigned char *notes, size_t size, uint64_t align,
                          char id[ELF_BUILD_ID_TEXT]);

#endif
