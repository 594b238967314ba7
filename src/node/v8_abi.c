#include "node/v8_abi.h"

#include <errno.h>
#include <string.h>

struct symbol {
    const char *name;
    size_t offset; /* in struct v8_functions */
    int optional;
};

#define SYMBOL(member, name)                                                                                 \
    {                                                                                                        \
        name, offsetof(struct v8_functions, member), 0                                                       \
    }

/* All exported by the node binaries of 16.4 to 26 and by Debian's libnode. */
static const struct symbol symbols[] = {
    SYMBOL(try_get_current, "_ZN2v87Isolate13TryGetCurrentEv"),
    SYMBOL(request_interrupt, "_ZN2v87Isolate16RequestInterruptEPFvPS0_PvES2_"),
    SYMBOL(get_stack_sample, "_ZN2v87Isolate14GetStackSampleERKNS_13RegisterStateEPPvmPNS_10SampleInfoE"),
    SYMBOL(set_jit_code_event_handler,
           "_ZN2v87Isolate22SetJitCodeEventHandlerENS_19JitCodeEventOptionsEPFvPKNS_12JitCodeEventEE"),
    SYMBOL(get_embedded_code_range, "_ZN2v87Isolate20GetEmbeddedCodeRangeEPPKvPm"),
    SYMBOL(get_code_range, "_ZN2v87Isolate12GetCodeRangeEPPvPm"),
    SYMBOL(get_current_context, "_ZN2v87Isolate17GetCurrentContextEv"),
    SYMBOL(unbound_script_line, "_ZN2v813UnboundScript13GetLineNumberEi"),
    SYMBOL(get_version, "_ZN2v82V810GetVersionEv"),
    SYMBOL(current_environment, "_ZN4node21GetCurrentEnvironmentEN2v85LocalINS0_7ContextEEE"),
    SYMBOL(add_cleanup_hook, "_ZN4node25AddEnvironmentCleanupHookEPN2v87IsolateEPFvPvES3_"),
    {"_ZN2v813UnboundScript5GetIdEv", offsetof(struct v8_functions, unbound_script_id), 1}, /* until 17 */
    {"_ZNK2v813UnboundScript5GetIdEv", offsetof(struct v8_functions, unbound_script_id), 1},
    {"_ZN2v813UnboundScript15GetColumnNumberEi", offsetof(struct v8_functions, unbound_script_column), 1},
    {"_ZNK2v88internal18SharedFunctionInfo13StartPositionEv",
     offsetof(struct v8_functions, function_position), 1},
    {"_ZN2v811CpuProfiler38UseDetailedSourcePositionsForProfilingEPNS_7IsolateE",
     offsetof(struct v8_functions, use_detailed_positions), 1},
};

int v8_abi_find(struct v8_functions *functions, void *(*lookup)(const char *), const char **missing)
{
    memset(functions, 0, sizeof *functions);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = lookup(symbols[i].name);
        if (!address && !symbols[i].optional) {
            *missing = symbols[i].name;
            return -ENOENT;
        }
        if (address) *(void **)((char *)functions + symbols[i].offset) = address;
    }
    return 0;
}
