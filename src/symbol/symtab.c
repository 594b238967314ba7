#include "symbol/symtab.h"

#include <errno.h>
#include <string.h>

#include "sys/heap.h"

enum {
    CHUNK_SYMBOLS = 2730, /* 64 KiB of 24-byte entries */
    SYMBOL_MAX = 8 << 20  /* a browser with all debug symbols has 2 million */
};

/* A symbol that may be an answer. |rank| 0: none yet. */
struct pick {
    uint64_t start;
    uint64_t size;
    uint32_t name;
    uint32_t rank; /* of its binding */
};

/* What the pass has found for one address. */
struct slot {
    uint64_t address;
    uint64_t low, high;   /* the nearest boundaries of symbols and sections */
    struct pick covering; /* rule 1 */
    struct pick function; /* the last function at or below; of the gap below the address until settle() */
    struct pick label;    /* the same for labels */
};

struct pass {
    const struct elf *elf;
    const Elf64_Shdr *table;
    struct slot *slots;
    size_t count;
};

/* The first slot with an address >= |address|. Branch-free inside: 200,000 calls a pass. */
static size_t slot_at(const struct pass *pass, uint64_t address)
{
    const struct slot *base = pass->slots;
    size_t left = pass->count;
    while (left > 1) {
        size_t half = left / 2;
        base = base[half - 1].address < address ? base + half : base;
        left -= half;
    }
    return (size_t)(base - pass->slots) + (base->address < address);
}

static void note_boundary(struct pass *pass, size_t slot, uint64_t at)
{
    if (slot < pass->count && at > pass->slots[slot].low) pass->slots[slot].low = at;
    if (slot && at < pass->slots[slot - 1].high) pass->slots[slot - 1].high = at;
}

static uint32_t rank_of(const Elf64_Sym *symbol)
{
    switch (ELF64_ST_BIND(symbol->st_info)) {
    case STB_LOCAL:
        return 2;
    case STB_WEAK:
        return 1;
    default:
        return 3; /* STB_GLOBAL, STB_GNU_UNIQUE */
    }
}

static size_t leading_underscores(const char *name)
{
    size_t n = 0;
    while (name[n] == '_') n++;
    return n;
}

/* True if |a| is the better of two names for one address. */
static int better_name(const struct pass *pass, uint32_t a, uint32_t b)
{
    char text[SYMTAB_NAME_MAX];
    int len_a = symtab_name(pass->elf, pass->table, a, text);
    size_t underscores_a = leading_underscores(text);
    int len_b = symtab_name(pass->elf, pass->table, b, text);
    size_t underscores_b = leading_underscores(text);
    if (len_a <= 0 || len_b <= 0) return len_a > 0;
    return underscores_a != underscores_b ? underscores_a < underscores_b : len_a < len_b;
}

/* Puts |new| in |pick|'s place if it begins later, or at the same address and is the better one. */
static void offer(const struct pass *pass, struct pick *pick, const struct pick *new)
{
    if (pick->rank) {
        if (new->start != pick->start) {
            if (new->start < pick->start) return;
        } else if (new->rank != pick->rank) {
            if (new->rank < pick->rank) return;
        } else if (!better_name(pass, new->name, pick->name)) {
            return;
        }
    }
    *pick = *new;
}

static int in_code(const struct elf *elf, const Elf64_Sym *symbol)
{
    return symbol->st_shndx < elf->section_count && elf->sections[symbol->st_shndx].sh_flags & SHF_EXECINSTR;
}

static void take_symbol(struct pass *pass, const Elf64_Sym *symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    int function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (!function && (type != STT_NOTYPE || !in_code(pass->elf, symbol))) return;
    /* Undefined, absolute and reserved; but large files index their sections elsewhere (SHN_XINDEX). */
    if (!symbol->st_name || symbol->st_shndx == SHN_UNDEF ||
        (symbol->st_shndx >= SHN_LORESERVE && symbol->st_shndx != SHN_XINDEX))
        return;
    struct pick new = {symbol->st_value, symbol->st_size, symbol->st_name, rank_of(symbol)};
    size_t slot = slot_at(pass, new.start);
    note_boundary(pass, slot, new.start);
    if (slot == pass->count) return;
    offer(pass, function ? &pass->slots[slot].function : &pass->slots[slot].label, &new);
    uint64_t end;
    if (!new.size || __builtin_add_overflow(new.start, new.size, &end)) return;
    for (; slot < pass->count && pass->slots[slot].address < end; slot++)
        if (function) offer(pass, &pass->slots[slot].covering, &new);
    note_boundary(pass, slot, end);
}

