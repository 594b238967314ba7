#include "node/node_version.h"

#include <stdint.h>

#include "sys/selfmem.h"

/*
 * node::per_process::metadata begins with Metadata::Versions, whose first member is std::string node
 * (src/node_metadata.h of Node 16 to 26): libstdc++'s string is a pointer and a length; its old string, with
 * which Node 16 is built, is a pointer, and the length stands three words before the text.
 */
static const void *metadata;

struct string {
    uintptr_t data;
    size_t length;
};

enum { VERSION_MIN = 5, OLD_LENGTH_WORDS = 3 };

static int read_string(struct string *string, size_t size)
{
    if (selfmem_read((uintptr_t)metadata, string, sizeof *string) || !string->data) return -1;
    if (string->length >= size)
        return selfmem_read(string->data - OLD_LENGTH_WORDS * sizeof(size_t), &string->length,
                            sizeof string->length);
    return 0;
}

static int is_version(const char *text, size_t len)
{
    size_t dots = 0;
    for (size_t i = 0; i < len && text[i] != '-'; i++) {
        if (text[i] == '.')
            dots++;
        else if (text[i] < '0' || text[i] > '9')
            return 0;
    }
    return dots == 2;
}

void node_version_prepare(void *(*lookup)(const char *))
{
    metadata = lookup("_ZN4node11per_process8metadataE");
}

size_t node_version(char *out, size_t size)
{
    struct string version;
    out[0] = 0;
    if (!metadata || read_string(&version, size)) return 0;
    if (version.length < VERSION_MIN || version.length >= size) return 0;
    if (selfmem_read(version.data, out, version.length) || !is_version(out, version.length)) {
        out[0] = 0;
        return 0;
    }
    out[version.length] = 0;
    return version.length;
}
