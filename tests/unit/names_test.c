/* Native names, against nm, objdump and the loader. */
#include "symbol/names.h"

#include <check.h>
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "symbol/module.h"
#include "node_path.h"

static struct modules modules;

struct wanted {
    uint64_t address, size;
    char kind; /* as nm prints it */
    char name[512];
};

static struct wanted *wanted;
static size_t wanted_count;

static int by_address(const void *a, const void *b)
{
    uint64_t x = ((const struct wanted *)a)->address, y = ((const struct wanted *)b)->address;
    return x < y ? -1 : x > y;
}

/* The code symbols that nm lists for |path|, sorted. */
static void read_nm(const char *options, const char *path)
{
    char command[PATH_MAX + 128], line[70000], name[65536];
    snprintf(command, sizeof command, "nm %s --defined-only --format=posix '%s' 2>/dev/null", options, path);
    FILE *nm = popen(command, "r");
    size_t cap = 0;
    wanted_count = 0;
    while (fgets(line, sizeof line, nm)) {
        struct wanted w = {0};
        if (sscanf(line, "%65535s %c %lx %lx", name, &w.kind, &w.address, &w.size) < 3) continue;
        if (!strchr("tTwWiuV", w.kind) || strlen(name) >= sizeof w.name) continue;
        name[1 + strcspn(name + 1, "@")] = 0;
        strcpy(w.name, name);
        if (wanted_count == cap) wanted = realloc(wanted, (cap = cap ? 2 * cap : 1024) * sizeof *wanted);
        wanted[wanted_count++] = w;
    }
    pclose(nm);
    qsort(wanted, wanted_count, sizeof *wanted, by_address);
}

/* True if nm knows a symbol of that name at that address. */
static int nm_has(const char *name, uint64_t address)
{
    struct wanted key = {.address = address}, *w;
    w = bsearch(&key, wanted, wanted_count, sizeof *wanted, by_address);
    if (!w) return 0;
    while (w > wanted && w[-1].address == address) w--;
    for (; w < wanted + wanted_count && w->address == address; w++)
        if (!strcmp(w->name, name)) return 1;
    return 0;
}

/* Asks for the middle of every sized function of |m|; what begins there must be known to nm, and be at or
 * inside the function that we asked for. Returns how many were compared. */
static size_t compare_all(struct module *m)
{
    struct name_query *queries = calloc(wanted_count, sizeof *queries);
    size_t n = 0, wrong = 0;
    for (size_t i = 0; i < wanted_count; i++)
        if (wanted[i].size && strchr("tTwWi", wanted[i].kind))
            queries[n++].address = m->bias + wanted[i].address + wanted[i].size / 2;
    ck_assert_int_eq(names_resolve(m, queries, n), 0);
    size_t at = 0;
    for (size_t i = 0; i < wanted_count; i++) {
        if (!wanted[i].size || !strchr("tTwWi", wanted[i].kind)) continue;
        const struct name_query *q = &queries[at++];
        ck_assert_msg(q->system_name != NULL, "%s at %lx", wanted[i].name, wanted[i].address);
        ck_assert_msg(nm_has(q->system_name, q->start - m->bias), "%s for %s", q->system_name,
                      wanted[i].name);
        /* Another function may begin between; but not before. */
        wrong += q->start - m->bias < wanted[i].address;
    }
    ck_assert_uint_eq(wrong, 0);
    free(queries);
    return n;
}

static struct module *module_of(const void *function)
{
    modules_refresh(&modules);
    struct module *m = (struct module *)modules_find(&modules, (uintptr_t)function);
    ck_assert_ptr_nonnull(m);
    return m;
}

