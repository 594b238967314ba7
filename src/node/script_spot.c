#include "node/script_spot.h"

#include "node/isolate.h"
#include "node/v8_object.h"

/* Until Node 18 V8's API has no columns, but the functions behind it are exported; they want the Script, to
 * which the way is told (tools/gen-postmortem-metadata.py). */
static struct {
    int32_t field; /* SharedFunctionInfo.script_or_debug_info; 0: not told */
    int32_t type;  /* of a Script */
} told;

void script_spot_prepare(void *(*lookup)(const char *))
{
    const int *field = lookup("v8dbg_class_SharedFunctionInfo__script_or_debug_info__HeapObject");
    const int *type = lookup("v8dbg_type_Script__SCRIPT_TYPE");
    told.field = field && type && node_process.v8.script_column ? *field : 0;
    told.type = type ? *type : 0;
}

/* From 0; -1 unknown. */
static int column_of(void *script, uint32_t position)
{
    const struct v8_heap heap = {.proven = 1}; /* |script| is a handle of V8's own */
    if (node_process.v8.unbound_script_column)
        return node_process.v8.unbound_script_column(script, (int)position);
    if (!told.field) return -1;
    uintptr_t shared = v8_object_untag(v8_object_word(&heap, (uintptr_t)script, 0));
    uintptr_t slot = v8_object_word(&heap, shared, told.field);
    /* A function that is being debugged has a DebugInfo there. */
    if (v8_object_type(&heap, v8_object_untag(slot)) != told.type) return -1;
    return node_process.v8.script_column(&slot, (int)position);
}

struct code_spot script_spot(void *script, uint32_t position, const struct code_line *near)
{
    struct code_spot spot = {0, 0};
    int line = script ? node_process.v8.unbound_script_line(script, (int)position) : -1;
    if (line < 0) return spot;
    spot.line = (uint32_t)line + 1;
    if (near && near->spot.line == spot.line && near->spot.column &&
        near->spot.column + position > near->position) {
        spot.column = near->spot.column + position - near->position;
        return spot;
    }
    int column = column_of(script, position);
    spot.column = column < 0 ? 0 : (uint32_t)column + 1;
    return spot;
}

uint32_t script_function_column(void *script)
{
    if (!script || node_process.v8.unbound_script_column || !node_process.v8.function_position) return 0;
    int position = node_process.v8.function_position(script);
    return position < 0 ? 0 : script_spot(script, (uint32_t)position, NULL).column;
}
