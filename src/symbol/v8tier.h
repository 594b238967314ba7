/* How V8 runs a function. Pure; async-signal-safe. */
#ifndef OTELPROF_SYMBOL_V8TIER_H
#define OTELPROF_SYMBOL_V8TIER_H

enum v8_tier {
    V8_TIER_NONE,
    V8_TIER_IGNITION,
    V8_TIER_SPARKPLUG,
    V8_TIER_MAGLEV,
    V8_TIER_TURBOFAN,
    V8_TIERS
};

/* By the mark that V8 puts before a function's name. */
static inline enum v8_tier v8_tier_of_mark(char mark)
{
    switch (mark) {
    case '~':
        return V8_TIER_IGNITION;
    case '^':
        return V8_TIER_SPARKPLUG;
    case '+':
        return V8_TIER_MAGLEV;
    case '*':
        return V8_TIER_TURBOFAN;
    default:
        return V8_TIER_NONE;
    }
}

/* What V8's developers call it. */
static inline const char *v8_tier_name(enum v8_tier tier)
{
    static const char *const names[V8_TIERS] = {"", "ignition", "sparkplug", "maglev", "turbofan"};
    return names[tier];
}

#endif
