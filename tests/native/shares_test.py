# SPDX-License-Identifier: Apache-2.0
"""Shares and totals against the clocks of the programs themselves, at 250 Hz."""
import shutil
import subprocess
import unittest

from profiled_case import ProfiledCase, ShareError, cumulative, report, soak, standard_error, total


class Shares(ProfiledCase):
    def check_functions(self, run):
        used = {name: int(nanos) for name, nanos in run.lines("function")}
        whole = total(run.profiles)
        burned = sum(used.values())
        differences = {name: self.assert_share(run.profiles, name, nanos / burned)
                       for name, nanos in used.items()}
        error = self.assert_total(run)
        worst = max(differences.values(), key=abs)
        self.check_unsampled(run)
        report(f"{self.id().split('.')[-1]}: total {whole / 1e9:.3f} s ({error:+.3%}), worst share {worst:+.2%}, "
               f"standard error at 40 % {standard_error(run.profiles, 0.4):.2%}, "
               f"{sum(s.count for p in run.profiles for s in p.samples)} samples")

    def check_unsampled(self, run):
        """What a thread uses after its last tick is of no function: about a tick a thread, and ticks are rare where
        many threads share a processor (and where neighbours take the machine's time)."""
        threads = max(1, len(run.lines("thread")))
        unsampled, whole = cumulative(run.profiles, "[unsampled]"), total(run.profiles)
        tick = whole / sum(s.count for p in run.profiles for s in p.samples)
        report(f"  [unsampled] {unsampled / whole:.2%}; a tick every {tick / 1e6:.1f} ms")
        self.assertLess(unsampled, 0.01 * whole + 2 * threads * tick)

    def check_threads(self, run):
        """Each thread's samples carry its id and its name, and add up to what its clock said."""
        found = {}
        tick = total(run.profiles) / sum(s.count for p in run.profiles for s in p.samples)
        for sample in (s for p in run.profiles for s in p.samples):
            if sample.has("worker"):
                key = str(sample.labels.get("thread.id")), sample.labels.get("thread.name")
                found[key] = found.get(key, 0) + sample.cpu
        for tid, name, nanos in run.lines("thread"):
            self.assertIn((tid, name), found)
            # What a thread used since its last tick stays with no thread; the last of 50 such times is long.
            self.assertAlmostEqual(found.pop((tid, name)), int(nanos), delta=0.05 * int(nanos) + 8 * tick)
        found.pop(("None", None), None)  # [unsampled] of all of them together
        self.assertEqual(found, {}, "samples of threads that there were not")

    def measure(self, program, *arguments):
        """One run in some 20 has one of four shares outside of three standard errors by chance alone: then a run of
        four times the length decides."""
        for factor in (1, 4):
            shutil.rmtree(self.profile_dir(), ignore_errors=True)
            run = self.profile(program, *arguments[:-1], arguments[-1] * factor, deadline=240 * factor)
            self.assert_clean(run)
            try:
                self.check_functions(run)
                return run
            except ShareError:
                if factor > 1:
                    raise
        return None

    def one(self, program, threads, millis):
        run = self.measure(program, threads, millis)
        if threads > 1:
            self.check_threads(run)
        return run

    def test_main_thread_only(self):
        run = self.one("shares_O2", 1, soak(8000, 60000))
        self.assertEqual({s.labels.get("thread.name") for p in run.profiles for s in p.samples
                          if s.has("burn_40")}, {"worker-0"}, "the name that the thread gave itself")

    def test_8_threads(self):
        self.one("shares_O2", 8, soak(1500, 15000))

    def test_50_threads(self):
        self.one("shares_O2", 50, soak(250, 2400))

    def test_without_optimization(self):
        self.one("shares_O0", 4, soak(1000, 5000))

    def test_without_frame_pointers(self):
        self.one("shares_nofp", 4, soak(1000, 5000))

    def test_exceptions(self):
        self.measure("shares_exceptions", soak(4000, 20000))

    def test_1000_threads_of_3_ms(self):
        run = self.profile("short_threads", 1000, 20, 3000)
        self.assert_clean(run)
        error = self.assert_total(run)
        report(f"1000 threads of 3 ms: total {total(run.profiles) / 1e9:.3f} s ({error:+.3%}), "
               f"{sum(s.count for p in run.profiles for s in p.samples)} samples")

    def test_go_tool_pprof_agrees(self):
        run = self.profile("shares_O2", 1, 1500)
        self.assert_clean(run)
        text = subprocess.run(["go", "tool", "pprof", "-top", "-cum", "-unit=nanoseconds", "-sample_index=cpu",
                               run.profiles[0].path], capture_output=True, text=True, timeout=60, check=True).stdout
        rows = {row[5]: int(row[3][:-2]) for row in map(str.split, text.splitlines()) if len(row) == 6 and
                row[3].endswith("ns")}
        for name, _ in run.lines("function"):
            self.assertEqual(rows[name], sum(s.cpu for s in run.profiles[0].samples if s.has(name)))


if __name__ == "__main__":
    unittest.main()
