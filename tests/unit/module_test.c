/* The modules of this process, against what the loader says of itself. */
#include "symbol/module.h"

#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct modules modules;

static struct module *live_with_path(const char *part)
{
    for (size_t i = 0; i < modules.live_count; i++)
        if (strstr(modules.live[i]->path, part)) return modules.live[i];
    return NULL;
}

static int compare_with_loader(struct dl_phdr_info *info, size_t size, void *count)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        const struct module *m = modules_find(&modules, start);
        ck_assert_msg(m != NULL, "%s", info->dlpi_name);
        ck_assert_ptr_eq(m, modules_find(&modules, start + p->p_memsz - 1));
        ck_assert_uint_eq(m->bias, info->dlpi_addr);
        ck_assert_uint_eq(m->start, start & ~4095UL);
        ck_assert_uint_eq(m->file_offset, p->p_offset & ~4095UL);
        if (info->dlpi_name[0] == '/') {
            char *real = realpath(info->dlpi_name, NULL);
            ck_assert_str_eq(m->path, real);
            free(real);
        }
        for (int k = 0; k < info->dlpi_phnum; k++) {
            if (info->dlpi_phdr[k].p_type != PT_GNU_EH_FRAME) continue;
            ck_assert_uint_eq(m->eh_frame_hdr, info->dlpi_addr + info->dlpi_phdr[k].p_vaddr);
            ck_assert_uint_eq(m->eh_frame_hdr_size, info->dlpi_phdr[k].p_memsz);
        }
        ++*(size_t *)count;
    }
    return 0;
}

START_TEST(every_module_of_the_loader_is_found_where_it_is)
{
    size_t count = 0;
    ck_assert_int_gt(modules_refresh(&modules), 0);
    dl_iterate_phdr(compare_with_loader, &count);
    ck_assert_uint_ge(count, 4);
    ck_assert_uint_eq(count, modules.live_count);
    for (size_t i = 0; i < modules.count; i++) ck_assert_uint_eq(modules.all[i]->id, i + 1);
}
END_TEST

START_TEST(build_ids_are_those_of_readelf)
{
    modules_refresh(&modules);
    for (size_t i = 0; i < modules.live_count; i++) {
        const struct module *m = modules.live[i];
        char command[5000], want[256] = "";
        if (m->is_vdso) continue;
        snprintf(command, sizeof command, "readelf -n '%s' | awk '/Build ID/{print $3}'", m->path);
        FILE *readelf = popen(command, "r");
        if (fgets(want, sizeof want, readelf)) want[strcspn(want, "\n")] = 0;
        pclose(readelf);
        ck_assert_str_eq(m->build_id, want);
    }
}
END_TEST

START_TEST(the_program_the_vdso_and_ourselves_are_told_apart)
{
    char exe[4096] = "";
    modules_refresh(&modules);
    ck_assert_int_gt(readlink("/proc/self/exe", exe, sizeof exe - 1), 0);
    size_t mains = 0, selves = 0, vdsos = 0;
    for (size_t i = 0; i < modules.live_count; i++) {
        const struct module *m = modules.live[i];
        mains += (size_t)m->is_main;
        selves += (size_t)m->is_self;
        vdsos += (size_t)m->is_vdso;
        if (m->is_main) ck_assert_str_eq(m->path, exe);
        if (m->is_vdso) ck_assert_uint_eq(m->base, getauxval(AT_SYSINFO_EHDR));
    }
    ck_assert_uint_eq(mains, 1);
    ck_assert_uint_eq(selves, 1);
    ck_assert_uint_eq(vdsos, 1);
    ck_assert_int_eq(modules_find(&modules, (uintptr_t)&live_with_path)->is_self, 1);
    ck_assert_int_eq(modules_find(&modules, (uintptr_t)&live_with_path)->is_main, 1);
    ck_assert_ptr_null(modules_find(&modules, 0));
    ck_assert_ptr_null(modules_find(&modules, UINTPTR_MAX));
    ck_assert_ptr_null(modules_find(&modules, (uintptr_t)exe));
}
END_TEST

START_TEST(data_and_anonymous_mappings_are_no_change)
{
    modules_refresh(&modules);
    ck_assert_int_eq(modules_refresh(&modules), 0);
    for (int i = 0; i < 50; i++)
        mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FILE *file = fopen("/proc/self/exe", "r");
    ck_assert(mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fileno(file), 0) != MAP_FAILED);
    ck_assert_int_eq(modules_refresh(&modules), 0);
    /* Executable, but no ELF file. */
    FILE *script = tmpfile();
    ck_assert_int_eq(ftruncate(fileno(script), 8192), 0);
    size_t count = modules.live_count;
    void *code = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(script), 0);
    if (code == MAP_FAILED) return; /* /tmp is noexec */
    ck_assert_int_eq(modules_refresh(&modules), 0);
    ck_assert_uint_eq(modules.live_count, count);
    ck_assert_ptr_null(modules_find(&modules, (uintptr_t)code));
}
END_TEST

/* Builds a library that is not mapped yet; returns its path. */
static const char *build_library(const char *name, const char *source)
{
    static char path[128];
    char command[512];
    snprintf(path, sizeof path, "/tmp/module_test_%s.%d.so", name, getpid());
    snprintf(command, sizeof command, "printf '%s' | gcc -x c -fPIC -shared -Wl,--build-id=sha1 -o %s -",
             source, path);
    ck_assert_int_eq(system(command), 0);
    return path;
}

