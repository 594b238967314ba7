/*
 * The unwind tables against readelf's own interpretation of the same .eh_frame, row by row; hand-made records
 * that no compiler here emits; damage; no memory.
 */
#include <check.h>
#include <dlfcn.h>
#include <time.h>

#include "sys/selfmem.h"
#include "unwind/arch.h"
#include "unwind/cfi.h"
#include "unwind_elf.h"
#include "unwind_heap.h"
#include "node_path.h"

enum { COLUMNS = 24 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static const struct unwind_rule *rule_for(const struct cfi_table *t, uintptr_t pc)
{
    return &rule_array()[cfi_lookup(t, pc)];
}

/* ---- readelf as the oracle ---- */

/* A line of readelf: "from this address, the CFA and where rbp and the return address are". */
struct oracle_row {
    unsigned long pc;
    char cfa[16], rbp[16], ra[16];
};

struct oracle_cie {
    unsigned long record;
    int signal_frame;
    struct oracle_row row; /* what holds at the start of its functions */
};

struct comparison {
    const struct elf_module *module;
    const struct cfi_table *table;
    unsigned long fde_limit; /* of the FDE being read, 0 in a CIE */
    const struct oracle_cie *parent;
    struct oracle_row row; /* the last one read, valid up to the next one's pc */
    int wrong;
    long rows, functions, expressions;
    char columns[COLUMNS][16];
    int column_count;
    struct oracle_cie cies[256];
    int cie_count;
};

static int cfa_agrees(const struct unwind_rule *r, const char *cfa)
{
    int offset;
    if (sscanf(cfa, "rsp%d", &offset) == 1) return r->cfa == UNWIND_CFA_SP && r->cfa_offset == offset;
    if (sscanf(cfa, "rbp%d", &offset) == 1) return r->cfa == UNWIND_CFA_FP && r->cfa_offset == offset;
    if (strcmp(cfa, "exp") == 0) return r->cfa != UNWIND_CFA_INVALID; /* checked by walks through them */
    return r->cfa == UNWIND_CFA_UNTRACKED;                            /* any other register */
}

static int fp_agrees(const struct unwind_rule *r, const char *rbp)
{
    int offset;
    if (r->cfa == UNWIND_CFA_UNTRACKED) return 1;
    if (sscanf(rbp, "c%d", &offset) == 1) return r->fp == UNWIND_FP_AT_CFA && r->fp_offset == offset;
    if (strcmp(rbp, "u") == 0 || strcmp(rbp, "s") == 0)
        return r->fp == UNWIND_FP_SAME || r->fp == UNWIND_FP_UNKNOWN;
    if (strcmp(rbp, "exp") == 0) return r->fp == UNWIND_FP_AT_FP || r->fp == UNWIND_FP_UNKNOWN;
    return r->fp == UNWIND_FP_UNKNOWN;
}

static int row_agrees(const struct comparison *c, const struct unwind_rule *r)
{
    if (c->parent->signal_frame) return r->cfa == UNWIND_CFA_SIGNAL;
    if (strcmp(c->row.ra, "u") == 0) return r->cfa == UNWIND_CFA_END;
    if (strcmp(c->row.ra, "c-8") != 0) return r->cfa == UNWIND_CFA_UNTRACKED;
    return cfa_agrees(r, c->row.cfa) && fp_agrees(r, c->row.rbp);
}

/* The row that is held is good up to |limit|: looks up its first and its last byte. */
static void check_row(struct comparison *c, unsigned long limit)
{
    if (!c->fde_limit || limit <= c->row.pc) return;
    unsigned long at[2] = {c->row.pc, limit - 1};
    for (int i = 0; i < 2; i++) {
        const struct unwind_rule *r = rule_for(c->table, c->module->base + at[i]);
        if (row_agrees(c, r)) continue;
        if (c->wrong++ < 10)
            fprintf(stderr, "%s %#lx: readelf CFA %s rbp %s ra %s; table cfa %d %+d%+d fp %d %+d\n",
                    c->module->path, at[i], c->row.cfa, c->row.rbp, c->row.ra, r->cfa, r->cfa_offset,
                    r->cfa_addend, r->fp, r->fp_offset);
    }
    c->rows++;
    c->expressions += strcmp(c->row.cfa, "exp") == 0;
}

/* "00000018 0000000000000014 0000001c FDE cie=00000000 pc=0000000000003830..0000000000003852" */
static void begin_fde(struct comparison *c, const char *line)
{
    unsigned long cie, start, limit;
    if (sscanf(strstr(line, "FDE cie="), "FDE cie=%lx pc=%lx..%lx", &cie, &start, &limit) != 3) return;
    for (int i = 0; i < c->cie_count; i++)
        if (c->cies[i].record == cie) c->parent = &c->cies[i];
    c->fde_limit = limit;
    c->functions++;
    c->row = c->parent->row; /* no rows follow if there is nothing but nops */
    c->row.pc = start;
}

static void begin_cie(struct comparison *c, const char *line)
{
    ck_assert_int_lt(c->cie_count, 256);
    struct oracle_cie *cie = &c->cies[c->cie_count++];
    *cie = (struct oracle_cie){.record = strtoul(line, NULL, 16)};
    const char *augmentation = strstr(line, "CIE \"") + 5;
    cie->signal_frame = strcspn(augmentation, "S") < strcspn(augmentation, "\"");
    c->fde_limit = 0;
}

static void read_columns(struct comparison *c, char *line)
{
    c->column_count = 0;
    for (char *word = strtok(line, " \n"); word && c->column_count < COLUMNS; word = strtok(NULL, " \n"))
        snprintf(c->columns[c->column_count++], 16, "%s", word);
}

static void read_row(struct comparison *c, char *line)
{
    struct oracle_row row = {0, "", "u", "u"};
    int i = 0;
    for (char *word = strtok(line, " \n"); word && i < c->column_count; word = strtok(NULL, " \n")) {
        if (word[0] == '(') continue; /* a register has two names: "r8 (r8)" */
        const char *name = c->columns[i++];
        if (i == 1) row.pc = strtoul(word, NULL, 16);
        if (i == 2) snprintf(row.cfa, sizeof row.cfa, "%s", word);
        if (strcmp(name, "rbp") == 0) snprintf(row.rbp, sizeof row.rbp, "%s", word);
        if (strcmp(name, "ra") == 0) snprintf(row.ra, sizeof row.ra, "%s", word);
    }
    if (c->fde_limit) {
        check_row(c, row.pc);
        c->row = row;
    } else {
        c->cies[c->cie_count - 1].row = row;
    }
}

static void read_line(struct comparison *c, char *line)
{
    int record = strstr(line, "CIE \"") || strstr(line, "FDE cie=");
    if (record) check_row(c, c->fde_limit);
    if (strstr(line, "CIE \""))
        begin_cie(c, line);
    else if (strstr(line, "FDE cie="))
        begin_fde(c, line);
    else if (strstr(line, "   LOC"))
        read_columns(c, line);
    else if (strspn(line, "0123456789abcdef") == 16)
        read_row(c, line);
}

static void compare_with_readelf(const struct elf_module *m, const char *file)
{
    struct cfi_table *table;
    double begin = now_ms();
    ck_assert_int_eq(cfi_build(&m->source, &table), 0);
    double spent = now_ms() - begin;
    char command[700], line[1024];
    snprintf(command, sizeof command, "readelf --wide --debug-dump=frames-interp '%s' 2>/dev/null", file);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    struct comparison c = {.module = m, .table = table};
    while (fgets(line, sizeof line, pipe)) read_line(&c, line);
    check_row(&c, c.fde_limit);
    pclose(pipe);
    printf(
        "%-48s %6ld functions %7ld rows (%ld by expression) agree, %d wrong; table %u rows %zu KB %.1f ms\n",
        file, c.functions, c.rows, c.expressions, c.wrong, table->row_count, cfi_bytes(table) / 1024, spent);
    ck_assert_int_gt(c.functions, 0);
    ck_assert_int_eq(c.wrong, 0);
    ck_assert_uint_le(table->fde_count, (unsigned)c.functions);
    ck_assert_uint_ge(table->fde_count, (unsigned)(c.functions - c.functions / 50));
    cfi_free(table);
}

static void compare_loaded(const char *part)
{
    struct elf_module m;
    ck_assert(elf_find(part, &m));
    compare_with_readelf(&m, part[0] ? m.path : "/proc/self/exe");
}

/* popen's readelf would open its own /proc/self/exe. */
static const char *own_path(void)
{
    static char path[512];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    return path;
}

START_TEST(the_table_of_libc_is_readelfs)
{
    compare_loaded("/libc.so.6");
    compare_loaded("/ld-linux-x86-64.so.2");
}
END_TEST

START_TEST(the_table_of_libstdcxx_is_readelfs)
{
    ck_assert_ptr_nonnull(dlopen("libstdc++.so.6", RTLD_NOW));
    compare_loaded("/libstdc++.so.6");
}
END_TEST

START_TEST(the_table_of_this_program_is_readelfs)
{
    struct elf_module m;
    ck_assert(elf_find("", &m));
    compare_with_readelf(&m, own_path());
}
END_TEST

START_TEST(the_table_of_hand_written_assembly_is_readelfs)
{
    if (!dlopen("libcrypto.so.3", RTLD_NOW)) return; /* OpenSSL: CFA expressions, realigned stacks */
    compare_loaded("/libcrypto.so.3");
}
END_TEST

START_TEST(the_table_of_the_vdso_is_readelfs)
{
    struct elf_module m;
    char path[] = "/tmp/cfi_test_vdso_XXXXXX";
    uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
    if (!vdso) return;
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    /* As many pages as there are: the size is nowhere. */
    for (int page = 0; page < 8 && write(fd, (void *)(vdso + (uintptr_t)page * 4096), 4096) == 4096; page++) {
    }
    close(fd);
    ck_assert(elf_find("vdso", &m));
    compare_with_readelf(&m, path);
    unlink(path);
}
END_TEST

START_TEST(the_table_of_node_is_readelfs)
{
    char node[512];
    struct elf_module m;
    node_path("20.20.2", node, sizeof node);
    ck_assert(elf_load_file(node, &m));
    compare_with_readelf(&m, node);
}
END_TEST

/* ---- hand-made records ---- */

static const struct elf_module *this_program(void)
{
    static struct elf_module m;
    elf_find("", &m);
    return &m;
}

/* A .eh_frame_hdr without a search table, and the records, in one buffer that is never moved. */
struct sheet {
    uint8_t bytes[4096];
    size_t size;
    struct cfi_source source;
};

static void put(struct sheet *s, uint64_t value, int width)
{
    memcpy(s->bytes + s->size, &value, (size_t)width);
    s->size += (size_t)width;
}

static void put_bytes(struct sheet *s, const char *bytes, size_t n)
{
    memcpy(s->bytes + s->size, bytes, n);
    s->size += n;
}

#define CODE 0x10000000UL /* nothing is there: the table needs no code */

static void begin_sheet(struct sheet *s)
{
    memset(s, 0, sizeof *s);
    put_bytes(s, "\x01\x00\xff\xff", 4); /* version 1, .eh_frame by address, no count, no table */
    put(s, (uintptr_t)s->bytes + 16, 8);
    put(s, 0, 4);
    s->source = (struct cfi_source){(uintptr_t)s->bytes, 16, CODE, CODE + 0x1000, NULL};
}

/* A record with this body, in either length format. Returns its offset. */
static size_t put_record(struct sheet *s, int wide, uint64_t id, const char *body, size_t n)
{
    size_t at = s->size;
    if (wide) put(s, 0xffffffff, 4);
    put(s, n + (wide ? 8 : 4), wide ? 8 : 4);
    if (id) id = s->size - id; /* backwards to the CIE */
    put(s, id, wide ? 8 : 4);
    put_bytes(s, body, n);
    return at;
}

/* zR, absolute 8-byte pointers; CFA = rsp + 8, ra at c-8. */
#define CIE_BODY "\x01zR\0\x01\x78\x10\x01\x00\x0c\x07\x08\x90\x01"

static void put_fde(struct sheet *s, int wide, size_t cie, uint64_t start, uint64_t size, const char *code,
                    size_t n)
{
    char body[256];
    memcpy(body, &start, 8);
    memcpy(body + 8, &size, 8);
    body[16] = 0;
    memcpy(body + 17, code, n);
    put_record(s, wide, cie, body, 17 + n);
}

static struct cfi_table *build(struct sheet *s)
{
    struct cfi_table *t;
    put(s, 0, 4);
    ck_assert_int_eq(cfi_build(&s->source, &t), 0);
    return t;
}

static void expect(const struct cfi_table *t, uintptr_t offset, int cfa, int cfa_offset, int fp,
                   int fp_offset)
{
    const struct unwind_rule *r = rule_for(t, CODE + offset);
    ck_assert_msg(r->cfa == cfa && r->cfa_offset == cfa_offset && r->fp == fp && r->fp_offset == fp_offset,
                  "at +%#lx: cfa %d %+d fp %d %+d", offset, r->cfa, r->cfa_offset, r->fp, r->fp_offset);
}

#define FDE(s, wide, cie, start, size, code)                                                                 \
    put_fde(s, wide, cie, CODE + (start), size, code, sizeof code - 1)

START_TEST(records_of_both_lengths_and_the_gaps_between_them)
{
    static struct sheet s;
    begin_sheet(&s);
    size_t cie = put_record(&s, 0, 0, CIE_BODY, sizeof CIE_BODY - 1);
    size_t wide = put_record(&s, 1, 0, CIE_BODY, sizeof CIE_BODY - 1);
    FDE(&s, 1, wide, 0x200, 0x10, "\x41\x0e\x10\x86\x02"); /* push rbp at +1 */
    FDE(&s, 0, cie, 0x100, 0x20, "\x44\x0e\x18");          /* later in the file, earlier in the code */
    FDE(&s, 0, cie, 0x12f, 0x11, "\x41\x0e\x20");          /* 15 bytes of padding before it */
    struct cfi_table *t = build(&s);
    ck_assert_uint_eq(t->fde_count, 3);
    expect(t, 0x0, UNWIND_CFA_INVALID, 0, 0, 0);
    expect(t, 0xff, UNWIND_CFA_INVALID, 0, 0, 0);
    expect(t, 0x100, UNWIND_CFA_SP, 8, UNWIND_FP_SAME, 0);
    expect(t, 0x104, UNWIND_CFA_SP, 24, UNWIND_FP_SAME, 0);
    expect(t, 0x11f, UNWIND_CFA_SP, 24, UNWIND_FP_SAME, 0);
    expect(t, 0x12f, UNWIND_CFA_SP, 8, UNWIND_FP_SAME, 0);
    expect(t, 0x130, UNWIND_CFA_SP, 32, UNWIND_FP_SAME, 0);
    expect(t, 0x140, UNWIND_CFA_INVALID, 0, 0, 0);
    expect(t, 0x200, UNWIND_CFA_SP, 8, UNWIND_FP_SAME, 0);
    expect(t, 0x201, UNWIND_CFA_SP, 16, UNWIND_FP_AT_CFA, -16);
    expect(t, 0x20f, UNWIND_CFA_SP, 16, UNWIND_FP_AT_CFA, -16);
    expect(t, 0x210, UNWIND_CFA_INVALID, 0, 0, 0);
    expect(t, 0xfff, UNWIND_CFA_INVALID, 0, 0, 0);
    cfi_free(t);
}
END_TEST

START_TEST(every_instruction_of_the_standard)
{
    static struct sheet s;
    begin_sheet(&s);
    size_t cie = put_record(&s, 0, 0, CIE_BODY, sizeof CIE_BODY - 1);
    char set_loc[] = "\x01........\x0e\x30";
    uint64_t to = CODE + 0x80;
    memcpy(set_loc + 1, &to, 8);
    put_fde(&s, 0, cie, CODE, 0x100, set_loc, sizeof set_loc - 1);
    FDE(&s, 0, cie, 0x100, 0x100,
        "\x02\x10\x0e\x10\x0a"             /* +10: rsp+16, remember */
        "\x02\x10\x0a\x0d\x06\x11\x06\x02" /* +20: remember, rbp+16, fp at c-16 */
        "\x02\x10\x0b\x03\x10\x00\x0b"     /* +30: restore (rsp+16); +40 restore the same */
        "\x04\x10\x00\x00\x00\x12\x06\x7e" /* +50: def_cfa_sf rbp, -2*-8 */
        "\x02\x10\x13\x7d\x2e\x05\x07\x06" /* +60: def_cfa_offset_sf -3*-8, args_size, undefined rbp */
        "\x02\x10\xc6\x05\x06\x03"         /* +70: restore rbp, then offset_extended c-24 */
        "\x02\x10\x06\x06"                 /* +80: restore_extended */
        "\x02\x10\x09\x06\x03"             /* +90: rbp in rbx */
        "\x02\x10\x08\x06\x15\x03\x01"     /* +a0: same value; val_offset_sf of rbx */
        "\x02\x10\x2f\x06\x02"             /* +b0: negative_offset_extended: c+16 */
        "\x02\x10\x10\x06\x02\x76\x70"     /* +c0: rbp at rbp-16 */
        "\x02\x10\x16\x06\x02\x76\x70"     /* +d0: rbp is a value */
        "\x02\x10\x07\x10");               /* +e0: ra undefined */
    struct cfi_table *t = build(&s);
    expect(t, 0x7f, UNWIND_CFA_SP, 8, UNWIND_FP_SAME, 0);
    expect(t, 0x80, UNWIND_CFA_SP, 48, UNWIND_FP_SAME, 0);
    expect(t, 0x110, UNWIND_CFA_SP, 16, UNWIND_FP_SAME, 0);
    expect(t, 0x120, UNWIND_CFA_FP, 16, UNWIND_FP_AT_CFA, -16);
    expect(t, 0x130, UNWIND_CFA_SP, 16, UNWIND_FP_SAME, 0);
    expect(t, 0x140, UNWIND_CFA_SP, 16, UNWIND_FP_SAME, 0);
    expect(t, 0x150, UNWIND_CFA_FP, 16, UNWIND_FP_SAME, 0);
    expect(t, 0x160, UNWIND_CFA_FP, 24, UNWIND_FP_UNKNOWN, 0);
    expect(t, 0x170, UNWIND_CFA_FP, 24, UNWIND_FP_AT_CFA, -24);
    expect(t, 0x180, UNWIND_CFA_FP, 24, UNWIND_FP_SAME, 0);
    expect(t, 0x190, UNWIND_CFA_FP, 24, UNWIND_FP_UNKNOWN, 0);
    expect(t, 0x1a0, UNWIND_CFA_FP, 24, UNWIND_FP_SAME, 0);
    expect(t, 0x1b0, UNWIND_CFA_FP, 24, UNWIND_FP_AT_CFA, 16);
    expect(t, 0x1c0, UNWIND_CFA_FP, 24, UNWIND_FP_AT_FP, -16);
    expect(t, 0x1d0, UNWIND_CFA_FP, 24, UNWIND_FP_UNKNOWN, 0);
    expect(t, 0x1e0, UNWIND_CFA_END, 0, 0, 0);
    cfi_free(t);
}
END_TEST

START_TEST(cfa_expressions)
{
    static struct sheet s;
    begin_sheet(&s);
    size_t cie = put_record(&s, 0, 0, CIE_BODY, sizeof CIE_BODY - 1);
    FDE(&s, 0, cie, 0x0, 0x80,
        "\x0f\x03\x76\x78\x06"                 /* *(rbp - 8), gcc's realigned frames */
        "\x02\x10\x0f\x05\x77\x28\x06\x23\x08" /* +10: *(rsp + 40) + 8, OpenSSL */
        "\x02\x10\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22" /* +20: ld's lazy PLT */
        "\x02\x10\x0f\x02\x77\x20"                                     /* +30: rsp + 32 */
        "\x02\x10\x0f\x03\x7a\x00\x06"                                 /* +40: *r10 */
        "\x02\x10\x0f\x04\x76\x78\x06\x06"                             /* +50: **(rbp - 8) */
        "\x02\x10\x0e\x10"       /* +60: an offset to an expression: undefined */
        "\x02\x10\x0c\x07\x10"); /* +70: and a whole definition again */
    struct cfi_table *t = build(&s);
    expect(t, 0x0, UNWIND_CFA_DEREF_FP, -8, 0, 0);
    ck_assert_int_eq(rule_for(t, CODE)->cfa_addend, 0);
    expect(t, 0x10, UNWIND_CFA_DEREF_SP, 40, 0, 0);
    ck_assert_int_eq(rule_for(t, CODE + 0x10)->cfa_addend, 8);
    expect(t, 0x20, UNWIND_CFA_PLT, 0, 0, 0);
    ck_assert_int_eq(rule_for(t, CODE + 0x20)->cfa_addend, 11);
    expect(t, 0x30, UNWIND_CFA_SP, 32, 0, 0);
    for (uintptr_t at = 0x40; at < 0x70; at += 0x10) expect(t, at, UNWIND_CFA_UNTRACKED, 0, 0, 0);
    expect(t, 0x70, UNWIND_CFA_SP, 16, 0, 0);
    cfi_free(t);
}
END_TEST

START_TEST(overlapping_functions_and_instructions_that_lead_out)
{
    static struct sheet s;
    begin_sheet(&s);
    size_t cie = put_record(&s, 0, 0, CIE_BODY, sizeof CIE_BODY - 1);
    FDE(&s, 0, cie, 0x0, 0x100, "\x02\x90\x0e\x10");         /* reaches into the next one */
    FDE(&s, 0, cie, 0x80, 0x10, "\x48\x0e\x18\x7f\x0e\x20"); /* goes on behind its own end */
    FDE(&s, 0, cie, 0x80, 0x10, "\x48\x0e\x28");             /* the same again: the last counts */
    FDE(&s, 0, cie, 0x200, 0x10, "\x44\x3f\x48\x0e\x10");    /* 0x3f is no instruction */
    FDE(&s, 0, cie, 0x300, 0x10, "\x0b");                    /* nothing was remembered */
    FDE(&s, 0, cie, 0xff0, 0x1000, "\x44\x0e\x10");          /* over the module's end */
    FDE(&s, 0, cie, 0x2000, 0x10, "\x44\x0e\x10");           /* not in the module */
    struct cfi_table *t = build(&s);
    expect(t, 0x7f, UNWIND_CFA_SP, 8, 0, 0);
    expect(t, 0x80, UNWIND_CFA_SP, 8, 0, 0);
    expect(t, 0x88, UNWIND_CFA_SP, 40, 0, 0);
    expect(t, 0x90, UNWIND_CFA_INVALID, 0, 0, 0);
    expect(t, 0x200, UNWIND_CFA_SP, 8, 0, 0);
    expect(t, 0x204, UNWIND_CFA_UNTRACKED, 0, 0, 0);
    expect(t, 0x300, UNWIND_CFA_UNTRACKED, 0, 0, 0);
    expect(t, 0xff4, UNWIND_CFA_SP, 16, 0, 0);
    expect(t, 0xfff, UNWIND_CFA_SP, 16, 0, 0);
    cfi_free(t);
}
END_TEST

START_TEST(a_header_without_search_table_gives_the_same_table)
{
    struct elf_module m;
    ck_assert(elf_find("/libc.so.6", &m));
    struct cfi_table *a, *b;
    ck_assert_int_eq(cfi_build(&m.source, &a), 0);
    int32_t distance;
    memcpy(&distance, (void *)(m.source.hdr + 4), 4);
    uint64_t frames = m.source.hdr + 4 + (uint64_t)(int64_t)distance;
    uint8_t header[16] = {1, 0, 0xff, 0xff};
    memcpy(header + 4, &frames, 8);
    struct cfi_source bare = {(uintptr_t)header, sizeof header, m.source.start, m.source.limit, NULL};
    ck_assert_int_eq(cfi_build(&bare, &b), 0);
    ck_assert_uint_eq(a->row_count, b->row_count);
    ck_assert_mem_eq(a->pc, b->pc, a->row_count * sizeof *a->pc);
    ck_assert_mem_eq(a->rule, b->rule, a->row_count * sizeof *a->rule);
    cfi_free(a);
    cfi_free(b);
}
END_TEST

START_TEST(the_restorer_of_musl_is_found_without_cfi)
{
    struct elf_module m;
    struct cfi_table *t;
    if (!elf_load_file("/lib/ld-musl-x86_64.so.1", &m)) return;
    ck_assert_int_eq(cfi_build(&m.source, &t), 0);
    size_t size = m.source.limit - m.source.start;
    char *code = memmem((void *)m.source.start, size, ARCH_RESTORER_CODE, ARCH_RESTORER_BYTES);
    ck_assert_ptr_nonnull(code);
    uintptr_t at = (uintptr_t)code;
    ck_assert_int_eq(rule_for(t, at - 2)->cfa, UNWIND_CFA_NO_TABLES);
    for (uintptr_t pc = at - 1; pc < at + ARCH_RESTORER_BYTES; pc++)
        ck_assert_int_eq(rule_for(t, pc)->cfa, UNWIND_CFA_SIGNAL);
    ck_assert_int_eq(rule_for(t, at + ARCH_RESTORER_BYTES)->cfa, UNWIND_CFA_NO_TABLES);
    cfi_free(t);
}
END_TEST

/* ---- damage, absence ---- */

START_TEST(a_module_that_is_gone_is_an_answer)
{
    struct cfi_table *t = (void *)1;
    struct cfi_source source = this_program()->source;
    source.hdr = 0x1000;
    ck_assert_int_eq(cfi_build(&source, &t), -EFAULT);
    ck_assert_ptr_null(t);
    uint8_t nonsense[32] = {2};
    source.hdr = (uintptr_t)nonsense;
    source.hdr_size = sizeof nonsense;
    ck_assert_int_eq(cfi_build(&source, &t), -EINVAL);
    source.hdr = 0;
    ck_assert_int_eq(cfi_build(&source, &t), 0); /* no CFI: all of it is a gap */
    ck_assert_int_eq(rule_for(t, source.start + 1)->cfa, UNWIND_CFA_NO_TABLES);
    cfi_free(t);
    source.limit = source.start + (1ULL << 33);
    ck_assert_int_eq(cfi_build(&source, &t), -EFBIG);
}
END_TEST

START_TEST(without_memory_there_is_no_table_and_no_leak)
{
    const struct cfi_source *source = &this_program()->source;
    struct cfi_table *t;
    ck_assert_int_eq(cfi_build(source, &t), 0); /* the rules stay */
    cfi_free(t);
    long live = test_heap.live, n = 0;
    int rc;
    do {
        test_heap.until_failure = n++;
        rc = cfi_build(source, &t);
        test_heap.until_failure = -1;
        if (rc) ck_assert_int_eq(rc, -ENOMEM);
        if (rc) ck_assert_int_eq(test_heap.live, live);
    } while (rc);
    ck_assert_int_gt(n, 5);
    cfi_free(t);
    printf("an allocation failed at each of %ld places\n", n - 1);
}
END_TEST

/* The rows of any table lead a lookup to a rule that exists. */
static void check_invariants(const struct cfi_table *t)
{
    ck_assert_uint_eq(t->pc[0], 0);
    for (uint32_t i = 0; i < t->row_count; i++) {
        ck_assert_uint_lt(t->rule[i], rule_count());
        if (i) ck_assert_uint_gt(t->pc[i], t->pc[i - 1]);
    }
    for (uint32_t i = 0; i <= t->page_count; i++) ck_assert_uint_lt(t->page[i], t->row_count);
    cfi_lookup(t, t->start);
    cfi_lookup(t, t->limit - 1);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A copy of a module's .eh_frame_hdr and .eh_frame that may be damaged, before an unreadable page. */
struct victim {
    struct elf_module module;
    uint8_t *copy;
    const uint8_t *original;
    size_t size;
};

static void prepare(struct victim *v, const char *part)
{
    ck_assert(elf_find(part, &v->module));
    const struct cfi_source *s = &v->module.source;
    struct cfi_table *t;
    ck_assert_int_eq(cfi_build(s, &t), 0);
    cfi_free(t);
    /* Both sections are neighbours in one segment; 64 KiB or as far as it goes. */
    v->size = 0;
    static uint8_t bytes[65536];
    while (v->size < sizeof bytes && selfmem_read(s->hdr + v->size, bytes + v->size, 512) == 0)
        v->size += 512;
    v->original = bytes;
    size_t room = (v->size + 4095) & ~4095UL;
    uint8_t *map = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(map + room, 4096, PROT_NONE);
    v->copy = map + room - v->size;
    memcpy(v->copy, v->original, v->size);
}

static void damage(struct victim *v, uint64_t *random, size_t hdr_size)
{
    memcpy(v->copy, v->original, v->size);
    int flips = 1 + (int)(next_random(random) % 40);
    for (int i = 0; i < flips; i++) {
        /* Mostly in the records; now and then in the header, and sometimes a run of one value. */
        size_t low = next_random(random) % 8 ? hdr_size % v->size : 0;
        size_t at = low + next_random(random) % (v->size - low);
        if (next_random(random) % 4)
            v->copy[at] ^= (uint8_t)(1 << next_random(random) % 8);
        else
            memset(v->copy + at, next_random(random) % 2 ? 0xff : 0, v->size - at < 8 ? v->size - at : 8);
    }
}

static void damage_often(const char *part, int rounds)
{
    struct victim v;
    prepare(&v, part);
    struct cfi_source source = v.module.source;
    intptr_t moved = (intptr_t)((uintptr_t)v.copy - source.hdr);
    source.hdr = (uintptr_t)v.copy;
    source.start += (uintptr_t)moved; /* pc-relative pointers moved with the copy */
    source.limit += (uintptr_t)moved;
    uint64_t random = 0x5eed, rows = 0;
    int built = 0;
    double begin = now_ms(), slowest = 0;
    for (int i = 0; i < rounds; i++) {
        damage(&v, &random, source.hdr_size);
        struct cfi_source cut = source;
        if (i % 5 == 0) cut.hdr_size = 1 + next_random(&random) % source.hdr_size;
        struct cfi_table *t;
        double from = now_ms();
        if (cfi_build(&cut, &t) == 0) {
            check_invariants(t);
            built++;
            rows += t->row_count;
            cfi_free(t);
        }
        if (now_ms() - from > slowest) slowest = now_ms() - from;
    }
    printf("%s: %d damaged copies of %zu bytes, %d tables of %lu rows on average, %.0f ms, slowest %.1f ms\n",
           part[0] ? part : "this program", rounds, v.size, built, built ? rows / (unsigned)built : 0,
           now_ms() - begin, slowest);
    ck_assert_int_gt(built, rounds / 4);
    ck_assert_double_lt(slowest, 500);
}

START_TEST(damaged_records_give_fewer_rows_and_nothing_worse)
{
    damage_often("", 1500);
    damage_often("/ld-linux-x86-64.so.2", 500);
    damage_often("/libc.so.6", 60);
}
END_TEST

int main(void)
{
    TCase *readelf = tcase_create("readelf"), *made = tcase_create("hand-made"),
          *damaged = tcase_create("damage");
    tcase_set_timeout(readelf, 60);
    tcase_set_timeout(damaged, 60);
    tcase_add_test(readelf, the_table_of_libc_is_readelfs);
    tcase_add_test(readelf, the_table_of_libstdcxx_is_readelfs);
    tcase_add_test(readelf, the_table_of_this_program_is_readelfs);
    tcase_add_test(readelf, the_table_of_hand_written_assembly_is_readelfs);
    tcase_add_test(readelf, the_table_of_the_vdso_is_readelfs);
    tcase_add_test(readelf, the_table_of_node_is_readelfs);
    tcase_add_test(made, records_of_both_lengths_and_the_gaps_between_them);
    tcase_add_test(made, every_instruction_of_the_standard);
    tcase_add_test(made, cfa_expressions);
    tcase_add_test(made, overlapping_functions_and_instructions_that_lead_out);
    tcase_add_test(made, a_header_without_search_table_gives_the_same_table);
    tcase_add_test(made, the_restorer_of_musl_is_found_without_cfi);
    tcase_add_test(damaged, a_module_that_is_gone_is_an_answer);
    tcase_add_test(damaged, without_memory_there_is_no_table_and_no_leak);
    tcase_add_test(damaged, damaged_records_give_fewer_rows_and_nothing_worse);
    Suite *suite = suite_create("cfi");
    suite_add_tcase(suite, readelf);
    suite_add_tcase(suite, made);
    suite_add_tcase(suite, damaged);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
