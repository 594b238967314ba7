#include "unwind/ehframe.h"

#include <errno.h>
#include <string.h>

#include "unwind/arch.h"

enum { LENGTH_64BIT = 0xffffffff };

/* The body of the record at |record| (after its length), and how wide its CIE pointer is. */
static int open_record(const struct ehframe_image *image, uint32_t record, struct cursor *body, size_t *width)
{
    if (record >= image->size) return -EINVAL;
    *body = (struct cursor){image->data + record, image->data + image->size, 0};
    uint64_t length = cursor_fixed(body, 4);
    *width = 4;
    if (length == LENGTH_64BIT) {
        length = cursor_fixed(body, 8);
        *width = 8;
    }
    if (body->bad || length < *width || length > cursor_left(body)) return -EINVAL;
    body->end = body->at + length;
    return 0;
}

int64_t ehframe_cie_of(const struct ehframe_image *image, uint32_t record)
{
    struct cursor body;
    size_t width;
    if (open_record(image, record, &body, &width)) return -EINVAL;
    uint64_t here = (uint64_t)(body.at - image->data);
    uint64_t back = cursor_fixed(&body, width);
    return back == 0 || back > here ? -EINVAL : (int64_t)(here - back);
}

static int known_encoding(uint8_t encoding)
{
    unsigned base = encoding & (PE_BASE | PE_INDIRECT);
    return base == PE_ABSPTR || base == PE_PCREL;
}

/* The letters after 'z', in the order of their data. */
static int read_augmentation(struct cursor *body, const char *letters, struct ehframe_cie *cie)
{
    uint64_t size = cursor_uleb(body);
    if (size > cursor_left(body)) return -EINVAL;
    const uint8_t *end = body->at + size;
    for (; *letters; letters++) {
        if (*letters == 'R') {
            cie->encoding = cursor_u8(body);
        } else if (*letters == 'P') {
            uint8_t encoding = cursor_u8(body);
            cursor_pointer(body, encoding);
        } else if (*letters == 'L') {
            cursor_u8(body);
        } else if (*letters == 'S') {
            cie->signal_frame = 1;
        } else if (*letters != 'B' && *letters != 'G') { /* aarch64: pointer signing key B, memory tagging */
            return -EINVAL;                              /* an 'R' behind it could not be found */
        }
    }
    if (body->bad || body->at > end || !known_encoding(cie->encoding)) return -EINVAL;
    body->at = end;
    return 0;
}

int ehframe_cie(const struct ehframe_image *image, uint32_t record, struct ehframe_cie *cie)
{
    struct cursor body;
    size_t width;
    memset(cie, 0, sizeof *cie);
    if (open_record(image, record, &body, &width) || cursor_fixed(&body, width) != 0) return -EINVAL;
    uint8_t version = cursor_u8(&body);
    if (version != 1 && version != 3 && version != 4) return -EINVAL;
    const char *letters = (const char *)body.at;
    const uint8_t *terminator = memchr(body.at, 0, cursor_left(&body));
    if (!terminator) return -EINVAL;
    body.at = terminator + 1;
    if (version == 4 && cursor_fixed(&body, 2) != sizeof(uintptr_t))
        return -EINVAL; /* address, segment size */
    cie->record = record;
    cie->code_align = cursor_uleb(&body);
    cie->data_align = cursor_sleb(&body);
    uint64_t ra = version == 1 ? cursor_u8(&body) : cursor_uleb(&body);
    if (ra != ARCH_DWARF_RA) return -EINVAL;
    if (letters[0] == 'z') {
        cie->has_augmentation = 1;
        if (read_augmentation(&body, letters + 1, cie)) return -EINVAL;
    } else if (letters[0]) {
        return -EINVAL; /* "eh" of gcc 2 */
    }
    cie->program = body;
    return body.bad ? -EINVAL : 0;
}

int ehframe_fde(const struct ehframe_image *image, uint32_t record, const struct ehframe_cie *cie,
                struct ehframe_fde *fde)
{
    struct cursor body;
    size_t width;
    if (open_record(image, record, &body, &width)) return -EINVAL;
    cursor_skip(&body, width);
    fde->cie = cie->record;
    uintptr_t here = ehframe_address(image, body.at);
    fde->start = cursor_pointer(&body, cie->encoding);
    if ((cie->encoding & PE_BASE) == PE_PCREL) fde->start += here;
    uint64_t size = cursor_pointer(&body, cie->encoding);
    /* The size is unsigned whatever the format's sign says. */
    if ((cie->encoding & 7) == PE_UDATA4) size &= 0xffffffff;
    if ((cie->encoding & 7) == PE_UDATA2) size &= 0xffff;
    if (cie->has_augmentation) cursor_skip(&body, cursor_uleb(&body));
    if (body.bad || __builtin_add_overflow(fde->start, size, &fde->limit)) return -EINVAL;
    fde->program = body;
    return 0;
}
