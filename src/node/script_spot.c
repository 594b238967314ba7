#include "node/script_spot.h"

#include "node/isolate.h"

struct code_spot script_spot(void *script, uint32_t position, const struct code_line *near)
{
    struct code_spot spot = {0, 0};
    int line = script ? node_process.v8.unbound_script_line(script, (int)position) : -1;
    if (line < 0) return spot;
    spot.line = (uint32_t)line + 1;
    if (!node_process.v8.unbound_script_column) return spot;
    if (near && near->spot.line == spot.line && near->spot.column + position > near->position) {
        spot.column = near->spot.column + position - near->position;
        return spot;
    }
    int column = node_process.v8.unbound_script_column(script, (int)position);
    spot.column = column < 0 ? 0 : (uint32_t)column + 1;
    return spot;
}
