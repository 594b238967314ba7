#include "symbol/binary.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "symbol/elfimage.h"
#include "sys/file.h"
#include "sys/fmt.h"
#include "sys/rawcall.h"

static int same_inode(const struct module *module, int fd)
{
    struct stat st;
    return !sys_call2(SYS_fstat, fd, &st) && st.st_ino == module->inode && st.st_dev == module->device;
}

/* The ELF header holds the place of the section headers, the program headers the size of every segment: a
 * file that was built anew differs in at least one. */
static int same_headers(const struct module *module, const struct elf *elf)
{
    Elf64_Ehdr header;
    Elf64_Phdr live[ELFIMAGE_PROGRAM_HEADER_MAX], file[ELFIMAGE_PROGRAM_HEADER_MAX];
    int count = elfimage_headers(module->base, &header, live);
    return count > 0 && !memcmp(&header, &elf->header, sizeof header) &&
           elf_program_headers(elf, file, ELFIMAGE_PROGRAM_HEADER_MAX) == count &&
           !memcmp(live, file, (size_t)count * sizeof *live);
}

static int is_right_one(const struct module *module, int fd)
{
    struct elf elf;
    char id[ELF_BUILD_ID_TEXT];
    if (elf_open_file(&elf, fd)) return 0;
    elf_build_id(&elf, id);
    int right = module->build_id[0] || id[0] ? !strcmp(module->build_id, id)
                                             : same_inode(module, fd) || same_headers(module, &elf);
    elf_close(&elf);
    return right;
}

/* O_NONBLOCK: a path that was replaced may name a pipe now. */
static int open_if_right(const struct module *module, const char *path)
{
    int fd = file_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0) return fd;
    if (is_right_one(module, fd)) return fd;
    sys_close(fd);
    return -ESTALE;
}

int binary_open(const struct module *module)
{
    int rc = open_if_right(module, module->path);
    if (rc >= 0) return rc;
    int fd = module->is_main ? open_if_right(module, "/proc/thread-self/exe") : -ENOENT;
    if (fd >= 0) return fd;
    char path[96];
    fmt_text(path, sizeof path, "/proc/self/map_files/%lx-%lx", module->base, module->base_limit);
    fd = open_if_right(module, path);
    return fd >= 0 ? fd : rc;
}

int binary_open_debug(const char *build_id)
{
    char path[64 + ELF_BUILD_ID_TEXT], id[ELF_BUILD_ID_TEXT];
    struct elf elf;
    if (strlen(build_id) < 4) return -ENOENT;
    fmt_text(path, sizeof path, "/usr/lib/debug/.build-id/%.*s/%s.debug", 2, build_id, build_id + 2);
    int fd = file_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0) return -ENOENT;
    int right = 0;
    if (!elf_open_file(&elf, fd)) {
        elf_build_id(&elf, id);
        right = !strcmp(id, build_id);
        elf_close(&elf);
    }
    if (right) return fd;
    sys_close(fd);
    return -ENOENT;
}
