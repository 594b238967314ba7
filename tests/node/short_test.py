# SPDX-License-Identifier: Apache-2.0
"""The ends of the scale: calls of 1 to 3 us, all of them inlined, and functions that hardly run at all."""
import collections
import json
import os
import sys

from node_case import FULL, PROGRAMS, NodeCase, standard_error

SHORTS = os.path.join(PROGRAMS, "stress_short.js")
SLEEPERS = os.path.join(PROGRAMS, "stress_sleepers.js")
TINY = """'use strict';
function tinyLeaf(a) { return a ^ 5; }
function tinyCaller(n) { let x = 1; for (let i = 0; i < n; i++) x = (tinyLeaf(x) + tinyLeaf(i)) | 0; return x; }
const cpu = () => process.cpuUsage().user;
for (const end = cpu() + 1e6; cpu() < end;) tinyCaller(100000);
"""
SECONDS = 20 if FULL else 3
MILLIS = "10000" if FULL else "2000"
# A call's cost goes with its rounds.
ROUNDS = {"short700": 700, "short1400": 1400, "short2100": 2100}


def bounds_of(path, function):
    """The first and the last line of the top-level |function| in the file at |path|."""
    with open(path) as file:
        lines = file.read().split("\n")
    first = next(i for i, line in enumerate(lines, 1) if line.startswith(f"function {function}("))
    return first, next(i for i in range(first, len(lines) + 1) if lines[i - 1] == "}")


def script_frames(sample):
    """The frames of |sample| without a builtin as its leaf: in Maglev's code, Math.imul is one."""
    in_builtin = sample.stack and sample.stack[0].name.startswith("Builtin:")
    return sample.stack[1:] if in_builtin else sample.stack


class Short(NodeCase):
    def test_calls_of_a_few_microseconds_have_their_names_and_shares(self):
        result = self.profiled(SHORTS, str(SECONDS))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        profiles, truth = result.profiles, float(result.stdout)
        self.assertGreater(truth, SECONDS * 1e9)
        stacks = [(script_frames(sample), sample.nanos) for sample in profiles.samples]
        found = {name: sum(nanos for stack, nanos in stacks if stack and stack[0].name == name)
                 for name in ROUNDS}
        # By the thread's own clock; a hundredth more is what the sampling may err.
        self.assertGreaterEqual(sum(found.values()), 0.9 * truth, found)
        self.assertLessEqual(sum(found.values()), 1.01 * truth, found)
        worst = 0
        for name, rounds in ROUNDS.items():
            share = rounds / sum(ROUNDS.values())
            error = abs(found[name] / sum(found.values()) - share)
            worst = max(worst, error)
            self.assertLessEqual(error, max(0.03, 5 * standard_error(share, profiles.count())), found)
            first, last = bounds_of(SHORTS, name)
            frames = profiles.frames(name)
            self.assertEqual({(f.file, f.start_line) for f in frames}, {(SHORTS, first)})
            self.assertEqual([f.line for f in frames if not first <= f.line <= last], [], name)
        # That is, inlined: V8's code around the call is the callee's and the caller's at once.
        inlined = sum(nanos for stack, nanos in stacks if len(stack) > 1 and stack[0].name in ROUNDS
                      and stack[1].name == "callShorts" and stack[0].address == stack[1].address)
        print(f"  {profiles.count()} samples, {100 * sum(found.values()) / truth:.1f} % of the time named, "
              f"{100 * inlined / truth:.1f} % inlined, shares to {100 * worst:.2f} points", file=sys.stderr)
        self.assertGreater(inlined, 0.8 * truth)
        self.assert_named(profiles)
        self.assert_nothing_lost(profiles)


class Callers(NodeCase):
    def test_the_caller_of_a_tiny_function_is_in_its_stack(self):
        program = self.write("tiny.js", TINY)
        profiles = self.profiled("--max-inlined-bytecode-size=0", program).profiles
        tiny = profiles.stacks_of("tinyLeaf")
        called = sum(s.count for s in tiny if any(frame.name == "tinyCaller" for frame in s.stack))
        count = sum(s.count for s in tiny)
        print(f"  {called} of {count} samples have the caller", file=sys.stderr)
        self.assertGreater(count, 30)
        self.assertGreaterEqual(called, 0.98 * count - 1)


class Sleepers(NodeCase):
    def assert_threads(self, profiles, told):
        """Each thread has what its clock said. What no tick stands for is told of all workers together."""
        threads = collections.Counter()
        for (tid, _), nanos in profiles.threads().items():
            threads[tid] += nanos
        unsampled = sum(s.nanos for s in profiles.samples if "thread.id" not in s.labels)
        missing = 0
        for role, thread in told.items():
            found, clock = threads[thread["tid"]], thread["nanos"]
            print(f"  {role}: {found / 1e6:.1f} ms, {clock / 1e6:.1f} by its clock", file=sys.stderr)
            # A thread that ends does more after it has read its clock.
            self.assertLessEqual(found, 1.01 * clock + 12e6, role)
            missing += max(0, clock - found)
        self.assertLessEqual(missing, unsampled + 0.01 * profiles.total())

    def test_who_sleeps_has_no_time(self):
        result = self.profiled(SLEEPERS, MILLIS)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        told, profiles = json.loads(result.stdout), result.profiles
        self.assert_threads(profiles, told)
        for name in ("pollInMain", "sleepInMain"):
            self.assertLessEqual(profiles.cumulative(name), 0.01 * profiles.total(), name)
        for name in ("waitInWorker", "pollInWorker"):
            # On a busy machine it wakes the more often: its clock says what that cost. Two ticks are chance.
            most = max(0.01 * profiles.total(), told[name]["inRole"] + 8e6)
            self.assertLessEqual(profiles.cumulative(name), most, name)
        for name, role in (("busySlices", "main"), ("busyWorker", "busyWorker")):
            busy = profiles.cumulative(name, **{"thread.id": told[role]["tid"]})
            self.assertEqual(busy, profiles.cumulative(name), "on one thread")
            self.assertGreater(busy, 0.7 * told[role]["nanos"], name)
        self.assert_total(result, 0)
        self.assert_nothing_lost(profiles)
