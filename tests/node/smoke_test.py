# SPDX-License-Identifier: Apache-2.0
"""One run on one Node release: the program is as it was, and its functions have names and lines."""
import os
import sys

from node_case import PROGRAMS, NodeCase

PROGRAM = os.path.join(PROGRAMS, "smoke.js")


def lines_of(name, method=False):
    """The first and the last line of a function of the program."""
    with open(PROGRAM) as file:
        lines = file.read().split("\n")
    opening, closing = (f"  {name}(", "  }") if method else (f"function {name}(", "}")
    first = next(i for i, line in enumerate(lines, 1) if line.startswith(opening))
    return first, next(i for i in range(first, len(lines) + 1) if lines[i - 1] == closing)


class Smoke(NodeCase):
    def assert_hot(self, profiles, name, frames, first, last, least_ms):
        """|frames|, those of |name|, are on its lines, and it has some of the CPU that it burnt."""
        self.assertEqual({(f.file, f.start_line) for f in frames}, {(PROGRAM, first)}, name)
        inside = sum(first <= f.line <= last for f in frames)
        self.assertGreater(inside, 0.9 * len(frames), name)
        found = profiles.cumulative(frames[0].name) / 1e6
        print(f"  {name}: {found:.0f} ms", file=sys.stderr)
        self.assertGreater(found, least_ms, name)

    def test_names_lines_and_an_unharmed_program(self):
        result = self.same_with_and_without(PROGRAM)
        self.assertEqual((result.returncode, result.stderr), (7, ""))
        profiles = result.profiles
        # The clock of spend() is the process's: in the worker's part other threads run, too.
        for name, least_ms in (("inlining", 240), ("named", 240), ("inWorker", 200)):
            frames = profiles.frames(name)
            self.assertTrue(frames, name)
            self.assert_hot(profiles, name, frames, *lines_of(name), least_ms)
        turn = [f for sample in profiles.samples for f in sample.stack if f.name in ("turn", "Engine.turn")]
        self.assertTrue(turn)
        self.assert_hot(profiles, "turn", turn, *lines_of("turn", method=True), 240)
        self.assertGreater(profiles.cumulative("hashing"), 160e6)
        native = [s for s in profiles.stacks_of("hashing") if s.stack[0].mapping.endswith(("/node", ".so.3", ".so.108"))
                  and not s.stack[0].file]
        self.assertGreater(sum(s.nanos for s in native), 140e6)
        worker_threads = {s.labels["thread.id"] for s in profiles.stacks_of("inWorker")}
        main_threads = {s.labels["thread.id"] for s in profiles.stacks_of("named")}
        self.assertFalse(worker_threads & main_threads)
        unknown = profiles.self_time("[unknown]") / profiles.total()
        inlined = profiles.self_time("mixed") / profiles.cumulative("inlining")
        print(f"  [unknown] {100 * unknown:.2f} %, inlined function's share of its caller {100 * inlined:.0f} %", file=sys.stderr)
        self.assertLessEqual(unknown, 0.02)
        self.assert_nothing_lost(profiles)
