/*
 * The names that people wrote, out of the names that linkers see: C++ (Itanium ABI, _Z...) and Rust (legacy
 * _ZN...17h<hash>E, shown without the hash, and v0 _R...), by libiberty's callback interface. C++ looks as
 * from c++filt: with parameters, the suffixes of compilers as "[clone .cold]".
 */
#ifndef OTELPROF_SYMBOL_DEMANGLE_H
#define OTELPROF_SYMBOL_DEMANGLE_H

#include <stddef.h>

/*
 * What is not tried, for the stack's sake: the background thread has 256 KiB, and libiberty takes 72 bytes a
 * character in one alloca and then recurses once for every part of the name ("_Z1f" and 1,024 times "P" takes
 * 430 KiB). Names longer than this, and C++ names that could need more than 176 KiB, stay as they are: 0.2 %
 * of node's. demangle_test measures the worst shapes.
 */
#define DEMANGLE_INPUT_MAX 2048
#define DEMANGLE_STACK_MAX (176 * 1024)

/*
 * Writes the readable form of |mangled| to |out| (|size| bytes, terminated, cut when longer) and returns its
 * length without the terminator; 0, and "" in |out|, if |mangled| is not a mangled name. Background thread;
 * not async-signal-safe (libiberty formats numbers by sprintf and takes memory for punycode in Rust names by
 * malloc).
 */
size_t demangle(const char *mangled, char *out, size_t size);

/* True if rustc made |mangled|: _R..., or a legacy name with its hash. Pure. */
int demangle_is_rust(const char *mangled);

#endif
