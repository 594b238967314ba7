#include "symbol/plt.h"

#include <errno.h>
#include <string.h>

#include "sys/heap.h"

enum {
    ENTRY_BYTES = 16, /* x86-64 and aarch64 alike, but for .plt.got without IBT: 8 */
    CHUNK_RELOCATIONS = 1024,
    RELOCATION_MAX = 4 << 20
};

static const Elf64_Shdr *section_at(const struct elf *elf, uint64_t address)
{
    for (size_t i = 0; i < elf->section_count; i++) {
        const Elf64_Shdr *s = &elf->sections[i];
        if (s->sh_type == SHT_PROGBITS && address >= s->sh_addr && address - s->sh_addr < s->sh_size &&
            !strncmp(elf_section_name(elf, s), ".plt", 4))
            return s;
    }
    return NULL;
}

int plt_contains(const struct elf *elf, uint64_t address)
{
    return section_at(elf, address) != NULL;
}

#if defined(__x86_64__)
/* The slot that the entry of |size| bytes at virtual address |address| jumps through, or 0: [endbr64] [bnd]
 * jmp *disp32(%rip), that is [f3 0f 1e fa] [f2] ff 25 disp32. */
static uint64_t decode_slot(const unsigned char *code, size_t size, uint64_t address)
{
    static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    size_t at = 0;
    if (size >= 4 && !memcmp(code, endbr64, 4)) at = 4;
    if (at < size && code[at] == 0xf2) at++;
    if (at + 6 > size || code[at] != 0xff || code[at + 1] != 0x25) return 0;
    int32_t displacement;
    memcpy(&displacement, code + at + 2, sizeof displacement);
    return address + at + 6 + (uint64_t)(int64_t)displacement;
}
#else
static uint64_t decode_slot(const unsigned char *code, size_t size, uint64_t address)
{
    return 0;
}
#endif

/* The symbol index of the relocation of |slot|; 0 unknown. */
static uint32_t symbol_of_slot(const struct elf *elf, const Elf64_Shdr *table, uint64_t slot)
{
    if (!table || table->sh_type != SHT_RELA || table->sh_entsize != sizeof(Elf64_Rela)) return 0;
    Elf64_Rela *chunk = heap_alloc(CHUNK_RELOCATIONS * sizeof *chunk);
    if (!chunk) return 0;
    uint64_t total = table->sh_size / sizeof *chunk;
    if (total > RELOCATION_MAX) total = RELOCATION_MAX;
    uint32_t symbol = 0;
    for (uint64_t done = 0; done < total && !symbol;) {
        uint64_t n = total - done < CHUNK_RELOCATIONS ? total - done : CHUNK_RELOCATIONS;
        if (elf_read(elf, table->sh_offset + done * sizeof *chunk, chunk, n * sizeof *chunk)) break;
        for (uint64_t i = 0; i < n && !symbol; i++)
            if (chunk[i].r_offset == slot) symbol = (uint32_t)ELF64_R_SYM(chunk[i].r_info);
        done += n;
    }
    heap_free(chunk);
    return symbol;
}

static void name_target(const struct elf *elf, uint64_t slot, char target[SYMTAB_NAME_MAX])
{
    const Elf64_Shdr *symbols = elf_section_of_type(elf, SHT_DYNSYM);
    if (!slot || !symbols || symbols->sh_entsize != sizeof(Elf64_Sym)) return;
    uint32_t index = symbol_of_slot(elf, elf_section_named(elf, ".rela.plt"), slot);
    if (!index) index = symbol_of_slot(elf, elf_section_named(elf, ".rela.dyn"), slot);
    if (!index || index >= symbols->sh_size / sizeof(Elf64_Sym)) return;
    Elf64_Sym symbol;
    if (elf_read(elf, symbols->sh_offset + index * sizeof symbol, &symbol, sizeof symbol)) return;
    symtab_name(elf, symbols, symbol.st_name, target);
}

int plt_find(const struct elf *elf, uint64_t address, struct plt_entry *entry)
{
    const Elf64_Shdr *section = section_at(elf, address);
    if (!section) return -ENOENT;
    uint64_t size = section->sh_entsize == 8 ? 8 : ENTRY_BYTES;
    entry->start = address - (address - section->sh_addr) % size;
    entry->limit = entry->start + size;
    entry->target[0] = 0;
    unsigned char code[ENTRY_BYTES];
    if (!elf_read(elf, section->sh_offset + (entry->start - section->sh_addr), code, size))
        name_target(elf, decode_slot(code, size, entry->start), entry->target);
    return 0;
}