/* Functions with names and sizes that compilers do not make. */
__asm__(
    ".text\n"
    ".p2align 4\n.globl asm_sized\n.type asm_sized,@function\nasm_sized: nop; nop; nop; nop; ret\n"
    ".size asm_sized, 4\n"
    ".p2align 4\n.globl asm_no_size\n.type asm_no_size,@function\nasm_no_size: nop; nop; nop; nop\n"
    "asm_inner_label: nop; nop; ret\n"
    ".p2align 4\n.globl asm_no_type\nasm_no_type: nop; nop; nop; ret\n"
    ".p2align 4\n.type asm_alias_local,@function\n.weak asm_alias_weak\n.globl __asm_alias_global\n"
    ".globl _asm_alias_global\n.globl asm_alias_global_long\n"
    ".type asm_alias_weak,@function\n.type __asm_alias_global,@function\n.type _asm_alias_global,@function\n"
    ".type asm_alias_global_long,@function\n"
    "asm_alias_local: asm_alias_weak: __asm_alias_global: _asm_alias_global: asm_alias_global_long:\n"
    "nop; ret\n.size asm_alias_local,2\n.size asm_alias_weak,2\n.size __asm_alias_global,2\n"
    ".size _asm_alias_global,2\n.size asm_alias_global_long,2\n"
    ".p2align 4\n.weak asm_pair_weak\n.type asm_pair_weak,@function\n.type asm_pair_local,@function\n"
    "asm_pair_weak: asm_pair_local: nop; ret\n.size asm_pair_weak,2\n.size asm_pair_local,2\n");
extern char asm_sized[], asm_no_size[], asm_no_type[], asm_alias_global_long[], asm_pair_weak[];

static void check_name(struct module *m, const char *at, const char *want)
{
    struct name_query query = {.address = (uintptr_t)at};
    ck_assert_int_eq(names_resolve(m, &query, 1), 0);
    if (!want)
        ck_assert_ptr_null(query.name);
    else
        ck_assert_str_eq(query.name, want);
}

START_TEST(the_rules_of_choice_hold)
{
    struct module *m = module_of(asm_sized);
    check_name(m, asm_sized, "asm_sized");
    check_name(m, asm_sized + 3, "asm_sized");
    check_name(m, asm_sized + 4, NULL); /* behind its size */
    check_name(m, asm_no_size, "asm_no_size");
    check_name(m, asm_no_size + 5, "asm_no_size"); /* the label inside is not a function */
    check_name(m, asm_no_size + 12, "asm_no_size");
    check_name(m, asm_no_type + 2, "asm_no_size"); /* a function without size reaches to the next function */
    check_name(m, asm_alias_global_long + 1, "asm_alias_global_long");
    check_name(m, asm_pair_weak + 1, "asm_pair_local");
}
END_TEST

START_TEST(all_functions_of_this_program_agree_with_nm)
{
    char exe[PATH_MAX] = "";
    ck_assert_int_gt(readlink("/proc/self/exe", exe, sizeof exe - 1), 0);
    read_nm("", exe);
    ck_assert_uint_gt(compare_all(module_of(asm_sized)), 100);
}
END_TEST

START_TEST(all_functions_of_libc_agree_with_nm)
{
    /* By its handle: under a sanitizer the default scope finds interceptors. */
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    struct module *m = module_of(dlsym(libc, "getpid"));
    char debug[PATH_MAX];
    snprintf(debug, sizeof debug, "/usr/lib/debug/.build-id/%.2s/%s.debug", m->build_id, m->build_id + 2);
    read_nm(access(debug, R_OK) ? "-D" : "", access(debug, R_OK) ? m->path : debug);
    size_t compared = compare_all(m);
    ck_assert_uint_gt(compared, 1000);
    printf("libc: %zu functions, %s\n", compared, access(debug, R_OK) ? ".dynsym" : "debug file");
    check_name(m, dlsym(libc, "malloc"), "malloc");
    check_name(m, dlsym(libc, "qsort"), "qsort");
}
END_TEST

START_TEST(the_vdso_has_names)
{
    modules_refresh(&modules);
    for (size_t i = 0; i < modules.live_count; i++) {
        struct module *m = modules.live[i];
        if (!m->is_vdso) continue;
        void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
        void *function = vdso ? dlvsym(vdso, "__vdso_clock_gettime", "LINUX_2.6") : NULL;
        if (!function) return;
        struct name_query query = {.address = (uintptr_t)function};
        ck_assert_int_eq(names_resolve(m, &query, 1), 0);
        ck_assert_ptr_nonnull(query.name);
        ck_assert_ptr_nonnull(strstr(query.name, "clock_gettime"));
        ck_assert_uint_eq(query.start, (uintptr_t)function);
    }
}
END_TEST

/* Builds |source| with |flags| and loads it; returns its module. */
static struct module *load(const char *name, const char *language, const char *source, const char *flags,
                           const char *symbol, char path[128])
{
    char command[2048];
    snprintf(path, 128, "/tmp/names_test_%s.%d.so", name, getpid());
    snprintf(command, sizeof command, "printf '%s' | %s -x %s - -O1 -fPIC -shared -o %s %s", source,
             *language == 'c' && language[1] ? "g++" : "gcc", language, path, flags);
    ck_assert_int_eq(system(command), 0);
    void *library = dlopen(path, RTLD_NOW);
    ck_assert_msg(library != NULL, "%s", dlerror());
    return module_of(dlsym(library, symbol));
}

