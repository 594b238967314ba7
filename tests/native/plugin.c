/* A library whose one function is called plugin_PLUGIN_NAME_burn. */
#include "burn.h"

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define PLUGIN_FUNCTION JOIN(plugin_, PLUGIN_NAME, _burn)

__attribute__((noipa)) int64_t PLUGIN_FUNCTION(int64_t nanos);

int64_t PLUGIN_FUNCTION(int64_t nanos)
{
    return burn(nanos) + 0;
}

__attribute__((visibility("default"))) int64_t plugin_run(int64_t nanos)
{
    return PLUGIN_FUNCTION(nanos) + 0;
}
