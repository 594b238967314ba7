# SPDX-License-Identifier: Apache-2.0
"""A process ends by every way while its threads are sampled at 1 kHz: same code, in time; a stop and go is nothing."""
import os
import signal
import subprocess
import time
import unittest

from hazard_case import HazardCase
from profiled_case import report, samples_of, soak, total


class ExitWhileSampling(HazardCase):
    def exits(self, how):
        times = []
        for _ in range(soak(40, 200)):
            run = self.profile("exit_busy", how, deadline=10, interval=1000)
            self.assertEqual((run.returncode, run.err), (7, ""))
            times.append(run.duration)
        report(f"{how}: {len(times)} exits, longest {max(times):.3f} s, mean {sum(times) / len(times):.3f} s")

    def test_exit(self):
        self.exits("exit")

    def test_return_from_main(self):
        self.exits("return")

    def test_quick_exit(self):
        self.exits("quick")

    def test_exit_without_destructors(self):
        self.exits("now")

    def test_exit_by_another_thread(self):
        self.exits("thread")


class StopAndGo(HazardCase):
    def test_durations_stay_sane_over_a_stop_of_2_seconds(self):
        program = self.fixture("burners")
        env = self.environment(program, collection_interval_ms=500)
        start = time.monotonic()
        process = subprocess.Popen([program, "2", "1500"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, cwd=self.directory)
        time.sleep(0.7)
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(2)
        os.kill(process.pid, signal.SIGCONT)
        out, err = process.communicate(timeout=30)
        from profiled_case import Run
        run = Run(process.returncode, out, err, self.profile_dir(), time.monotonic() - start)
        self.assert_clean(run)
        self.assert_total(run, slack=3e6)
        durations = [p.duration / 1e9 for p in run.profiles]
        report(f"stopped: windows of {[round(d, 2) for d in durations]} s, {run.duration:.2f} s in all")
        self.assertGreater(min(durations), 0)
        self.assertLess(sum(durations), run.duration + 0.1)
        ends = [p.time + p.duration for p in run.profiles]
        for end, after in zip(ends, run.profiles[1:]):
            self.assertLess(abs(after.time - end), 0.3e9, "each begins where the one before it ended")
        for p in run.profiles:
            self.assertLessEqual(total([p]), 2.1 * p.duration, "two cores")
            self.assertTrue(all(s.cpu >= 0 for s in samples_of([p])))


if __name__ == "__main__":
    unittest.main()
