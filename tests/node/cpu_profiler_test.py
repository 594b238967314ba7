# SPDX-License-Identifier: Apache-2.0
"""Our JavaScript stacks against v8::CpuProfiler's for the same ticks of the same process (cpu_profiler_oracle.c). Compared
are functions: name, script and first line, from leaf to root, inlined ones included. Left out are the frames that each
side shows in its own way: native code, V8's builtins, regular expressions, and on V8's side API callbacks. The executing
line of each frame is compared, too, and counted by itself.

V8 takes the frame pointer for that of the code that is executed. Where it is still, or again, its caller's, V8 passes that
caller over: at a function's first and last instructions, and in builtins without a frame, which JavaScript calls for most of
its operations. Whose frame it is can be read in the frame itself: a stack in which V8 lacks just that function, with what is
inlined into it, is counted apart, and our own stack must have it. (That it is right there is what baseline_test.py and
callers_test.py are about.) Counted apart, too: V8 now and then gives up after the innermost function; and V8 14, which tells
inlined functions of the interrupted instruction, looks for those of the instruction before it, as if it were a return
address: that is another one where an entry of the table of positions begins."""
import collections
import os
import re
import subprocess
import sys
import tempfile
import unittest

from node_case import BUILD, NODE, PROGRAMS, clean_environment, node_major

from measured import MeasuredCase

ORACLE = os.path.join(BUILD, "tests", "node", "libcpu_profiler_oracle.so")
FULL = os.environ.get("OTELPROF_SOAK") == "full"
TYPESCRIPT = os.environ.get("OTELPROF_TYPESCRIPT", "")
MILLISECONDS = "40000" if FULL else "4000"  # of CPU
AGREEMENT = 0.99
RARE = 0.01  # at most, of what is counted apart besides V8_LACKS_OWNER
MOVED_MOST = 0.05  # function objects that V8 has moved before they are read: another owner is told (2 % seen in 26)
SAMPLES = 100
V8_LACKS_OWNER = "V8 lacks the function that the frame pointer belongs to"
V8_LOOKS_BEFORE = "V8 takes the instruction before the interrupted one"
V8_GIVES_UP = "V8 gives up after the innermost function"
OF_V8 = V8_LACKS_OWNER, V8_LOOKS_BEFORE, V8_GIVES_UP
LEAF_SIDE = 6
SHOWN = 3  # differences of each class

# A stack of V8's that is one of these is no stack: V8 says what it was doing instead of walking.
STATES = ("(garbage collector)", "(program)", "(idle)")
SCRIPT = "0"  # CpuProfileNode::kScript; the others are builtins, callbacks, V8's own and unresolved
V8_MOST_FRAMES = 255  # TickSample::kMaxFramesCount

Function = collections.namedtuple("Function", "name file line")


def rows_of(line):
    """The frames, or other groups of fields, in a line of the oracle."""
    return [group.split("\x1f") for group in line.split("\x1e")[1:]]


def path_of(url):
    return url[len("file://"):] if url.startswith("file://") else url


def is_script(row):
    return row[1] != "" or row[2] != "0"


class Ours:
    """One of our stacks. owner: V8's text for the function that the frame pointer belongs to. frames: those of scripts, each
    with the functions that are inlined into it, innermost first."""

    def __init__(self, begins_position, owner, rows):
        self.begins_position, self.owner, self.names = begins_position, owner, [row[0] for row in rows]
        self.leaf_inlined = 0  # functions inlined at the interrupted instruction itself
        while rows[self.leaf_inlined][4] == "1":
            self.leaf_inlined += 1
        self.frames, frame = [], []
        for row in rows:
            if is_script(row):
                frame.append(Function(row[0], row[1], int(row[2])))
            if row[4] == "0" and frame:
                self.frames.append(frame)
                frame = []
        self.lines = [int(row[3]) for row in rows if is_script(row)]

    def has_unknown(self):
        return "[unknown]" in self.names or "[inlined]" in self.names

    def is_cut(self):
        return "[truncated]" in self.names

    def seen_by_v8(self):
        """Before V8 14 the interrupted instruction is told as the function that was compiled (and, among the hits, the line
        of the innermost); inlined functions are unfolded at return addresses alone."""
        functions = sum(self.frames, [])
        return functions if node_major() >= 26 else functions[self.leaf_inlined:]

    def is_owner(self, number):
        """True if frame |number| from the leaf belongs to the owner."""
        if not self.owner or number >= len(self.frames):
            return False
        function = self.frames[number][-1]
        name = "" if function.name == "(anonymous)" else function.name
        return re.search(f"{re.escape(name)} {re.escape(function.file)}:{function.line}(:\\d+)?$",
                         self.owner.replace("file://", "")) is not None

    def has_owner(self):
        return not self.owner or self.is_owner(0) or self.is_owner(1)

    def may_be_owner(self, number):
        return self.is_owner(number) or not self.has_owner() and number < len(self.frames)

    def without_owner(self):
        """What V8 may tell in the place of this stack: without the owner, and without what a builtin was just entering."""
        functions, stacks = self.seen_by_v8(), []
        first = len(functions) - sum(map(len, self.frames[1:]))
        if self.may_be_owner(0):
            stacks.append(functions[first:])
        if self.may_be_owner(1):
            second = first + len(self.frames[1])
            stacks += [functions[:first] + functions[second:], functions[second:]]
        return stacks


