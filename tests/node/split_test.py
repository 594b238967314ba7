# SPDX-License-Identifier: Apache-2.0
"""Ground truth: functions that burn a known share of the CPU, and know how much it was."""
import json
import os
import re
import subprocess
import sys

from node_case import FULL, PROGRAMS, NodeCase, standard_error

SPLIT = os.path.join(PROGRAMS, "split.js")
SECONDS, FEWER_SECONDS = ("30", "15") if FULL else ("6", "2.5")
NO_INLINING = "--max-inlined-bytecode-size=0"
BURNS = ("burn10", "burn20", "burn30", "burn40")


def lines_of(path, function):
    """The first and the last line of the top-level |function| in the file at |path|."""
    with open(path) as file:
        lines = file.read().split("\n")
    first = next(i for i, line in enumerate(lines, 1) if line.startswith(f"function {function}("))
    return first, next(i for i in range(first, len(lines) + 1) if lines[i - 1] == "}")


class Split(NodeCase):
    def run_split(self, *flags, seconds):
        result = self.profiled(*flags, SPLIT, seconds, timeout=120)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        truth = json.loads(result.stdout)
        return result, truth

    def assert_shares(self, profiles, used, share_of):
        """|share_of|: ns of a function in the profile."""
        found = {name: share_of(name) for name in BURNS}
        samples = profiles.count()
        errors = []
        for name in BURNS:
            truth = used[name] / sum(used.values())
            share = found[name] / sum(found.values())
            allowed = max(0.02, 3 * standard_error(truth, samples))
            errors.append(f"{name} {100 * share:.2f} % (truth {100 * truth:.2f} %, allowed {100 * allowed:.2f})")
            self.assertLessEqual(abs(share - truth), allowed, errors[-1])
        print(f"  {samples} samples: " + ", ".join(errors), file=sys.stderr)
        return found

    def assert_places(self, profiles):
        """Every frame of the four functions is in the right file, on a line of the function."""
        for name in BURNS:
            first, last = lines_of(SPLIT, name)
            frames = profiles.frames(name)
            self.assertTrue(frames)
            self.assertEqual({(f.file, f.start_line) for f in frames}, {(SPLIT, first)})
            wrong = [f.line for f in frames if not first <= f.line <= last]
            self.assertEqual(wrong, [], name)

    def test_shares_places_and_total_are_right_without_inlining(self):
        result, truth = self.run_split(NO_INLINING, seconds=SECONDS)
        found = self.assert_shares(result.profiles, truth["used"], result.profiles.cumulative)
        # And not in proportion only: what each function used is what the profile says, to its sampling error.
        for name, nanos in found.items():
            self.assertAlmostEqual(nanos / (truth["used"][name] * 1e3), 1, delta=0.15, msg=name)
        self.assert_places(result.profiles)
        self.assert_named(result.profiles)
        self.assert_nothing_lost(result.profiles)
        self.assert_total(result, truth["total"])

    def test_time_stays_in_the_right_file_with_inlining(self):
        # An inlined function's time may go to the function that it was inlined into (the Node issue brings inlining):
        # what must hold is the sum, and that no frame is in a wrong place.
        result, truth = self.run_split(seconds=FEWER_SECONDS)
        profiles = result.profiles
        in_round = sum(s.nanos for s in profiles.samples if any(f.name in BURNS + ("round",) for f in s.stack))
        self.assertGreaterEqual(in_round, 0.93 * sum(truth["used"].values()) * 1e3)
        for name in BURNS:
            first, _ = lines_of(SPLIT, name)
            self.assertLessEqual({(f.file, f.start_line) for f in profiles.frames(name)}, {(SPLIT, first)})
        self.assert_named(profiles)
        self.assert_total(result, truth["total"])

    def test_a_perf_map_gives_the_same_names(self):
        result, truth = self.run_split(NO_INLINING, "--perf-basic-prof", seconds=FEWER_SECONDS)
        self.addCleanup(lambda: os.path.exists(f"/tmp/perf-{result.pid}.map") and os.remove(f"/tmp/perf-{result.pid}.map"))
        self.assert_shares(result.profiles, truth["used"], result.profiles.cumulative)
        self.assert_places(result.profiles)
        self.assert_named(result.profiles)

    def test_go_tool_pprof_agrees(self):
        # One window, however long the machine takes for 1.5 s of CPU.
        result = self.profiled(NO_INLINING, SPLIT, "1.5", extra={"OTEL_PROFILING_COLLECTION_INTERVAL_MS": "600000"}.items())
        self.assertEqual(result.returncode, 0)
        profiles = result.profiles
        self.assertEqual(len(profiles.paths), 1)
        top = subprocess.run(["go", "tool", "pprof", "-top", "-unit=nanoseconds", "-nodecount=100000", "-nodefraction=0",
                              "-edgefraction=0", profiles.paths[0]], capture_output=True, text=True, timeout=60, check=True,
                             env={**os.environ, "PPROF_TMPDIR": self.directory}).stdout
        rows = {}
        row = re.compile(r"^ *(\d+)(?:ns)? +\S+% +\S+% +(\d+)(?:ns)? +\S+%  (.*)$", re.M)
        for flat, cumulative, name in row.findall(top):
            rows[name] = int(flat), int(cumulative)
        for name in BURNS:
            self.assertEqual(rows[name], (profiles.self_time(name), profiles.cumulative(name)), name)
        self.assertIn("Type: cpu\n", top)
        raw = subprocess.run(["go", "tool", "pprof", "-raw", profiles.paths[0]], capture_output=True, text=True, check=True,
                             timeout=60, env={**os.environ, "PPROF_TMPDIR": self.directory}).stdout
        first, _ = lines_of(SPLIT, "burn40")
        self.assertRegex(raw, rf"burn40 {re.escape(SPLIT)}:\d+:\d+ s={first}\b")
