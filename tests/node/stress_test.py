# SPDX-License-Identifier: Apache-2.0
"""V8 under its own stress flags: code that is moved, thrown away, compiled late, inlined without measure.
All of it has its name, and its share."""
import collections
import json
import os
import subprocess
import sys

from node_case import FULL, NODE, PROGRAMS, NodeCase, node_major, standard_error

MIXED = os.path.join(PROGRAMS, "stress_mixed.js")
MILLIS = "5000" if FULL else "900"
# The functions of each part of the program. V8 collects and compiles at the loop that calls them, too.
PARTS = {name: {name, "work." + name}
         for name in ("copyByJson", "throwAndCatch", "changeShapes", "mapAndSet", "makeAndCall")}
PARTS["sortPoints"] = {"sortPoints", "matchText", "work.sortPoints"}


def is_known(flag):
    """By trial: --v8-options lists flags that were compiled out, too."""
    trial = subprocess.run([NODE, flag, "-e", "0"], capture_output=True, timeout=60, check=False)
    return trial.returncode == 0


def samples_with_unknown(profiles):
    """Samples with an [unknown] anywhere, by the frames around it."""
    found = collections.Counter()
    for sample in profiles.samples:
        names = [frame.name[:60] for frame in sample.stack]
        if "[unknown]" in names:
            at = names.index("[unknown]")
            found[" < ".join(names[max(0, at - 3):at + 3])] += sample.count
    return found


class Stress(NodeCase):
    def assert_parts(self, profiles, used):
        """Each part has the share that the main thread's clock says; the worst is told."""
        self.assertEqual(set(used), set(PARTS))
        found = {part: sum(s.nanos for s in profiles.samples if any(f.name in names for f in s.stack))
                 for part, names in PARTS.items()}
        count = sum(s.count for s in profiles.samples if any(f.name in names for f in s.stack
                                                             for names in PARTS.values()))
        worst = 0
        for part, nanos in used.items():
            truth = nanos / sum(used.values())
            error = abs(found[part] / sum(found.values()) - truth)
            worst = max(worst, error)
            # Several hundred shares are judged in a run of all tests.
            allowed = max(0.03, 5 * standard_error(truth, count))
            self.assertLessEqual(error, allowed, (part, found, used))
        # And not in proportion only. What the clock's own calls take is in no part's stacks.
        self.assertAlmostEqual(sum(found.values()) / sum(used.values()), 1, delta=0.08, msg=(found, used))
        return worst

    def run_mixed(self, *flags):
        share, unknown = self.share_of_unknown(*flags)
        if share and node_major() >= 22:
            # A sample from before the first contact may be of code that died before it was told: then there was one
            # in some 90 runs. Whatever else it is, it comes again.
            self.assertLessEqual(share, 0.01, unknown)
            share, unknown = self.share_of_unknown(*flags)
        self.assertLessEqual(share, 0 if node_major() >= 22 else 0.01, unknown)

    def share_of_unknown(self, *flags):
        """The share of samples with [unknown] in a run with |flags|, and these samples; all else is judged here."""
        result = self.profiled(*flags, MIXED, MILLIS, timeout=120)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        told, profiles = json.loads(result.stdout), result.profiles
        self.assertEqual(told["results"], json.loads(self.plain(MIXED, "0").stdout)["results"])
        self.assertGreaterEqual(profiles.count(), 200)
        unknown = samples_with_unknown(profiles)
        share = sum(unknown.values()) / profiles.count()
        worst = self.assert_parts(profiles, told["used"])
        print(f"  {' '.join(flags) or 'no flags'}: {profiles.count()} samples, [unknown] in "
              f"{100 * share:.2f} %, shares to {100 * worst:.1f} points", file=sys.stderr)
        self.assertEqual({frame.file for part in PARTS for frame in profiles.frames(part)}, {MIXED})
        self.assert_nothing_lost(profiles)
        self.assert_total(result, 0)
        return share, unknown

    def run_known(self, *flags):
        """One run with each of |flags|; one that this version does not have is said to be missing."""
        for flag in flags:
            with self.subTest(flag=flag):
                if is_known(flag):
                    self.run_mixed(flag)
                else:
                    self.assertLess(node_major(), 26, flag + " is in none of the versions")
                    print(f"  {flag}: not in this version", file=sys.stderr)

    def test_without_flags(self):
        self.run_mixed()

    def test_collectors_that_move_everything(self):
        self.run_known("--stress-compaction", "--stress-scavenge=50", "--stress-incremental-marking",
                       *["--stress-compaction-random"] * FULL)

    def test_compilers_that_optimize_early_late_and_in_vain(self):
        self.run_known("--deopt-every-n-times=1000", "--stress-concurrent-inlining", "--stress-inline",
                       "--always-sparkplug", "--concurrent-recompilation-delay=50",
                       *["--maglev", "--no-lazy-feedback-allocation"] * FULL)

    def test_bytecode_that_is_thrown_away_and_made_again(self):
        self.run_known("--stress-flush-code", *["--stress-lazy-source-positions"] * FULL)

    def test_frames_of_the_interpreter_with_their_own_code(self):
        self.run_known("--interpreted-frames-native-stack")