class Theirs:
    """One of V8's stacks."""

    def __init__(self, node, rows):
        self.node, self.names = node, [row[0] for row in rows]
        self.leaf_is_script = rows[0][3] == SCRIPT
        self.state = rows[0][0] if len(rows) == 1 and rows[0][0] in STATES else None
        scripts = [row for row in rows if row[3] == SCRIPT and row[0] not in STATES]
        self.functions = [Function(row[0] or "(anonymous)", path_of(row[1]), int(row[2])) for row in scripts]
        # In the profile of callers: where the frame called the next one, None for the leaf.
        calls = [None] + [int(row[2]) for row in rows[:-1]]
        self.lines = [call for call, row in zip(calls, rows) if row[3] == SCRIPT and row[0] not in STATES]


class Run:
    """One program under both. ours, theirs, their_lines: by tick."""

    def __init__(self, *arguments):
        self.ours, self.theirs, self.their_lines, self.hits = {}, {}, {}, {}
        with tempfile.TemporaryDirectory(prefix="otelprof-oracle-") as directory:
            out = os.path.join(directory, "out")
            environment = clean_environment(
                LD_PRELOAD=ORACLE, CPU_PROFILER_ORACLE_OUT=out, OTEL_PROFILES_EXPORTER="file",
                OTEL_PROFILING_FILE_DIR=os.path.join(directory, "profiles"), OTEL_PROFILING_MAX_STACK_DEPTH="1024",
                OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS="1000", OTEL_PROFILING_EXIT_TIMEOUT_MS="20000")
            self.process = subprocess.run([NODE, *arguments], env=environment, cwd=directory, capture_output=True,
                                          text=True, timeout=120, check=False)
            with open(out, encoding="utf-8", errors="replace", newline="\n") as file:
                for line in file.read().split("\n"):
                    self.read(line)

    def read(self, line):
        fields = line.split("\x1e", 1)[0].split("\x1f")
        if fields[0] == "ours":
            self.ours[int(fields[1])] = Ours(fields[2] == "1", fields[3], rows_of(line))
        elif fields[0] == "v8":
            (self.their_lines if fields[1] == "1" else self.theirs)[int(fields[2])] = Theirs(fields[3], rows_of(line))
        elif fields[0] == "hits":
            self.hits[fields[1]] = collections.Counter({int(line): int(count) for line, count in rows_of(line)})
        elif fields[0] == "ticks":
            self.ticks, self.others = int(fields[1]), int(fields[2])


def is_part_of(short, long):
    """True if |short| is |long| with some left out."""
    rest = iter(long)
    return all(item in rest for item in short)


def difference(ours, theirs):
    """What is different between two stacks, None: nothing."""
    mine, yours = ours.seen_by_v8(), theirs.functions
    if mine == yours:
        return None
    if yours in ours.without_owner():
        return V8_LACKS_OWNER
    if len(theirs.names) == 1:
        return V8_GIVES_UP
    if ours.begins_position and node_major() >= 26:
        compiled = mine[len(ours.frames[0]) - 1:]
        if yours[-len(compiled):] == compiled:
            return V8_LOOKS_BEFORE
    if len(theirs.names) >= V8_MOST_FRAMES and mine[:len(yours)] == yours:
        return None
    if ours.is_cut():
        return "ours is cut"
    if ours.has_unknown():
        return "ours has an unknown frame"
    if is_part_of(mine, yours):
        return "ours lacks a frame"
    if is_part_of(yours, mine):
        return "ours has a frame more"
    if [f.name for f in mine] == [f.name for f in yours]:
        return "the same names, another file or line"
    return "another function"


