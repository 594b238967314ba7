# SPDX-License-Identifier: Apache-2.0
"""Who called a function is told at every instruction of it, also at those that make its frame and leave it: there the
frame pointer is its caller's. In callers.js each function has one caller, and most of the time is in entering and leaving."""
import collections
import os
import sys
import unittest

from node_case import FULL, PROGRAMS, NodeCase, node_major

PROGRAM = os.path.join(PROGRAMS, "callers.js")
SECONDS = "20" if FULL else "2"
HAS_MAGLEV = node_major() >= 20
ONE_TIER = ["--no-opt"] + (["--no-maglev"] if HAS_MAGLEV else [])
NO_INLINING = ["--no-turbo-inlining"] + (["--no-maglev-inlining"] if HAS_MAGLEV else [])
WRONG_MOST = 0.005  # a function object that V8 has moved before it was read


class Callers(NodeCase):
    def check(self, *flags):
        result = self.profiled(*flags, PROGRAM, SECONDS, timeout=120)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "done\n", ""))
        seen, wrong = collections.Counter(), collections.Counter()
        for sample in result.profiles.samples:
            names = [frame.name for frame in sample.stack if frame.file == PROGRAM]
            for leaf in ("short", "recursive"):
                if names and names[0] == leaf:
                    seen[leaf] += sample.count
                    wrong[leaf] += 0 if self.is_right(names) else sample.count
        print(f"  {' '.join(flags)}: " + ", ".join(f"{leaf} {wrong[leaf]} wrong of {seen[leaf]}" for leaf in seen),
              file=sys.stderr)
        for leaf in ("short", "recursive"):
            self.assertGreater(seen[leaf], 30)
            self.assertLessEqual(wrong[leaf], WRONG_MOST * seen[leaf], leaf)

    @staticmethod
    def is_right(names):
        if names[0] == "short":
            return names[1:3] == ["middle", "outer"]
        depth = names.index("descend") if "descend" in names else 0
        return names[:depth] == ["recursive"] * depth and 1 <= depth <= 9

    def test_interpreted(self):
        self.check(*ONE_TIER, "--no-sparkplug")

    def test_baseline(self):
        self.check(*ONE_TIER, "--always-sparkplug")

    def test_optimized(self):
        self.check(*NO_INLINING)


if __name__ == "__main__":
    unittest.main()
