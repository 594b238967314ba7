/* Whether a JavaScript function has a frame already. Background thread. */
#ifndef OTELPROF_NODE_FRAME_SETUP_H
#define OTELPROF_NODE_FRAME_SETUP_H

#include <stdint.h>

/*
 * False if the machine code of a JavaScript function, which begins at |start|, has at |pc| not yet made the
 * frame that the frame pointer points to, or has left it. Told from V8's instructions (16 to 26), which are
 * read from its memory, where they may have been replaced since: true if they tell nothing.
 */
int frame_setup_is_done(uintptr_t start, uintptr_t pc);

#endif
