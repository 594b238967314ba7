# SPDX-License-Identifier: Apache-2.0
"""Functions that V8 inlined are shown as frames of their own, with their share, line and caller."""
import os
import re
import subprocess

from node_case import FULL, PROGRAMS, NodeCase, standard_error

PROGRAM = os.path.join(PROGRAMS, "inlined.js")
SECONDS = "20" if FULL else "5"


def line_of(text):
    with open(PROGRAM) as file:
        return next(i for i, line in enumerate(file, 1) if text in line)


class Inlined(NodeCase):
    def test_inlined_helpers_have_their_shares_lines_and_callers(self):
        result = self.profiled(PROGRAM, SECONDS)
        profiles, truth = result.profiles, float(result.stdout)
        once, thrice = profiles.self_time("once"), profiles.self_time("thrice")
        self.assertGreater(once + thrice, 0.8 * profiles.total())
        share = once / (once + thrice)
        # The clock's share is that of loops on a shared machine: two points of it are not the profile's.
        allowed = max(0.02, 3 * standard_error(truth, profiles.count())) + 0.02
        print(f"  once {share:.3f}, by the clock {truth:.3f}")
        self.assertLess(abs(share - truth), allowed)
        for name in ("once", "thrice"):
            first = line_of(f"function {name}(")
            frames = [f for f in profiles.frames(name) if not f.file.startswith("node:")]  # node:events has a once
            self.assertEqual({(f.file, f.start_line) for f in frames}, {(PROGRAM, first)})
            # The optimizer moves a function's last operations behind its end now and then: most is what is asked.
            inside = sum(first <= f.line <= first + 4 for f in frames)
            self.assertGreater(inside, 0.9 * len(frames))
            self.assertTrue(profiles.has_chain(name, "both", "hot"))
        # Baseline code has no lines of its own: its frames are on the first.
        both = line_of("function both(")
        self.assertLessEqual({f.line for f in profiles.frames("both")}, {both, both + 1})

    def test_go_tool_pprof_marks_them_as_inlined(self):
        # It marks a function whose every call in the profile was inlined: not in a window that has one from before.
        windows = {"OTEL_PROFILING_COLLECTION_INTERVAL_MS": "500"}
        profiles = self.profiled(PROGRAM, "2", extra=windows.items()).profiles
        self.assertGreaterEqual(len(profiles.paths), 4)
        texts = [subprocess.run(["go", "tool", "pprof", "-top", "-nodecount=40", path], capture_output=True, text=True,
                                timeout=60, check=True).stdout for path in profiles.paths]
        self.assertTrue(any(re.search(r"(once|thrice|both).*\((partial-)?inline\)", text) for text in texts), texts)
