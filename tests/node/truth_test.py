# SPDX-License-Identifier: Apache-2.0
"""Ground truth: every kind of code has the time, the place and the caller that the program itself knows of."""
import collections
import json
import os
import re
import sys

from node_case import FULL, PROGRAMS, NodeCase, node_major, standard_error

KINDS = os.path.join(PROGRAMS, "truth_kinds.js")
MILLISECONDS = 400 if FULL else 100
TICK = 4e6

# Rounds: of a loop that takes a millisecond or two. Tier: of at least |tier_share| of the loops' time; V8 takes long
# to optimize where the machine is busy.
Mode = collections.namedtuple("Mode", "flags rounds tier tier_share")
NO_MAGLEV = ["--no-maglev"] if node_major() >= 20 else []
INTERPRETED = Mode(["--no-opt", "--no-sparkplug", *NO_MAGLEV], 50000, "ignition", 0.95)
BASELINE = Mode(["--always-sparkplug", "--no-opt", *NO_MAGLEV], 50000, "sparkplug", 0.95)
MAGLEV = Mode(["--no-turbofan"], 1000000, "maglev", 0.5)
ALL_TIERS = Mode([], 1000000, "turbofan", 0.5)

LOOPS = ["earlyLoop", "plainLoop", "closureLoop", "generatorLoop", "get area", "set width", "#hidden", "ofClass",
         "trapGet", "behindBind", "tagLoop", "afterAwait", "afterHash", "afterPack"]
JAVASCRIPT = LOOPS + ["callsInlined", "twoCalls", "threeLoops", "compareItems", "evalLoop"]
NATIVE = ["matchText", "writeJson", "readJson", "stretchKey", "hashBytes", "pack", "callWasm"]
# {function: who calls it}
CALLERS = {"inlinedStep": "callsInlined", "firstOfTwo": "twoCalls", "secondOfTwo": "twoCalls",
           "generatorLoop": "takeAll", "get area": "readArea", "set width": "writeWidth", "#hidden": "callHidden",
           "ofClass": "callStatic", "trapGet": "readTrapped", "behindBind": "callBound", "tagLoop": "useTag",
           "compareItems": "sortItems", "wasmLoop": "callWasm", "evalLoop": "oneUse"}
# {function: what does its work: a regular expression, WebAssembly, or the C and C++ of Node, OpenSSL and zlib}
WORKERS = {"matchText": r"RegExp:(fast|blue)\s+(\w+)\s+sku-\d*1\b", "callWasm": "wasmLoop", "pack": "deflate_slow",
           "hashBytes": "SHA256_Update", "stretchKey": "node::crypto::PBKDF2Traits::DeriveBits("}

Mark = collections.namedtuple("Mark", "begin end lines")  # lines: {line that it runs on: Code}
Code = collections.namedtuple("Code", "columns words")  # words: {word of a call: its column}
MARK = re.compile(r"// (?:begins (.+)|(?:runs|\w+ of) (.+?)(?: at (.+))?)$")


def read_marks():
    """{function: Mark} as the program's comments say."""
    marks = {}
    with open(KINDS) as file:
        program = file.read().splitlines()
    for number, text in enumerate(program, 1):
        for begins, runs, words in MARK.findall(text):
            if begins:
                closing = text[:len(text) - len(text.lstrip())] + "}"
                end = next(i for i in range(number + 1, len(program) + 1) if program[i - 1].startswith(closing))
                marks[begins] = Mark(number, end, {})
                continue
            columns = {i for i, letter in enumerate(text[:text.index("//")], 1) if letter != " "}
            words = {word: text.index(word) + 1 for word in words.split()}
            marks[runs].lines[number] = Code(columns, words)
    return marks


def line_of(comment):
    with open(KINDS) as file:
        return next(number for number, text in enumerate(file, 1) if text.rstrip().endswith(comment))


