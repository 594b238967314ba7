#include "unwind/rule.h"

#include <string.h>

#include "sys/hash.h"
#include "sys/heap.h"

enum { SLOT_COUNT = 1 << 17 }; /* load at most one half */

static struct {
    struct unwind_rule *array;
    uint16_t *slots; /* open addressing; number + 1, 0: free */
    uint32_t count;
} rules;

/* 1 MiB and 256 KiB reserved; the kernel gives only the pages that are touched (two or three in practice). */
static int reserve(void)
{
    static const struct unwind_rule invalid = {.cfa = UNWIND_CFA_INVALID};
    if (!rules.slots) rules.slots = heap_map(SLOT_COUNT * sizeof *rules.slots);
    if (!rules.slots) return 0;
    struct unwind_rule *array = heap_map(UNWIND_RULES_MAX * sizeof *array);
    if (!array) return 0;
    rules.array = array;
    rule_intern(&invalid); /* takes number 0, UNWIND_RULE_INVALID */
    return 1;
}

uint16_t rule_intern(const struct unwind_rule *rule)
{
    if (!rules.array && !reserve()) return UNWIND_RULE_INVALID;
    uint64_t half[2];
    memcpy(half, rule, sizeof half);
    uint64_t h = hash_combine(half[0], half[1]);
    for (uint32_t i = 0; i < SLOT_COUNT; i++) {
        uint16_t *slot = &rules.slots[(h + i) % SLOT_COUNT];
        if (*slot && memcmp(&rules.array[*slot - 1], rule, sizeof *rule) == 0) return (uint16_t)(*slot - 1);
        if (*slot) continue;
        if (rules.count == UNWIND_RULES_MAX) return UNWIND_RULE_INVALID;
        rules.array[rules.count] = *rule;
        *slot = (uint16_t)(rules.count + 1);
        return (uint16_t)rules.count++;
    }
    return UNWIND_RULE_INVALID;
}

const struct unwind_rule *rule_array(void)
{
    return rules.array;
}

unsigned rule_count(void)
{
    return rules.count;
}
