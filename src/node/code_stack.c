#include "node/code_stack.h"

#include "node/code_events.h"
#include "node/inlining.h"
#include "sys/selfmem.h"

enum { FRAMES = 256, PLACES = 32 };

/* True if |pc| is new to |seen|: each costs a search, and interpreted frames all have the same one. */
static int is_new(uintptr_t pc, uintptr_t *seen, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (seen[i] == pc) return 0;
    return 1;
}

/* By frame pointers, which V8, its code and Node's C++ all keep; what is beyond a function without is lost.
 */
void code_stack_tell(const struct node_isolate *isolate, uintptr_t frame)
{
    struct {
        uintptr_t caller, pc;
    } words;
    uintptr_t seen[PLACES];
    unsigned count = 0;
    for (unsigned i = 0; i < FRAMES && count < PLACES && !selfmem_read(frame, &words, sizeof words); i++) {
        uintptr_t pc = words.pc - 1;
        struct found_code found;
        if (pc - isolate->code_range < isolate->code_range_len && is_new(pc, seen, count)) {
            seen[count++] = pc;
            if (!inlining_find(pc, isolate->code_range, &found)) code_events_found(isolate->index, &found);
        }
        if (words.caller <= frame) break;
        frame = words.caller;
    }
}
