# SPDX-License-Identifier: Apache-2.0
"""The machine code of the signal handler: no call leaves our text, no thread-local storage, little stack."""
import os
import re
import subprocess
import tempfile
import unittest

BUILD = os.path.abspath(os.environ.get("OTELPROF_BUILD_DIR", "build"))
LIBRARY = os.path.join(BUILD, "libotelprof.so")

# Who may call through a pointer, how often at most, and whom. Names without the compiler's .part/.constprop/.isra.
INDIRECT = {
    "learn_blob": "V8: GetEmbeddedCodeRange",
    "meet": "V8: TryGetCurrent, GetCodeRange",
    "node_tick": "V8: RequestInterrupt (and what is inlined)",
    "node_stack_sample": "V8: GetStackSample",
    "sampler_handle": "sampler.start_background, the chained foreign handler (inlined)",
    "pass_on": "the chained foreign handler",
    "take_sample": "sampler.wake_background",
    "background_start": "the function of the new thread, which runs there",
}
# What sampler_handle reaches, and what the two pointers of |sampler| reach.
ROOTS = ("sampler_handle", "background_start", "background_wake")

LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)(?:\s+(.*))?$")
TARGET = re.compile(r"^([0-9a-f]+)\s+<(.+?)(?:\+0x[0-9a-f]+)?>$")


class Code:
    """The disassembly of a file: functions by name, each a list of (address, mnemonic, operands)."""

    def __init__(self, path):
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True,
                              check=True).stdout
        self.functions, self.sections, current, section = {}, {}, None, None
        for line in text.splitlines():
            if line.startswith("Disassembly of section"):
                section = line.split()[-1].rstrip(":")
            elif line.endswith(">:"):
                current = line.split("<", 1)[1][:-2]
                self.functions[current] = []
                self.sections[current] = section
            elif current and (match := LINE.match(line)):
                # notrack and bnd are prefixes of the instruction that follows.
                address, mnemonic, operands = match[1], match[2], match[3] or ""
                while mnemonic in ("notrack", "bnd", "lock", "rep", "repz", "repnz"):
                    mnemonic, _, operands = operands.partition(" ")
                    operands = operands.strip()
                self.functions[current].append((int(address, 16), mnemonic, operands))


def base(name):
    return re.sub(r"\.(part|constprop|isra|cold)(\.\d+)?", "", name)


def frame_bytes(instructions):
    """What the function pushes and subtracts before its first call, at the most."""
    depth = 0
    for _, mnemonic, operands in instructions:
        if mnemonic.startswith("push"):
            depth += 8
        elif mnemonic.startswith("sub") and operands.endswith(",%rsp") and operands.startswith("$0x"):
            depth += int(operands[1:].split(",")[0], 16)
    return depth


def is_jump_table(instructions, at):
    """A switch: movslq (table,index,4),%rX; add %base,%rX; jmp *%rX. It stays in its function."""
    _, mnemonic, operands = instructions[at]
    before = [m for _, m, _ in instructions[max(0, at - 3):at]]
    return mnemonic.startswith("jmp") and operands.startswith("*%r") and "movslq" in before and "add" in before


class Checker:
    def __init__(self, path, *roots, indirect=INDIRECT):
        self.code, self.indirect = Code(path), indirect
        self.problems, self.calls, self.pointers = [], {}, []
        for root in roots:
            self.visit(root)

    def visit(self, name):
        if name in self.calls:
            return
        self.calls[name] = set()
        if name not in self.code.functions:
            self.problems.append(f"{name} is not in this file")
            return
        if self.code.sections[name] != ".text":
            self.problems.append(f"{name} is in {self.code.sections[name]}: a call out of our text")
            return
        instructions = self.code.functions[name]
        for at, (address, mnemonic, operands) in enumerate(instructions):
            if not is_jump_table(instructions, at):
                self.look_at(name, address, mnemonic, operands)
        for callee in sorted(self.calls[name]):
            self.visit(callee)

    def look_at(self, name, address, mnemonic, operands):
        if "%fs:" in operands or "%gs:" in operands:
            self.problems.append(f"{name}: thread-local storage at {address:x}: {mnemonic} {operands}")
        if not mnemonic.startswith(("call", "j")):
            return
        if operands.startswith("*"):
            self.pointers.append((name, operands))
            if "GLOBAL_OFFSET_TABLE" in operands or "@" in operands:
                self.problems.append(f"{name}: through the GOT at {address:x}: {mnemonic} {operands}")
            if base(name) not in self.indirect:
                self.problems.append(f"{name}: an indirect {mnemonic} at {address:x}: {operands}")
            return
        target = TARGET.match(operands)
        if not target:
            self.problems.append(f"{name}: cannot read {mnemonic} {operands}")
        elif target[2] != name:
            self.calls[name].add(target[2])

    def deepest(self, name, path=()):
        """(bytes, functions) of the path with the most stack, a return address for every call included."""
        if name in path:
            return 0, ()
        best = (0, ())
        for callee in self.calls.get(name, ()):
            best = max(best, self.deepest(callee, (*path, name)))
        return 8 + frame_bytes(self.code.functions.get(name, ())) + best[0], (name, *best[1])