def show(functions):
    part = " < ".join(f"{f.name}@{os.path.basename(f.file)}:{f.line}" for f in functions[:LEAF_SIDE]) or "(nothing)"
    return f"{part} and {len(functions) - LEAF_SIDE} more" if len(functions) > LEAF_SIDE else part


class Comparison:
    def __init__(self, run):
        self.compared = self.inlined = self.calls = self.same_calls = 0
        self.states, self.classes = collections.Counter(), collections.Counter()
        self.examples = collections.defaultdict(list)
        self.leaf_lines = collections.defaultdict(collections.Counter)  # of our stacks, by V8's leaf
        for tick in sorted(run.ours.keys() & run.theirs.keys()):
            self.add(tick, run.ours[tick], run.theirs[tick], run.their_lines.get(tick))
        self.without_owner = sum(not ours.has_owner() for ours in run.ours.values())
        self.no_sample = len(run.ours.keys() - run.theirs.keys())
        self.same_leaf_lines = sum(sum((lines & run.hits[node]).values()) for node, lines in self.leaf_lines.items())
        self.all_leaf_lines = sum(sum(lines.values()) for lines in self.leaf_lines.values())

    def add(self, tick, ours, theirs, their_calls):
        if theirs.state:
            self.states[theirs.state] += 1
            return
        self.compared += 1
        kind = difference(ours, theirs)
        self.classes[kind] += 1
        if kind:
            self.examples[kind].append((tick, ours, theirs))
            return
        self.inlined += ours.leaf_inlined > 0
        if ours.lines and theirs.leaf_is_script:
            self.leaf_lines[theirs.node][ours.lines[0]] += 1
        if their_calls and len(their_calls.lines) == len(ours.lines) - ours.leaf_inlined:
            pairs = [pair for pair in zip(ours.lines[ours.leaf_inlined:], their_calls.lines) if pair[1] is not None]
            self.calls += len(pairs)
            self.same_calls += sum(mine == yours for mine, yours in pairs)

    def agreement(self):
        return self.classes[None] / (self.compared - sum(self.classes[kind] for kind in OF_V8))

    def text(self):
        rows = [f"{self.compared} compared, {self.agreement():.2%} agree; V8 had no sample for {self.no_sample}, a state "
                f"for {dict(self.states)}; {self.without_owner} of ours without the frame pointer's function; {self.inlined} "
                f"leaves inlined; lines of leaves: {self.same_leaf_lines} of {self.all_leaf_lines} agree, of calls: "
                f"{self.same_calls} of {self.calls}"]
        for kind, examples in self.examples.items():
            rows.append(f"  {kind}: {len(examples)}")
            for tick, ours, theirs in examples[:SHOWN]:
                rows += [f"    {tick} ours: of {ours.owner}, in {ours.names[0]}: {show(ours.seen_by_v8())}",
                         f"    {tick} V8's: in {theirs.names[0]}: {show(theirs.functions)}"]
        return "\n".join(rows)


class CpuProfilerTest(MeasuredCase):
    def check(self, program, *arguments, flags=(), without_owner=0.03):
        run = Run(*flags, program, *arguments)
        self.assertEqual((run.process.returncode, run.process.stdout), (0, "done\n"), run.process.stderr)
        comparison = Comparison(run)
        print(f"node {node_major()} {os.path.basename(program)}: {comparison.text()}", file=sys.stderr)
        self.assertGreaterEqual(len(run.ours), 0.99 * run.ticks)
        self.assertGreaterEqual(comparison.compared, SAMPLES)
        self.assertGreaterEqual(comparison.agreement(), AGREEMENT)
        self.assertLessEqual(comparison.classes[V8_LACKS_OWNER], without_owner * comparison.compared)
        for kind in V8_GIVES_UP, V8_LOOKS_BEFORE:
            self.assertLessEqual(comparison.classes[kind], RARE * comparison.compared, kind)
        self.assertLessEqual(comparison.without_owner, MOVED_MOST * len(run.ours))

    def test_a_mixed_application(self):
        self.check(os.path.join(PROGRAMS, "agreement.js"), MILLISECONDS)

    def test_the_typescript_compiler(self):
        # V8's sampler in 20 does not know the interpreter in the copy of the builtins near the JIT code, and lacks every
        # interpreted leaf: 73 of 262 in 20.20.2, 1 of 216 without the copy.
        flags = ["--no-short-builtin-calls"] if node_major() == 20 else []
        self.check(os.path.join(PROGRAMS, "compile.js"), TYPESCRIPT, MILLISECONDS, flags=flags, without_owner=0.5)


if __name__ == "__main__":
    unittest.main()