static int read_table(struct pass *pass)
{
    const Elf64_Shdr *table = pass->table;
    Elf64_Sym *chunk = heap_alloc(CHUNK_SYMBOLS * sizeof *chunk);
    if (!chunk) return -ENOMEM;
    uint64_t total = table->sh_size / sizeof *chunk;
    if (total > SYMBOL_MAX) total = SYMBOL_MAX;
    int rc = 0;
    for (uint64_t done = 0; done < total && !rc;) {
        uint64_t n = total - done < CHUNK_SYMBOLS ? total - done : CHUNK_SYMBOLS;
        rc = elf_read(pass->elf, table->sh_offset + done * sizeof *chunk, chunk, n * sizeof *chunk);
        for (uint64_t i = 0; i < n && !rc; i++) take_symbol(pass, &chunk[i]);
        done += n;
    }
    heap_free(chunk);
    return rc;
}

static void note_sections(struct pass *pass)
{
    for (size_t i = 0; i < pass->elf->section_count; i++) {
        const Elf64_Shdr *s = &pass->elf->sections[i];
        if (!(s->sh_flags & SHF_EXECINSTR)) continue;
        note_boundary(pass, slot_at(pass, s->sh_addr), s->sh_addr);
        uint64_t end = s->sh_addr + s->sh_size;
        note_boundary(pass, slot_at(pass, end), end);
    }
}

/* What was noted for the gap below an address holds for the addresses further up too. */
static void settle(struct pass *pass)
{
    struct slot *slots = pass->slots;
    for (size_t i = 1; i < pass->count; i++) {
        if (slots[i - 1].low > slots[i].low) slots[i].low = slots[i - 1].low;
        if (slots[i - 1].function.rank) offer(pass, &slots[i].function, &slots[i - 1].function);
        if (slots[i - 1].label.rank) offer(pass, &slots[i].label, &slots[i - 1].label);
    }
    for (size_t i = pass->count; i-- > 1;)
        if (slots[i].high < slots[i - 1].high) slots[i - 1].high = slots[i].high;
}

/* True if nothing but |pick|'s own section lies between its beginning and |address|. */
static int same_section(const struct elf *elf, const struct pick *pick, uint64_t address)
{
    for (size_t i = 0; i < elf->section_count; i++) {
        const Elf64_Shdr *s = &elf->sections[i];
        if (s->sh_flags & SHF_EXECINSTR && address >= s->sh_addr && address - s->sh_addr < s->sh_size)
            return pick->start >= s->sh_addr;
    }
    return 0;
}

static int reaches(const struct elf *elf, const struct pick *pick, uint64_t address)
{
    if (!pick->rank) return 0;
    return pick->size ? address - pick->start < pick->size : same_section(elf, pick, address);
}

static void answer_slot(const struct elf *elf, const struct slot *slot, struct symtab_answer *answer)
{
    const struct pick *best = NULL;
    if (slot->covering.rank)
        best = &slot->covering;
    else if (reaches(elf, &slot->function, slot->address))
        best = &slot->function;
    else if (reaches(elf, &slot->label, slot->address) &&
             (!slot->function.rank || slot->function.start <= slot->label.start))
        best = &slot->label;
    answer->low = slot->low;
    answer->high = slot->high;
    answer->found = best != NULL;
    answer->start = best ? best->start : 0;
    answer->name = best ? best->name : 0;
}

int symtab_find(const struct elf *elf, const Elf64_Shdr *table, struct symtab_answer *answers, size_t count)
{
    if (!count) return 0;
    if (!elf_linked_section(elf, table)) return -ENOENT;
    if (table->sh_entsize != sizeof(Elf64_Sym)) return -EINVAL;
    struct pass pass = {elf, table, heap_zalloc(count, sizeof *pass.slots), count};
    if (!pass.slots) return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        pass.slots[i].address = answers[i].address;
        pass.slots[i].high = UINT64_MAX;
    }
    int rc = read_table(&pass);
    if (!rc) {
        note_sections(&pass);
        settle(&pass);
        for (size_t i = 0; i < count; i++) answer_slot(elf, &pass.slots[i], &answers[i]);
    }
    heap_free(pass.slots);
    return rc;
}

int symtab_name(const struct elf *elf, const Elf64_Shdr *table, uint32_t index, char name[SYMTAB_NAME_MAX])
{
    name[0] = 0;
    const Elf64_Shdr *strings = elf_linked_section(elf, table);
    if (!strings) return -ENOENT;
    int len = elf_read_string(elf, strings, index, name, SYMTAB_NAME_MAX);
    if (len <= 0) {
        name[0] = 0;
        return len;
    }
    char *version = strchr(name + 1, '@');
    if (version) *version = 0;
    return version ? (int)(version - name) : len;
}