class HandlerCode(unittest.TestCase):
    def test_nothing_leaves_our_text(self):
        checker = Checker(LIBRARY, *ROOTS)
        print(f"\n    {len(checker.calls)} functions: {', '.join(sorted(checker.calls))}\n    calls through pointers: "
              + "; ".join(f"{n} {o}" for n, o in checker.pointers), flush=True)
        self.assertEqual(checker.problems, [])
        self.assertIn("unwind_walk", checker.calls, "the closure is what we mean")
        self.assertIn("ring_reserve", checker.calls)

    def test_stack_of_the_deepest_path(self):
        checker = Checker(LIBRARY, *ROOTS)
        for root in ("sampler_handle", "unwind_walk", "node_stack_sample"):
            size, path = checker.deepest(root)
            print(f"\n    {size} bytes from {root}: " +
                  " > ".join(f"{n} {frame_bytes(checker.code.functions.get(n, ()))}" for n in path), end="", flush=True)
        print(flush=True)
        self.assertLess(checker.deepest("unwind_walk")[0], 256)
        # All with the probe of unknown stacks: 16 iovecs. A signal frame is 1 to 3 KiB, MINSIGSTKSZ allows for it.
        self.assertLess(checker.deepest("sampler_handle")[0], 1536)

    def check_bad(self, source, expected, flags=()):
        with tempfile.TemporaryDirectory(prefix="otelprof-bad-") as directory:
            path, library = os.path.join(directory, "bad.c"), os.path.join(directory, "bad.so")
            with open(path, "w") as file:
                file.write(source)
            subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-fno-builtin", *flags, "-o", library, path], check=True)
            problems = Checker(library, "sampler_handle").problems
            self.assertTrue(any(re.search(expected, p) for p in problems), problems)

    BAD_MEMCPY = """
        #include <string.h>
        __attribute__((noipa)) static void copy(char *to, const char *from, size_t n) { memcpy(to, from, n); to[0]++; }
        void sampler_handle(char *to, const char *from, size_t n) { copy(to, from, n); to[1]++; }"""

    def test_a_handler_that_calls_memcpy_is_refused(self):
        self.check_bad(self.BAD_MEMCPY, "memcpy@plt.*call out of our text")

    def test_a_handler_that_calls_memcpy_through_the_got_is_refused(self):
        self.check_bad(self.BAD_MEMCPY, "indirect call|through the GOT", ["-fno-plt"])

    def test_a_handler_that_uses_thread_local_storage_is_refused(self):
        self.check_bad("static __thread int depth; void sampler_handle(void) { depth++; }", "thread-local",
                       ["-ftls-model=initial-exec"])

    def test_a_handler_with_a_stack_protector_is_refused(self):
        self.check_bad("void use(char *); static __attribute__((noipa)) void f(char *p) { p[3] = 1; }\n"
                       "void sampler_handle(void) { char buffer[64]; f(buffer); }", "thread-local",
                       ["-fstack-protector-all"])

    def test_a_handler_that_calls_through_a_pointer_is_refused(self):
        self.check_bad("extern void (*out)(void); void (*out)(void); __attribute__((noipa)) static void f(void) "
                       "{ out(); out(); } void sampler_handle(void) { f(); f(); }", "indirect call")


class Library(unittest.TestCase):
    def test_it_needs_libc_alone_and_no_thread_local_storage_of_libc(self):
        text = subprocess.run(["readelf", "-dlW", LIBRARY], capture_output=True, text=True, check=True).stdout
        self.assertEqual(re.findall(r"NEEDED.*\[(.+)\]", text), ["libc.so.6"])
        self.assertNotRegex(text, r"\n\s*TLS\s")
        self.assertNotIn("TEXTREL", text)
        self.assertRegex(text, r"GNU_STACK.* RW ")


if __name__ == "__main__":
    unittest.main()
