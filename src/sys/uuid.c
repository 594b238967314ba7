#include "sys/uuid.h"

#include <stdint.h>
#include <string.h>

#include "sys/clock.h"
#include "sys/fmt.h"
#include "sys/hash.h"
#include "sys/rawcall.h"

enum { GETRANDOM_NONBLOCK = 1 /* GRND_NONBLOCK, linux/random.h */ };

static void weak_bits(uint64_t bits[2])
{
    uint64_t seed = hash_combine((uint64_t)clock_realtime(), (uint64_t)clock_monotonic());
    seed = hash_combine(seed, (uint64_t)sys_getpid() << 32 | (unsigned)sys_gettid());
    bits[0] = hash_combine(seed, (uintptr_t)bits);
    bits[1] = hash_combine(bits[0], (uintptr_t)&uuid_random);
}

void uuid_random(char text[UUID_TEXT_BYTES])
{
    uint64_t bits[2];
    if (sys_call3(SYS_getrandom, bits, sizeof bits, GETRANDOM_NONBLOCK) != sizeof bits) weak_bits(bits);
    bits[0] = (bits[0] & ~UINT64_C(0xf000)) | 0x4000;               /* version 4 */
    bits[1] = (bits[1] & ~(UINT64_C(3) << 62)) | UINT64_C(2) << 62; /* variant 10 */
    fmt_text(text, UUID_TEXT_BYTES, "%08x-%04x-%04x-%04x-%04x%08x", (unsigned)(bits[0] >> 32),
             (unsigned)(bits[0] >> 16 & 0xffff), (unsigned)(bits[0] & 0xffff), (unsigned)(bits[1] >> 48),
             (unsigned)(bits[1] >> 32 & 0xffff), (unsigned)bits[1]);
}
