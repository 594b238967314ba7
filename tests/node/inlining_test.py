# SPDX-License-Identifier: Apache-2.0
"""Decoding of inlined functions in live programs: inlining_probe.c is preloaded into the Node of OTELPROF_NODE. What it decodes is
held against V8's own account: the line events of the same code, and the names of the bytecode events."""
import collections
import json
import os
import re
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "programs", "inlining.js")
PROBE = os.path.join(os.environ.get("OTELPROF_BUILD_DIR", ""), "tests", "node", "libinlining_probe.so")
NODE = os.environ.get("OTELPROF_NODE", "node")

Code = collections.namedtuple("Code", "function tier length functions positions")
Inlined = collections.namedtuple("Inlined", "function caller call_position")
Position = collections.namedtuple("Position", "pc function position")


def parse_name(name):
    """("scale", "*") of "JS:o*'scale /x/inlining.js:8:15"."""
    match = re.match(r"[A-Za-z]+:(o?)([~^+*])'?(.*) \S*inlining\.js:", name)
    return (match.group(3), match.group(2)) if match else ("", "")


class Run:
    """One run of |program| under the probe."""

    def __init__(self, *flags, program=PROGRAM, arguments=("1500",), **extra):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "out")
            environment = dict(os.environ, LD_PRELOAD=PROBE, INLINING_PROBE_OUT=path, INLINING_PROBE_SHOW="inlining.js", **extra)
            self.process = subprocess.run([NODE, *flags, program, *arguments], env=environment, capture_output=True, text=True,
                                          timeout=120, check=False)
            with open(path) as file:
                lines = [json.loads(line) for line in file]
        self.problems = [line for line in lines[:-1] if {"failed", "taken", "differs"} & set(line)]
        self.codes = [self.code(line) for line in lines if "functions" in line and "name" in line]
        self.counts = lines[-1]

    @staticmethod
    def code(line):
        functions = [Inlined(parse_name(name)[0], caller, position) for name, caller, position in line["functions"]]
        return Code(*parse_name(line["name"]), line["length"], functions, [Position(*p) for p in line["positions"]])


def flag_is_known(flag):
    """By trial: --v8-options lists flags that were compiled out, too."""
    return subprocess.run([NODE, flag, "-e", "0"], capture_output=True, timeout=60, check=False).returncode == 0


class InliningTest(unittest.TestCase):
    def check_counts(self, run, *, named=0.99):
        self.assertEqual((run.process.returncode, run.process.stdout), (0, "done\n"), run.process.stderr)
        counts = run.counts
        self.assertEqual(counts["prepared"], 0)
        self.assertEqual(run.problems, [])
        self.assertGreater(counts["optimized"], 0, counts)
        self.assertEqual(counts["decoded"], counts["optimized"], counts)
        self.assertEqual(counts["agreed"], counts["compared"], counts)
        self.assertGreaterEqual(counts["named"], named * counts["functions"], counts)

    def test_every_optimized_function_is_decoded_and_agrees_with_V8s_line_events(self):
        run = Run()
        self.check_counts(run)
        self.assertGreater(run.counts["compared"], 5, run.counts)
        self.assertGreater(run.counts["functions"], 20, run.counts)

    def test_code_that_is_not_optimized_is_refused(self):
        run = Run("--always-sparkplug")
        self.check_counts(run)
        self.assertGreater(run.counts["others"], 500, run.counts)
        self.assertEqual(run.counts["others_taken"], 0, run.counts)

    def test_the_tree_of_inlined_calls_is_the_programs(self):
        with open(PROGRAM) as file:
            source = file.read()
        codes = [code for code in Run().codes if code.function == "hot" and code.tier == "*"]
        self.assertTrue(codes)
        calls = {("hot", "add"): ".add(i)", ("add", "scale"): "scale(value)", ("scale", "half"): "half(value ",
                 ("hot", "get total"): ".total"}
        seen = set()
        for code in codes:
            for inlined in code.functions:
                caller = code.functions[inlined.caller - 1].function if inlined.caller else code.function
                text = source[inlined.call_position - 1:inlined.call_position + 20]
                self.assertIn((caller, inlined.function), calls)
                self.assertIn(calls[caller, inlined.function], text)
                seen.add((caller, inlined.function))
        self.assertEqual(seen, set(calls))

    def test_positions_lie_in_the_function_they_are_said_to_be_of(self):
        with open(PROGRAM) as file:
            source = file.read()
        bodies = {"half": ("function half", "const scale"), "scale": ("const scale", "class Counter"),
                  "add": ("add(value)", "get total"), "get total": ("get total", "function weigh"),
                  "hot": ("function hot", "function shapes"), "weigh": ("function weigh", "function countdown")}
        bounds = {name: (source.index(first), source.index(last)) for name, (first, last) in bodies.items()}
        checked = collections.Counter()
        for code in Run().codes:
            for position in code.positions:
                self.assertLess(position.pc, code.length)
                name = code.functions[position.function - 1].function if position.function else code.function
                if name not in bounds or (not position.position and not position.function):
                    continue
                self.assertGreaterEqual(position.position, bounds[name][0], (code, position))
                self.assertLess(position.position, bounds[name][1], (code, position))
                checked[name, bool(position.function)] += 1
        for name in ("half", "scale", "add"):
            self.assertGreater(checked[name, True], 0, checked)
        self.assertGreater(checked["hot", False], 0, checked)

    def test_decoding_survives_V8s_stress_flags(self):
        for flags in (["--stress-compaction"], ["--stress-scavenge=50"], ["--stress-concurrent-inlining"], ["--always-sparkplug"],
                      ["--deopt-every-n-times=100"], ["--interpreted-frames-native-stack"], ["--maglev"], ["--no-concurrent-recompilation"],
                      ["--max-inlined-bytecode-size-cumulative=20000", "--max-inlined-bytecode-size=5000"]):
            if not all(map(flag_is_known, flags)):
                continue
            with self.subTest(flags=flags):
                self.check_counts(Run(*flags))

    def test_flushed_bytecode_leaves_an_inlined_function_without_a_name_and_nothing_worse(self):
        self.check_counts(Run("--stress-flush-code", "--expose-gc") if flag_is_known("--stress-flush-code") else Run(), named=0)

    def test_without_detailed_positions_the_tables_of_calls_are_decoded(self):
        self.check_counts(Run(INLINING_PROBE_CALLS_ONLY="1"))


if __name__ == "__main__":
    unittest.main()
