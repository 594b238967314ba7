#include "symbol/v8name.h"

#include <string.h>

struct text {
    const char *at;
    size_t len;
};

static int starts_with(struct text t, const char *prefix)
{
    size_t len = strlen(prefix);
    return t.len >= len && !memcmp(t.at, prefix, len);
}

static int skip_prefix(struct text *t, const char *prefix)
{
    if (!starts_with(*t, prefix)) return 0;
    t->at += strlen(prefix);
    t->len -= strlen(prefix);
    return 1;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Cuts ":NUMBER" off the end: the number, or 0 when there is none. */
static int cut_number(struct text *t)
{
    size_t i = t->len;
    while (i && is_digit(t->at[i - 1])) i--;
    if (i == t->len || t->len - i > 9 || !i || t->at[i - 1] != ':') return 0;
    int number = 0;
    for (size_t k = i; k < t->len; k++) number = number * 10 + (t->at[k] - '0');
    t->len = i - 1;
    return number;
}

/* True for an absolute path, SCHEME:something, and the names that Node gives code without a file. */
static int looks_like_url(struct text t)
{
    static const char *const node_names[] = {"[eval", "[stdin]", "[worker eval]", "evalmachine.<",
                                             "<anonymous>"};
    if (t.len && t.at[0] == '/') return 1;
    for (size_t i = 0; i < sizeof node_names / sizeof *node_names; i++)
        if (starts_with(t, node_names[i])) return 1;
    size_t i = 0;
    while (i < t.len && (is_letter(t.at[i]) || (i && (is_digit(t.at[i]) || strchr("+-.", t.at[i]))))) i++;
    /* Two letters at least, and no blank behind the colon, which would be words and not a scheme. */
    return i >= 2 && i + 1 < t.len && t.at[i] == ':' && t.at[i + 1] != ' ';
}

/* The index of the blank between function and URL, |t.len| when there is no URL. */
static size_t find_split(struct text t)
{
    if (t.len && t.at[0] == ' ') return 0;
    for (size_t i = t.len; i-- > 0;)
        if (t.at[i] == ' ' && looks_like_url((struct text){t.at + i + 1, t.len - i - 1})) return i;
    size_t from = starts_with(t, "get ") || starts_with(t, "set ") ? 4 : 0;
    const char *blank = memchr(t.at + from, ' ', t.len - from);
    return blank ? (size_t)(blank - t.at) : t.len;
}

static void set_function(struct v8_name *name, struct text t)
{
    static const char anonymous[] = "(anonymous)";
    name->function = t.len ? t.at : anonymous;
    name->function_len = t.len ? t.len : sizeof anonymous - 1;
}

/* "add-0-liftoff" is "add": one function in two tiers is one row. */
static int parse_wasm(struct text t, struct v8_name *name)
{
    static const char *const tiers[] = {"-liftoff", "-turbofan"};
    size_t cut = 0;
    for (size_t i = 0; i < sizeof tiers / sizeof *tiers && !cut; i++) {
        size_t len = strlen(tiers[i]);
        if (t.len > len && !memcmp(t.at + t.len - len, tiers[i], len)) cut = t.len - len;
    }
    if (!cut) return 0;
    size_t digits = cut;
    while (digits && is_digit(t.at[digits - 1])) digits--;
    if (digits == cut || !digits || t.at[digits - 1] != '-') return 0;
    name->kind = V8_WASM;
    set_function(name, (struct text){t.at, digits - 1});
    return 1;
}

static void parse_js(struct text t, enum v8_kind kind, struct v8_name *name)
{
    name->kind = kind;
    /* Optimized while it was on the stack (V8 14, Node 26). */
    if (t.len > 1 && t.at[0] == 'o' && (t.at[1] == '+' || t.at[1] == '*')) skip_prefix(&t, "o");
    if (t.len && strchr("~^+*", t.at[0]) && t.at[0]) {
        name->tier = t.at[0];
        skip_prefix(&t, (char[]){t.at[0], 0});
        /* Optimized for one context (Node 24+). */
        if (name->tier == '+' || name->tier == '*') skip_prefix(&t, "'");
    } else if (kind == V8_JS && parse_wasm(t, name)) {
        return;
    }
    struct text whole = t;
    int last = cut_number(&t);
    int before = last ? cut_number(&t) : 0;
    name->line = before ? before : last;
    name->column = before ? last : 0;
    size_t split = find_split(t);
    if (split == t.len && name->line) {
        /* No blank at all, so there is no URL that the number could belong to. */
        name->line = name->column = 0;
        t = whole;
        split = t.len;
    }
    set_function(name, (struct text){t.at, split});
    if (split < t.len) {
        name->url = t.at + split + 1;
        name->url_len = t.len - split - 1;
    }
}

/* "RegExp:PATTERN" or "RegExp.> src: 'PATTERN' flags: 'g'". */
static void parse_regexp(struct text t, struct v8_name *name)
{
    static const char open[] = " src: '", close[] = "' flags: '";
    name->kind = V8_REGEXP;
    struct text pattern = t;
    if (t.len && (t.at[0] == '>' || t.at[0] == '<')) pattern = (struct text){t.at + 1, t.len - 1};
    if (skip_prefix(&pattern, open)) {
        for (size_t i = pattern.len; i-- > 0;) {
            if (starts_with((struct text){pattern.at + i, pattern.len - i}, close)) {
                pattern.len = i;
                break;
            }
        }
    } else {
        pattern = t;
    }
    set_function(name, pattern);
}

void v8name_parse(const char *text, size_t len, struct v8_name *name)
{
    static const struct {
        const char *prefix;
        enum v8_kind kind;
    } forms[] = {{"JS:", V8_JS},
                 {"Function:", V8_JS},
                 {"LazyCompile:", V8_JS},
                 {"Eval:", V8_EVAL},
                 {"Script:", V8_SCRIPT},
                 {"Builtin:", V8_BUILTIN},
                 {"BytecodeHandler:", V8_BYTECODE_HANDLER},
                 {"RegExp:", V8_REGEXP},
                 {"RegExp.", V8_REGEXP},
                 {"Stub:", V8_STUB}};
    memset(name, 0, sizeof *name);
    struct text t = {text, len};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!skip_prefix(&t, forms[i].prefix)) continue;
        name->kind = forms[i].kind;
        if (name->kind == V8_JS || name->kind == V8_EVAL || name->kind == V8_SCRIPT)
            parse_js(t, name->kind, name);
        else if (name->kind == V8_REGEXP)
            parse_regexp(t, name);
        else
            set_function(name, t);
        return;
    }
    set_function(name, t);
}

int v8name_is(const char *text, size_t len)
{
    struct v8_name name;
    v8name_parse(text, len, &name);
    return name.kind != V8_OTHER;
}

int perfname_python(const char *text, size_t len, struct python_name *name)
{
    struct text t = {text, len};
    if (!skip_prefix(&t, "py::")) return 0;
    const char *colon = memchr(t.at, ':', t.len);
    if (!colon || colon == t.at) return 0;
    name->function = t.at;
    name->function_len = (size_t)(colon - t.at);
    name->file = colon + 1;
    name->file_len = t.len - name->function_len - 1;
    return 1;
}
