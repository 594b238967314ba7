# SPDX-License-Identifier: Apache-2.0
"""Every way in which a thread begins and ends: its time is in the profile, under its function."""
import unittest

from profiled_case import ProfiledCase, cumulative, report, total


class ThreadEnds(ProfiledCase):
    def check(self, how, function, named=0.97, program="thread_ends"):
        run = self.profile(program, how, deadline=20)
        self.assert_clean(run)
        error = self.assert_total(run)
        used = int(run.lines("worker")[0][0])
        found = cumulative(run.profiles, function)
        report(f"{how}: total {error:+.3%}, {function} {found / used:.1%} of its clock")
        self.assertGreaterEqual(found, named * used)
        self.assertLessEqual(found, 1.005 * used + 5e6)
        self.assertLessEqual(cumulative(run.profiles, "[unsampled]"), (1 - named) * used + 30e6)
        return run

    def test_return(self):
        self.check("return", "by_return")

    def test_pthread_exit(self):
        self.check("exit", "by_exit")

    def test_cancellation(self):
        self.check("cancel", "by_cancel")

    def test_detached(self):
        self.check("detached", "by_detached")

    def test_raw_clone_is_found_by_the_scan(self):
        # Two rounds of 250 ms pass before the background thread takes it for nobody's, one until its stack is known.
        self.check("clone", "by_clone", named=0.6)

    def test_raw_clone_beside_an_idle_main(self):
        self.check("clone_idle", "by_clone", named=0.6)

    def test_a_thread_that_is_discovered_before_it_runs(self):
        self.check("return", "by_return", program="thread_ends_slow")

    def test_main_ends_by_pthread_exit_and_the_process_ends_after_its_worker(self):
        run = self.check("main_exit", "by_main_exit")
        self.assertLess(run.duration, 10)

    def test_5000_short_threads_leave_no_timers(self):
        run = self.profile("short_threads", 5000, 50, 200, deadline=60)
        self.assert_clean(run)
        timers = int(run.lines("timers")[0][0])
        error = self.assert_total(run, slack=3e6)
        report(f"5000 threads: {timers} timers left, total {total(run.profiles) / 1e9:.3f} s ({error:+.3%})")
        self.assertLessEqual(timers, 3)


if __name__ == "__main__":
    unittest.main()
