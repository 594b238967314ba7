# SPDX-License-Identifier: Apache-2.0
"""Frames of baseline (Sparkplug) code are on the line that is being executed."""
import collections
import ctypes
import json
import os
import re
import subprocess
import sys
import unittest

from node_case import BUILD, FULL, NODE, PROGRAMS, NodeCase, node_major, standard_error

PROGRAM = os.path.join(PROGRAMS, "baseline.js")
SECONDS = "30" if FULL else "4"
BASELINE = ["--always-sparkplug", "--no-opt"] + (["--no-maglev"] if node_major() >= 20 else [])
LOOPS = ("first", "second", "third")


def sizes_of_v8():
    """Bytecodes::kBytecodeSizes as it is in the binary: a list for each operand scale."""
    symbols = subprocess.run(["readelf", "-sW", NODE], capture_output=True, text=True, timeout=60, check=True).stdout
    address, size = re.search(r"(\w+) +(\d+) OBJECT .*interpreter9Bytecodes14kBytecodeSizesE$", symbols, re.M).groups()
    segments = subprocess.run(["readelf", "-lW", NODE], capture_output=True, text=True, timeout=60, check=True).stdout
    for fields in re.findall(r"LOAD +(\w+) (\w+) \w+ (\w+)", segments):
        offset, start, length = (int(field, 16) for field in fields)
        if start <= int(address, 16) < start + length:
            with open(NODE, "rb") as file:
                file.seek(offset + int(address, 16) - start)
                table = file.read(int(size))
    count = len(table) // 3
    return [list(table[i * count:(i + 1) * count]) for i in range(3)]


def line_of(text):
    with open(PROGRAM) as file:
        found = [i for i, line in enumerate(file, 1) if text in line]
    assert len(found) == 1, (text, found)
    return found[0]


class Baseline(NodeCase):
    def run_program(self, *flags):
        result = self.profiled(*flags, PROGRAM, SECONDS, timeout=120, extra={"OTEL_PROFILING_TIER_LABEL": "true"}.items())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.profiles, json.loads(result.stdout)

    def assert_lines(self, profiles, used):
        """Most of the time is in builtins without a frame of their own, which the loops' operations call."""
        lines, count = collections.Counter(), 0
        for sample in profiles.samples:
            frames = {frame.name: frame for frame in reversed(sample.stack)}
            if "loops" in frames and "cpu" not in frames:
                lines[frames["loops"].line] += sample.nanos
                count += sample.count
        self.assertGreater(count, 150)
        on_loops = {name: lines[line_of(f"// {name} loop")] for name in LOOPS}
        self.assertGreaterEqual(sum(on_loops.values()), 0.98 * sum(lines.values()), lines)
        # The clock is the process's: it has the compiler's threads too.
        self.assertGreater(sum(on_loops.values()) / 1000, 0.9 * sum(used))
        self.assertLess(sum(on_loops.values()) / 1000, 1.03 * sum(used))
        report, wrong = [], 0
        for name, micros in zip(LOOPS, used):
            truth, share = micros / sum(used), on_loops[name] / sum(lines.values())
            report.append(f"{name} {100 * share:.2f} % (truth {100 * truth:.2f} %)")
            wrong += abs(share - truth) > max(0.02, 3 * standard_error(truth, count))
        print(f"  {count} samples: " + ", ".join(report), file=sys.stderr)
        self.assertEqual(wrong, 0, report)

    def callers(self, profiles, leaf, caller):
        """Samples by the line of |caller| in which it calls |leaf|."""
        lines = collections.Counter()
        for sample in profiles.samples:
            for inner, outer in zip(sample.stack, sample.stack[1:]):
                if (inner.name, outer.name) == (leaf, caller):
                    lines[outer.line] += sample.count
        return lines

    def test_time_is_on_the_line_of_the_loop_that_used_it(self):
        profiles, used = self.run_program(*BASELINE)
        self.assert_lines(profiles, used)
        self.assert_named(profiles)
        self.assert_nothing_lost(profiles)
        for leaf, text in (("alpha", "let x = alpha(n)"), ("beta", "x += beta(n)"), ("gamma", "x += gamma(")):
            lines = self.callers(profiles, leaf, "calls")
            self.assertGreater(sum(lines.values()), 3, leaf)
            self.assertEqual(set(lines), {line_of(text)}, leaf)

    def test_time_is_on_the_line_of_the_loop_in_every_tier(self):
        self.assert_lines(*self.run_program())


class Sizes(unittest.TestCase):
    def test_bytecodes_are_as_long_as_V8_says(self):
        library = ctypes.CDLL(os.path.join(BUILD, "tests", "node", "libbytecode_sizes.so"))
        library.bytecode_sizes_of.restype = library.bytecode_size.restype = ctypes.c_void_p
        library.bytecode_size.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
        version = subprocess.run([NODE, "-p", "process.versions.v8"], capture_output=True, timeout=30, check=True).stdout
        sizes = library.bytecode_sizes_of(version)
        self.assertTrue(sizes, version)
        for prefix, table in zip((b"", b"\0", b"\1"), sizes_of_v8()):
            self.assertGreater(len(table), 150)
            # The first four bytecodes are prefixes themselves.
            for bytecode in range(4, len(table)):
                told = library.bytecode_size(sizes, prefix + bytes([bytecode]) + bytes(40), 41)
                self.assertEqual(told, len(prefix) + table[bytecode], bytecode)
        self.assertFalse(library.bytecode_size(sizes, bytes([len(table)]), 1))


if __name__ == "__main__":
    unittest.main()
