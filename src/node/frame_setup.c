#include "node/frame_setup.h"

#include <string.h>

#include "sys/selfmem.h"

enum { SETUP_BYTES = 64 }; /* optimized code looks at first if it is still valid; that is 25 bytes at most */

/* x86-64. */
static const unsigned char make_frame[] = {0x55, 0x48, 0x89, 0xe5}; /* push rbp; mov rbp, rsp */
static const unsigned char call_builtin[] = {0x41, 0xff, 0x95};     /* call [r13 + offset], 7 bytes */
static const unsigned char returns[] = {0xc3, 0xc2};
enum { CALL_BYTES = 7 };

/* Bytes from the beginning of |code| to the end of what makes the frame: in optimized code these two
 * instructions; baseline code calls a builtin that does it, before it calls anything else. 0: neither. */
static unsigned setup_end(const unsigned char *code)
{
    for (unsigned i = 0; i + sizeof make_frame <= SETUP_BYTES; i++)
        if (!memcmp(code + i, make_frame, sizeof make_frame)) return i + (unsigned)sizeof make_frame;
    for (unsigned i = 0; i + CALL_BYTES <= SETUP_BYTES; i++)
        if (!memcmp(code + i, call_builtin, sizeof call_builtin)) return i + CALL_BYTES;
    return 0;
}

int frame_setup_is_done(uintptr_t start, uintptr_t pc)
{
    unsigned char code[SETUP_BYTES], now;
    if (!selfmem_read(pc, &now, 1) && (now == returns[0] || now == returns[1])) return 0;
    if (pc - start >= SETUP_BYTES || selfmem_read(start, code, sizeof code)) return 1;
    return pc - start >= setup_end(code);
}