class Truth(NodeCase):
    marks = read_marks()

    def run_kinds(self, mode, kinds, milliseconds=MILLISECONDS):
        result = self.profiled(*mode.flags, KINDS, str(milliseconds), str(mode.rounds), ",".join(kinds),
                               timeout=200, extra={"OTEL_PROFILING_TIER_LABEL": "true"}.items())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assert_nothing_lost(result.profiles)
        told = json.loads(result.stdout)
        self.assertEqual(list(told["used"]), kinds)
        print(f"  {len(kinds)} kinds, {result.profiles.count()} samples", file=sys.stderr)
        return result.profiles, told

    def check(self, mode, kinds):
        profiles, told = self.run_kinds(mode, kinds)
        self.assert_places(profiles, kinds)
        self.assert_callers(profiles)
        self.assert_tier(profiles, mode)
        self.assert_lines(profiles, told["lines"])
        wrong = self.wrong_times(profiles, told["used"])
        if wrong:
            # A busy machine may keep ticks back from one kind into the next, but not the same one's again and for
            # longer.
            print(f"  again: {wrong}", file=sys.stderr)
            again, told = self.run_kinds(mode, list(wrong), 3 * MILLISECONDS)
            self.assertEqual(self.wrong_times(again, told["used"]), {}, f"after {wrong}")
        return profiles

    def wrong_times(self, profiles, used):
        """{kind: what is wrong}: each one's time must be right to three ticks and 8 % of it, which is less than a
        point of them all."""
        wrong = {}
        for name, truth in used.items():
            found = profiles.cumulative(name)
            if abs(found - truth) > 3 * TICK + 0.08 * truth:
                wrong[name] = f"{found / 1e6:.0f} ms of {truth / 1e6:.0f}"
        return wrong

    def assert_places(self, profiles, kinds):
        """File and first line are the function's, executing line and column those where it spends its time."""
        seen, wrong, right_count, bad_count = set(), [], 0, 0
        for name, mark in self.marks.items():
            places, bad = collections.Counter(), collections.Counter()
            for sample in profiles.stacks_of(name):
                i = next(i for i, frame in enumerate(sample.stack) if frame.name == name)
                frame, inner = sample.stack[i], sample.stack[i - 1].name if i else None
                if inner == "inlinedStep" and sample.labels.get("v8.tier") == "maglev":
                    inner = None  # Maglev inlines late, and keeps the place of the loop for the call
                self.assertEqual((frame.file, frame.start_line), (KINDS, mark.begin), name)
                counts = places if self.is_right(frame, inner, mark) else bad
                counts[frame.line, frame.column] += sample.count
            self.assertTrue(all(mark.begin <= line <= mark.end for line, _ in bad), (name, bad))
            right_count, bad_count = right_count + sum(places.values()), bad_count + sum(bad.values())
            # The first operations and the last ones have their samples, too.
            if sum(bad.values()) > 4 + 0.05 * sum(places.values()):
                wrong.append(f"{name}: {dict(bad)} beside {dict(places)}, not {mark}")
            seen |= {name} if places else set()
        self.assertEqual(wrong, [])
        self.assertLess(bad_count, 0.03 * right_count)
        self.assertLessEqual(set(kinds) - {"evalLoop"}, seen)  # evalLoop is in no file

    def is_right(self, frame, inner, mark):
        if frame.line not in mark.lines:
            # V8 has no places of what it compiled before it was asked for them: the first line stands in.
            return mark is self.marks["earlyLoop"] and frame.line == frame.start_line
        columns, words = mark.lines[frame.line]
        if not words or not inner:
            return frame.column in columns
        return frame.column == words[inner] if inner in words else frame.column in words.values()

    def assert_callers(self, profiles):
        for name, caller in CALLERS.items():
            alone = [s for s in profiles.stacks_of(name) if all(f.name != caller for f in s.stack)]
            self.assertLessEqual(sum(s.nanos for s in alone), 0.02 * profiles.cumulative(name), alone[:3])

    def assert_tier(self, profiles, mode):
        tiers = collections.Counter()
        for name in LOOPS:
            for sample in profiles.stacks_of(name):
                tiers[sample.labels.get("v8.tier")] += sample.nanos
        self.assertGreater(tiers[mode.tier], mode.tier_share * sum(tiers.values()), tiers)

    def assert_lines(self, profiles, told):
        """The three lines of one function have their shares."""
        found = collections.Counter()
        for sample in profiles.samples:
            found.update({f.line: sample.nanos for f in sample.stack if f.name == "threeLoops"})
        lines = {name: found[line_of(f"// {name} of threeLoops")] for name in told}
        for name, nanos in told.items():
            truth, share = nanos / sum(told.values()), lines[name] / sum(lines.values())
            allowed = max(0.02, 3 * standard_error(truth, sum(lines.values()) / TICK))
            self.assertLess(abs(share - truth), allowed, (lines, told))

    def test_every_kind_of_code(self):
        profiles = self.check(ALL_TIERS, JAVASCRIPT + NATIVE)
        self.assert_named(profiles, 0.02)
        # Two functions at one address: one is inlined into the other.
        inlined = [inner.address == outer.address for s in profiles.stacks_of("inlinedStep")
                   for inner, outer in zip(s.stack, s.stack[1:]) if inner.name == "inlinedStep"]
        self.assertIn(True, inlined)
        self.assertEqual({(f.file, f.start_line, f.line) for f in profiles.frames("evalLoop")}, {("", 1, 1)})
        for name, worker in WORKERS.items():
            inside = sum(sample.nanos for sample in profiles.stacks_of(name)
                         if any(frame.name.startswith(worker) for frame in sample.stack))
            self.assertGreater(inside, 0.7 * profiles.cumulative(name), (name, worker))

    def test_every_kind_interpreted(self):
        self.check(INTERPRETED, JAVASCRIPT)

    def test_every_kind_in_baseline_code(self):
        self.check(BASELINE, JAVASCRIPT)

    def test_every_kind_in_code_of_maglev(self):
        # The binaries of Node 22 know the option, but have no Maglev.
        if node_major() >= 24:
            self.check(MAGLEV, JAVASCRIPT)


if __name__ == "__main__":
    import unittest
    unittest.main()
