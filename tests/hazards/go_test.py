# SPDX-License-Identifier: Apache-2.0
"""A Go program with C in it: its runtime takes every signal, and its goroutines have stacks of a few KiB that move."""
import os
import shutil
import subprocess

import unittest

from hazard_case import HazardCase
from profiled_case import cumulative, report, total

HERE = os.path.dirname(os.path.abspath(__file__))
GO = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
CACHE = os.environ.get("OTELPROF_CACHE") or os.path.expanduser("~/.cache/otelprof")


class Go(HazardCase):
    def build(self):
        program = os.path.join(self.directory, "cgo_program")
        env = {**self.plain_environment(), "GOCACHE": os.path.join(CACHE, "go-build"), "GOFLAGS": "", "GO111MODULE": "off",
               "CGO_ENABLED": "1", "GOTOOLCHAIN": "local"}
        subprocess.run([GO, "build", "-o", program, os.path.join(HERE, "cgo_program.go")], check=True, env=env)
        return program

    def test_goroutines_and_threads_of_c(self):
        program = self.build()
        plain = self.execute([program, 50], self.plain_environment(), 60)
        self.assertEqual((plain.returncode, plain.err), (0, ""))
        # It ends by exit_group alone, so the last window is lost.
        env = self.environment(program, interval=1000, collection_interval_ms=250)
        self.assertEqual(self.execute([program, 50], env, 60).lines("sum"), plain.lines("sum"))
        run = self.execute([program, 2000], env, 120)
        self.assert_clean(run)
        begin, end = run.used()
        in_go, in_c = (cumulative(run.profiles, name) / total(run.profiles) for name in ("main.burnInGo", "burn_in_c"))
        unsampled = cumulative(run.profiles, "[unsampled]") / total(run.profiles)
        report(f"profiles hold {total(run.profiles) / (end - begin):.0%} of the time, main.burnInGo {in_go:.0%}, "
               f"burn_in_c {in_c:.0%}, [unsampled] {unsampled:.0%}")
        self.assertLess(total(run.profiles), 1.01 * end)
        self.assertGreater(in_go, 0.1)
        self.assertGreater(in_c, 0.1)
        # Until the loss of the first signal is noticed, a second and more later, nothing is sampled.
        self.assertLess(unsampled, 0.7)


if __name__ == "__main__":
    unittest.main()
