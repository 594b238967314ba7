/* The ELF reader, against readelf, and with files that are broken in every place. */
#include "symbol/elf.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/elfimage.h"
#include "symbol/plt.h"
#include "symbol/symtab.h"

static char libc_path[PATH_MAX];

static const char *find_libc(void)
{
    FILE *ldd = popen("ldd /bin/ls | awk '/libc.so/{print $3}'", "r");
    ck_assert_ptr_nonnull(fgets(libc_path, sizeof libc_path, ldd));
    pclose(ldd);
    libc_path[strcspn(libc_path, "\n")] = 0;
    return libc_path;
}

static void open_path(struct elf *elf, const char *path)
{
    int fd = open(path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(elf_open_file(elf, fd), 0);
}

static void close_both(struct elf *elf)
{
    int fd = elf->fd;
    elf_close(elf);
    close(fd);
}

START_TEST(section_headers_are_those_of_readelf)
{
    struct elf elf;
    char command[PATH_MAX + 128], line[512], name[128];
    const char *path = _i ? find_libc() : "/proc/self/exe";
    open_path(&elf, path);
    snprintf(command, sizeof command, "readelf -SW %s | sed -n 's/^ *\\[ *\\([0-9]*\\)\\] /\\1 /p'",
             _i ? path : realpath("/proc/self/exe", libc_path));
    FILE *readelf = popen(command, "r");
    size_t count = 0;
    while (fgets(line, sizeof line, readelf)) {
        unsigned long index, address, offset, size;
        int fields = sscanf(line, "%lu %127s %*s %lx %lx %lx", &index, name, &address, &offset, &size);
        count++;
        if (fields != 5 || !index) continue; /* section 0 has no name */
        const Elf64_Shdr *s = &elf.sections[index];
        ck_assert_str_eq(elf_section_name(&elf, s), name);
        ck_assert_ptr_eq(elf_section_named(&elf, name), s);
        ck_assert_uint_eq(s->sh_addr, address);
        ck_assert_uint_eq(s->sh_offset, offset);
        ck_assert_uint_eq(s->sh_size, size);
    }
    pclose(readelf);
    ck_assert_uint_eq(count, elf.section_count);
    ck_assert_ptr_eq(elf_section_of_type(&elf, SHT_DYNSYM), elf_section_named(&elf, ".dynsym"));
    ck_assert_ptr_eq(elf_linked_section(&elf, elf_section_named(&elf, ".dynsym")),
                     elf_section_named(&elf, ".dynstr"));
    ck_assert_ptr_null(elf_section_named(&elf, ".no such"));
    close_both(&elf);
}
END_TEST

START_TEST(the_build_id_is_that_of_readelf)
{
    struct elf elf;
    char command[PATH_MAX + 64], want[256], got[ELF_BUILD_ID_TEXT];
    snprintf(command, sizeof command, "readelf -n %s | awk '/Build ID/{print $3}'", find_libc());
    FILE *readelf = popen(command, "r");
    ck_assert_ptr_nonnull(fgets(want, sizeof want, readelf));
    pclose(readelf);
    want[strcspn(want, "\n")] = 0;
    open_path(&elf, libc_path);
    ck_assert_int_eq(elf_build_id(&elf, got), 0);
    ck_assert_str_eq(got, want);
    /* The same by program headers, as in a file without section headers. */
    size_t count = elf.section_count;
    elf.section_count = 0;
    ck_assert_int_eq(elf_build_id(&elf, got), 0);
    ck_assert_str_eq(got, want);
    elf.section_count = count;
    close_both(&elf);
}
END_TEST

START_TEST(the_debug_link_is_that_of_readelf)
{
    struct elf elf;
    char command[PATH_MAX + 128], want[256], got[256];
    uint32_t crc;
    snprintf(command, sizeof command,
             "readelf --debug-dump=links -wN %s 2>/dev/null | "
             "awk '/Separate debug info file:/{n=$NF} /CRC value/{print n, $NF}'",
             find_libc());
    FILE *readelf = popen(command, "r");
    char *line = fgets(want, sizeof want, readelf);
    pclose(readelf);
    open_path(&elf, libc_path);
    int rc = elf_debuglink(&elf, got, sizeof got, &crc);
    if (line) {
        ck_assert_int_eq(rc, 0);
        snprintf(got + strlen(got), sizeof got - strlen(got), " %#x\n", crc);
        ck_assert_str_eq(got, want);
    } else {
        ck_assert_int_eq(rc, -ENOENT);
    }
    close_both(&elf);
}
END_TEST

START_TEST(what_is_not_elf_is_refused)
{
    struct elf elf;
    unsigned char header[sizeof(Elf64_Ehdr)];
    int fd = open("/proc/self/exe", O_RDONLY);
    ck_assert_int_eq(read(fd, header, sizeof header), sizeof header);
    close(fd);
    for (size_t len = 0; len < sizeof header; len++)
        ck_assert_int_eq(elf_open_image(&elf, header, len), -ENOEXEC);
    ck_assert_int_eq(elf_open_image(&elf, header, sizeof header), 0);
    elf_close(&elf);
    static const int spoilt[] = {0, EI_CLASS, EI_DATA, offsetof(Elf64_Ehdr, e_machine)};
    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        header[spoilt[i]] ^= 0x7f;
        ck_assert_int_eq(elf_open_image(&elf, header, sizeof header), -ENOEXEC);
        header[spoilt[i]] ^= 0x7f;
    }
    fd = open("/dev/null", O_RDONLY);
    ck_assert_int_eq(elf_open_file(&elf, fd), -ENOEXEC);
    close(fd);
}
END_TEST

