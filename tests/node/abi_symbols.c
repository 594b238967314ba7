/* Prints what v8_abi_find looks up: a line a symbol, "required NAME" or "optional NAME". */
#include <stdio.h>
#include <string.h>

#include "node/v8_abi.h"

enum { MAX_NAMES = 64 };

static const char *names[MAX_NAMES];
static size_t count;
static const char *refused;

static void *remember(const char *name)
{
    if (count < MAX_NAMES) names[count++] = name;
    return names;
}

static void *refuse_one(const char *name)
{
    return strcmp(name, refused) ? (void *)names : NULL;
}

int main(void)
{
    struct v8_functions functions;
    const char *missing;
    if (v8_abi_find(&functions, remember, &missing) || !count || count == MAX_NAMES) return 1;
    for (size_t i = 0; i < count; i++) {
        refused = names[i];
        printf("%s %s\n", v8_abi_find(&functions, refuse_one, &missing) ? "required" : "optional", names[i]);
    }
    return 0;
}