static const char plt_source[] = "#include <stdio.h>\\n#include <unistd.h>\\n#include <stdlib.h>\\n"
                                 "void *take(void){return (void*)&getppid;}\\n"
                                 "int f(void){puts(getenv(\"x\"));return getpid()+getppid()+atoi(\"1\");}";
static const char *const plt_flags[] = {"-fcf-protection=none", "-fcf-protection=full -Wl,-z,ibtplt",
                                        "-Wl,-z,now -fcf-protection=none",
                                        "-Wl,-z,now -fcf-protection=full -Wl,-z,ibtplt", "-s"};

START_TEST(plt_entries_are_named_as_by_objdump)
{
    char path[128], command[256], line[512], name[256];
    struct module *m = load("plt", "c", plt_source, plt_flags[_i], "f", path);
    snprintf(command, sizeof command, "objdump -d %s", path);
    FILE *objdump = popen(command, "r");
    int compared = 0;
    while (fgets(line, sizeof line, objdump)) {
        unsigned long address;
        if (sscanf(line, "%lx <%255[^>]>:", &address, name) != 2 || !strstr(name, "@plt")) continue;
        struct name_query query = {.address = m->bias + address + 2};
        /* binutils names entries of the lazy half (.plt with .plt.sec) by their section only. */
        if (strstr(name, "@plt-0x") || strstr(name, "@plt+0x")) continue;
        ck_assert_int_eq(names_resolve(m, &query, 1), 0);
        ck_assert_msg(query.name && !strcmp(query.name, name), "%s: got %s, want %s", plt_flags[_i],
                      query.name, name);
        ck_assert_uint_eq(query.start, m->bias + address);
        compared++;
    }
    pclose(objdump);
    unlink(path);
    ck_assert_int_ge(compared, 4);
}
END_TEST

START_TEST(cxx_names_are_shown_demangled_and_kept_mangled)
{
    char path[128];
    struct module *m =
        load("cxx", "c++",
             "namespace shop { template <class T> __attribute__((noinline)) T add(T a, T b) { return "
             "a + b; } template int add<int>(int, int); } extern \"C\" int f() { return "
             "shop::add(1, 2); }",
             "", "_ZN4shop3addIiEET_S1_S1_", path);
    struct name_query query = {.address =
                                   (uintptr_t)dlsym(dlopen(path, RTLD_NOW), "_ZN4shop3addIiEET_S1_S1_")};
    ck_assert_int_eq(names_resolve(m, &query, 1), 0);
    ck_assert_str_eq(query.name, "int shop::add<int>(int, int)");
    ck_assert_str_eq(query.system_name, "_ZN4shop3addIiEET_S1_S1_");
    ck_assert_uint_eq(query.start, query.address);
    unlink(path);
}
END_TEST

START_TEST(a_replaced_file_gives_no_names_but_keeps_what_was_known)
{
    char path[128], command[512];
    struct module *m = load("old", "c", "int f(void){return 1;} int g(void){return 2;}", "", "f", path);
    void *library = dlopen(path, RTLD_NOW);
    struct name_query queries[2] = {{.address = (uintptr_t)dlsym(library, "f")}};
    ck_assert_int_eq(names_resolve(m, queries, 1), 0);
    ck_assert_str_eq(queries[0].name, "f");
    unlink(path);
    snprintf(command, sizeof command, "printf 'int h(void){return 9;}' | gcc -x c - -fPIC -shared -o %s",
             path);
    ck_assert_int_eq(system(command), 0);
    queries[1].address = (uintptr_t)dlsym(library, "g");
    int rc = names_resolve(m, queries, 2);
    ck_assert_str_eq(queries[0].name, "f");
    /* With the capability, the old file is still there in /proc/self/map_files. */
    if (rc) {
        ck_assert_int_eq(rc, -ESTALE);
        ck_assert_ptr_null(queries[1].name);
    } else {
        ck_assert_str_eq(queries[1].name, "g");
    }
    unlink(path);
}
END_TEST