/* Asks everything of an image that may be broken: the sanitizer and the fork say whether it reads outside. */
static void exercise(const void *image, size_t size)
{
    struct elf elf;
    char text[ELF_BUILD_ID_TEXT], link[256];
    uint32_t crc;
    if (elf_open_image(&elf, image, size)) return;
    Elf64_Phdr headers[8];
    elf_program_headers(&elf, headers, 8);
    elf_build_id(&elf, text);
    elf_debuglink(&elf, link, sizeof link, &crc);
    static const uint32_t tables[] = {SHT_SYMTAB, SHT_DYNSYM};
    for (size_t t = 0; t < 2; t++) {
        const Elf64_Shdr *table = elf_section_of_type(&elf, tables[t]);
        if (!table) continue;
        struct symtab_answer answers[32] = {{0}};
        char name[SYMTAB_NAME_MAX];
        for (unsigned i = 0; i < 32; i++) answers[i].address = 0x1000 + i * 0x400;
        if (symtab_find(&elf, table, answers, 32)) continue;
        for (unsigned i = 0; i < 32; i++) {
            ck_assert(answers[i].low <= answers[i].address && answers[i].address < answers[i].high);
            if (answers[i].found) symtab_name(&elf, table, answers[i].name, name);
        }
    }
    struct plt_entry *entry = malloc(sizeof *entry);
    for (unsigned i = 0; i < 64; i++) plt_find(&elf, 0x1000 + i * 16, entry);
    free(entry);
    elf_close(&elf);
}

/* A small shared object, so that a random byte hits something. */
static unsigned char *small_library(size_t *size)
{
    char directory[] = "/tmp/elf_testXXXXXX", command[512], path[64];
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(
        command, sizeof command,
        "printf 'int puts(const char*);static int l(int x){return x*3;} int f(int x){return puts(\"a\")+"
        "l(x);} int g(void){return f(2);}' | gcc -x c -O0 -fPIC -shared -Wl,--build-id=sha1 -o %s/a.so -",
        directory);
    ck_assert_int_eq(system(command), 0);
    snprintf(path, sizeof path, "%s/a.so", directory);
    FILE *file = fopen(path, "r");
    unsigned char *data = malloc(1 << 20);
    *size = fread(data, 1, 1 << 20, file);
    fclose(file);
    unlink(path);
    rmdir(directory);
    return data;
}

START_TEST(truncated_files_are_survived)
{
    size_t size;
    unsigned char *data = small_library(&size);
    for (size_t len = 0; len < size; len += len < 2048 ? 1 : 61) {
        unsigned char *cut = malloc(len ? len : 1); /* exact, for the sanitizer */
        memcpy(cut, data, len);
        exercise(cut, len);
        free(cut);
    }
    free(data);
}
END_TEST

START_TEST(broken_files_are_survived)
{
    size_t size;
    unsigned char *data = small_library(&size);
    unsigned char *broken = malloc(size);
    Elf64_Ehdr header;
    memcpy(&header, data, sizeof header);
    srand(11);
    for (int round = 0; round < 20000; round++) {
        memcpy(broken, data, size);
        for (int i = rand() % 8; i >= 0; i--) {
            /* One in two in the headers, where every byte means something. */
            size_t at = (size_t)rand() % size;
            if (round % 2) at = header.e_shoff + (size_t)rand() % (size - header.e_shoff);
            if (round % 8 == 0) at = (size_t)rand() % 1024;
            broken[at] = (unsigned char)(rand() % 3 ? rand() : rand() % 2 ? 0xff : 0);
        }
        exercise(broken, size);
        struct elfimage live;
        if (elfimage_read((uintptr_t)broken, &live)) continue;
        ck_assert_uint_le(live.exec_start, live.exec_limit);
        if (live.eh_frame_hdr)
            ck_assert(live.eh_frame_hdr >= live.start &&
                      live.eh_frame_hdr + live.eh_frame_hdr_size <= live.limit);
    }
    free(broken);
    free(data);
}
END_TEST

START_TEST(a_string_that_never_ends_is_cut)
{
    static unsigned char image[64 + 2000];
    struct elf elf = {.fd = -1, .image = image, .size = sizeof image};
    memset(image, 'x', sizeof image);
    Elf64_Shdr strings = {.sh_type = SHT_STRTAB, .sh_offset = 64, .sh_size = 5000};
    char out[4096];
    ck_assert_int_eq(elf_read_string(&elf, &strings, 0, out, sizeof out), 2000);
    ck_assert_int_eq(elf_read_string(&elf, &strings, 0, out, 100), 99);
    ck_assert_int_eq(elf_read_string(&elf, &strings, 1999, out, 100), 1);
    ck_assert_int_eq(elf_read_string(&elf, &strings, 2000, out, 100), -EINVAL);
    strings.sh_offset = UINT64_MAX - 3;
    ck_assert_int_eq(elf_read_string(&elf, &strings, 100, out, 100), -EINVAL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("elf");
    TCase *tcase = tcase_create("elf");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, section_headers_are_those_of_readelf, 0, 2);
    tcase_add_test(tcase, the_build_id_is_that_of_readelf);
    tcase_add_test(tcase, the_debug_link_is_that_of_readelf);
    tcase_add_test(tcase, what_is_not_elf_is_refused);
    tcase_add_test(tcase, truncated_files_are_survived);
    tcase_add_test(tcase, broken_files_are_survived);
    tcase_add_test(tcase, a_string_that_never_ends_is_cut);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