START_TEST(a_library_comes_goes_and_comes_back)
{
    modules_refresh(&modules);
    const char *path = build_library("come", "int come(void){return 7;}");
    void *library = dlopen(path, RTLD_NOW);
    uintptr_t function = (uintptr_t)dlsym(library, "come");
    ck_assert_int_gt(modules_refresh(&modules), 0);
    const struct module *m = modules_find(&modules, function);
    ck_assert_ptr_nonnull(m);
    ck_assert_str_eq(m->path, path);
    ck_assert_uint_eq(m->id, modules.count);
    dlclose(library);
    ck_assert_int_gt(modules_refresh(&modules), 0);
    ck_assert_int_eq(m->gone, 1);
    ck_assert_ptr_null(modules_find(&modules, function));
    uint32_t id = m->id;
    library = dlopen(path, RTLD_NOW);
    int same_place = (uintptr_t)dlsym(library, "come") == function;
    ck_assert_int_gt(modules_refresh(&modules), 0);
    const struct module *again = modules_find(&modules, (uintptr_t)dlsym(library, "come"));
    ck_assert_ptr_nonnull(again);
    if (same_place) ck_assert_uint_eq(again->id, id);
    unlink(path);
    /* A deleted file is still the same module. */
    ck_assert_int_eq(modules_refresh(&modules), 0);
    ck_assert_str_eq(again->path, path);
}
END_TEST

START_TEST(another_file_at_the_same_address_is_another_module)
{
    char first[128];
    modules_refresh(&modules);
    strcpy(first, build_library("one", "int one(void){return 1;}"));
    void *library = dlopen(first, RTLD_NOW);
    uintptr_t function = (uintptr_t)dlsym(library, "one");
    modules_refresh(&modules);
    const struct module *one = modules_find(&modules, function);
    ck_assert_ptr_nonnull(one);
    dlclose(library);
    const char *second = build_library("two", "int two(void){return 2;}");
    library = dlopen(second, RTLD_NOW);
    ck_assert_int_gt(modules_refresh(&modules), 0);
    ck_assert_int_eq(one->gone, 1);
    const struct module *two = modules_find(&modules, (uintptr_t)dlsym(library, "two"));
    ck_assert_ptr_nonnull(two);
    ck_assert_str_eq(two->path, second);
    ck_assert_uint_ne(two->id, one->id);
    unlink(first);
    unlink(second);
}
END_TEST

START_TEST(a_small_file_of_another_linker_is_one_module)
{
    /* gold and old ld layouts map offset 0 as text. */
    const char *path = build_library("bfd", "int three(void){return 3;}");
    char command[512];
    snprintf(command, sizeof command,
             "printf 'int three(void){return 3;}' | gcc -x c -fPIC -shared -Wl,-z,noseparate-code -o %s -",
             path);
    ck_assert_int_eq(system(command), 0);
    void *library = dlopen(path, RTLD_NOW);
    ck_assert_ptr_nonnull(library);
    size_t count = 0;
    modules_refresh(&modules);
    dl_iterate_phdr(compare_with_loader, &count);
    ck_assert_uint_eq(count, modules.live_count);
    ck_assert_ptr_nonnull(live_with_path("module_test_bfd"));
    unlink(path);
}
END_TEST

static void *report_stack(void *range)
{
    int local;
    ((uintptr_t *)range)[0] = (uintptr_t)&local;
    ((uintptr_t *)range)[3] =
        (uintptr_t)modules_range_of((uintptr_t)&local, &((uintptr_t *)range)[1], &((uintptr_t *)range)[2]);
    return NULL;
}

START_TEST(the_mapping_of_a_stack_is_found)
{
    size_t size = 1 << 20;
    char *memory = mmap(NULL, size + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory + 4096, size, PROT_READ | PROT_WRITE);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, memory + 4096, size);
    uintptr_t range[4];
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, &attributes, report_stack, range), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq((int)range[3], 0);
    ck_assert_uint_eq(range[1], (uintptr_t)memory + 4096);
    ck_assert_uint_eq(range[2], (uintptr_t)memory + 4096 + size);
    ck_assert_int_eq(modules_range_of((uintptr_t)memory, &range[1], &range[2]), -ENOENT);
    ck_assert_int_eq(modules_range_of(1, &range[1], &range[2]), -ENOENT);
}
END_TEST

START_TEST(nothing_changed_is_cheap)
{
    for (int i = 0; i < 600; i++)
        mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    modules_refresh(&modules);
    struct timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    for (int i = 0; i < 100; i++) ck_assert_int_eq(modules_refresh(&modules), 0);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    long ns = (end.tv_sec - begin.tv_sec) * 1000000000L + end.tv_nsec - begin.tv_nsec;
    printf("refresh without change, 600 more mappings: %ld us\n", ns / 100000);
    ck_assert_int_lt(ns / 100, 5000000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("module");
    TCase *tcase = tcase_create("module");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, every_module_of_the_loader_is_found_where_it_is);
    tcase_add_test(tcase, build_ids_are_those_of_readelf);
    tcase_add_test(tcase, the_program_the_vdso_and_ourselves_are_told_apart);
    tcase_add_test(tcase, data_and_anonymous_mappings_are_no_change);
    tcase_add_test(tcase, a_library_comes_goes_and_comes_back);
    tcase_add_test(tcase, another_file_at_the_same_address_is_another_module);
    tcase_add_test(tcase, a_small_file_of_another_linker_is_one_module);
    tcase_add_test(tcase, the_mapping_of_a_stack_is_found);
    tcase_add_test(tcase, nothing_changed_is_cheap);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