START_TEST(without_build_id_the_headers_decide)
{
    char path[128], command[512];
    struct module *m = load("noid", "c", "int f(void){return 1;}", "-Wl,--build-id=none", "f", path);
    ck_assert_str_eq(m->build_id, "");
    struct name_query query = {.address = (uintptr_t)dlsym(dlopen(path, RTLD_NOW), "f")};
    /* A copy has another inode, as a file on overlayfs seems to have. */
    snprintf(command, sizeof command, "f=%s; cp $f $f.copy && mv $f.copy $f", path);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(names_resolve(m, &query, 1), 0);
    ck_assert_str_eq(query.name, "f");
    unlink(path);
}
END_TEST

START_TEST(known_ranges_do_not_need_the_file_again)
{
    char path[128];
    struct module *m = load("gone", "c", "int f(int x){return x*x+x*7+x/3;}", "", "f", path);
    uintptr_t f = (uintptr_t)dlsym(dlopen(path, RTLD_NOW), "f");
    struct name_query query = {.address = f}, unknown = {.address = m->start};
    ck_assert_int_eq(names_resolve(m, &query, 1), 0);
    ck_assert_int_eq(names_resolve(m, &unknown, 1), 0);
    const char *name = query.name;
    unlink(path);
    query.address = f + 3;
    ck_assert_int_eq(names_resolve(m, &query, 1), 0);
    ck_assert_ptr_eq(query.name, name);
    ck_assert_int_eq(names_resolve(m, &unknown, 1), 0);
}
END_TEST

static int64_t cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

START_TEST(two_thousand_addresses_of_node_are_quick_and_right)
{
    char node[512], command[1024];
    node_path("24.22.3", node, sizeof node);
    struct stat st;
    ck_assert_int_eq(stat(node, &st), 0);
    /* As if this were node: not position-independent, so its addresses are those of the file. */
    struct module m = {.path = node, .limit = UINTPTR_MAX, .device = st.st_dev, .inode = st.st_ino};
    char line[128];
    snprintf(command, sizeof command, "readelf -n %s | awk '/Build ID/{print $3}'", node);
    FILE *readelf = popen(command, "r");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, readelf));
    pclose(readelf);
    line[strcspn(line, "\n")] = 0;
    strcpy(m.build_id, line);
    read_nm("", node);
    ck_assert_uint_gt(wanted_count, 50000);
    enum { BATCH = 2000 };
    struct name_query *queries = calloc(BATCH, sizeof *queries);
    srand(5);
    for (size_t i = 0; i < BATCH;) {
        const struct wanted *w = &wanted[(size_t)rand() % wanted_count];
        if (w->size && strchr("tTwWi", w->kind))
            queries[i++].address = w->address + (uint64_t)rand() % w->size;
    }
    int64_t begin = cpu_now();
    ck_assert_int_eq(names_resolve(&m, queries, BATCH), 0);
    int64_t first = cpu_now();
    ck_assert_int_eq(names_resolve(&m, queries, BATCH), 0);
    int64_t again = cpu_now();
    printf("node: %d addresses %ld us, again %ld us, %zu bytes\n", BATCH, (first - begin) / 1000,
           (again - first) / 1000, names_bytes(&m));
    for (size_t i = 0; i < BATCH; i++) {
        ck_assert_ptr_nonnull(queries[i].name);
        ck_assert_uint_le(queries[i].start, queries[i].address);
        ck_assert_msg(nm_has(queries[i].system_name, queries[i].start), "%s", queries[i].system_name);
    }
    free(queries);
    compare_all(&m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("names");
    TCase *tcase = tcase_create("names");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, the_rules_of_choice_hold);
    tcase_add_test(tcase, all_functions_of_this_program_agree_with_nm);
    tcase_add_test(tcase, all_functions_of_libc_agree_with_nm);
    tcase_add_test(tcase, the_vdso_has_names);
    tcase_add_loop_test(tcase, plt_entries_are_named_as_by_objdump, 0, sizeof plt_flags / sizeof *plt_flags);
    tcase_add_test(tcase, cxx_names_are_shown_demangled_and_kept_mangled);
    tcase_add_test(tcase, a_replaced_file_gives_no_names_but_keeps_what_was_known);
    tcase_add_test(tcase, without_build_id_the_headers_decide);
    tcase_add_test(tcase, known_ranges_do_not_need_the_file_again);
    tcase_add_test(tcase, two_thousand_addresses_of_node_are_quick_and_right);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
