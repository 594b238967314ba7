/*
 * Compiled against the headers of one Node release: what src/node/v8_abi.h says of V8's layouts is what V8
 * says. With OTELPROF_WRONG_LAYOUT our structs have 32-bit lengths, and it must not compile.
 */
#include <v8.h>
#if V8_MAJOR_VERSION >= 10
#include <v8-unwinder.h>
#endif

#include <cstddef>
#include <cstdint>

#ifdef OTELPROF_WRONG_LAYOUT
#define size_t std::uint32_t
#endif
#include "node/v8_abi.h"
#undef size_t

#define SAME_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs), #ours)
#define SAME_FIELD(ours, mine, theirs, its)                                                                  \
    static_assert(offsetof(ours, mine) == offsetof(theirs, its), #mine " is at V8's " #its);                 \
    static_assert(sizeof(ours::mine) == sizeof(theirs::its), #mine " has the size of V8's " #its)
#define SAME_VALUE(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #ours)

using Event = v8::JitCodeEvent;
SAME_SIZE(v8_jit_code_event, Event);
SAME_FIELD(v8_jit_code_event, type, Event, type);
SAME_FIELD(v8_jit_code_event, code_type, Event, code_type);
SAME_FIELD(v8_jit_code_event, code_start, Event, code_start);
SAME_FIELD(v8_jit_code_event, code_len, Event, code_len);
SAME_FIELD(v8_jit_code_event, script, Event, script);
SAME_FIELD(v8_jit_code_event, user_data, Event, user_data);
SAME_FIELD(v8_jit_code_event, wasm_source_info, Event, wasm_source_info);
SAME_FIELD(v8_jit_code_event, name, Event, name);
SAME_FIELD(v8_jit_code_event, name.text, Event, name.str);
SAME_FIELD(v8_jit_code_event, name.len, Event, name.len);
SAME_FIELD(v8_jit_code_event, line, Event, line_info);
SAME_FIELD(v8_jit_code_event, line.offset, Event, line_info.offset);
SAME_FIELD(v8_jit_code_event, line.position, Event, line_info.pos);
SAME_FIELD(v8_jit_code_event, line.position_type, Event, line_info.position_type);
SAME_FIELD(v8_jit_code_event, new_code_start, Event, new_code_start);
SAME_FIELD(v8_jit_code_event, isolate, Event, isolate);

SAME_VALUE(V8_CODE_ADDED, Event::CODE_ADDED);
SAME_VALUE(V8_CODE_MOVED, Event::CODE_MOVED);
SAME_VALUE(V8_CODE_REMOVED, Event::CODE_REMOVED);
SAME_VALUE(V8_CODE_ADD_LINE_POS_INFO, Event::CODE_ADD_LINE_POS_INFO);
SAME_VALUE(V8_CODE_START_LINE_INFO, Event::CODE_START_LINE_INFO_RECORDING);
SAME_VALUE(V8_CODE_END_LINE_INFO, Event::CODE_END_LINE_INFO_RECORDING);
SAME_VALUE(V8_BYTE_CODE, Event::BYTE_CODE);
SAME_VALUE(V8_JIT_CODE, Event::JIT_CODE);
#if V8_MAJOR_VERSION >= 10 /* before, V8 does not tell of WebAssembly as such */
SAME_VALUE(V8_WASM_CODE, Event::WASM_CODE);
#endif
SAME_VALUE(0, Event::POSITION);
SAME_VALUE(1, Event::STATEMENT_POSITION);
SAME_VALUE(0, v8::kJitCodeEventDefault); /* what takes the handler away again is called with */
SAME_VALUE(V8_ENUMERATE_EXISTING, v8::kJitCodeEventEnumExisting);
static_assert(sizeof(v8::JitCodeEventOptions) == sizeof(int), "the options are passed as an int");

SAME_SIZE(v8_register_state, v8::RegisterState);
SAME_FIELD(v8_register_state, pc, v8::RegisterState, pc);
SAME_FIELD(v8_register_state, sp, v8::RegisterState, sp);
SAME_FIELD(v8_register_state, fp, v8::RegisterState, fp);
SAME_FIELD(v8_register_state, lr, v8::RegisterState, lr);
SAME_FIELD(v8_register_state, callee_saved, v8::RegisterState, callee_saved);

SAME_FIELD(v8_sample_info, frames_count, v8::SampleInfo, frames_count);
static_assert(sizeof(v8_sample_info) >= sizeof(v8::SampleInfo),
              "V8 writes into our sample_info, not behind it");
