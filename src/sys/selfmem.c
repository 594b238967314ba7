#include "sys/selfmem.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>

#include "sys/file.h"
#include "sys/rawcall.h"

static int read_through_proc(uintptr_t address, void *buffer, size_t size)
{
    int fd = file_open("/proc/thread-self/mem", O_RDONLY, 0);
    if (fd < 0) return fd;
    int64_t n = file_read_at(fd, buffer, size, address);
    sys_close(fd);
    return n == (int64_t)size ? 0 : -EFAULT;
}

int selfmem_read(uintptr_t address, void *buffer, size_t size)
{
    size_t done = 0;
    while (done < size) {
        struct iovec local = {(char *)buffer + done, size - done};
        struct iovec remote = {(void *)(address + done), size - done};
        long n = sys_call6(SYS_process_vm_readv, sys_gettid(), (long)&local, 1, (long)&remote, 1, 0);
        if (n == -ENOSYS || n == -EPERM) return read_through_proc(address, buffer, size);
        if (n <= 0) return -EFAULT;
        done += (size_t)n;
    }
    return 0;
}
