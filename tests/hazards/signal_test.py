# SPDX-License-Identifier: Apache-2.0
"""What applications do with signals goes on as without us, and so does the profile."""
import unittest

from hazard_case import HazardCase
from profiled_case import cumulative, report, soak, total


class Dispositions(HazardCase):
    def change(self, how, gap=0.0):
        """|gap|: seconds of CPU, of both threads, that may go unsampled until the loss is noticed."""
        run = self.profile("signals", how, deadline=30)
        self.assert_clean(run)
        self.assert_total(run)
        used = int(run.lines("after")[0][0])
        found = cumulative(run.profiles, "after_change")
        report(f"{how}: after the change {found / used:.1%} of {used / 1e9:.2f} s is in its function; "
               f"{run.lines('strange')[0][0]} ticks of ours in the application's handler")
        self.assertGreater(found, 0.97 * used - gap * 1e9)
        return run

    def test_signal_default_for_all(self):
        self.change("signal")

    def test_sigaction_default_for_all(self):
        self.change("sigaction")

    def test_a_handler_set_around_libc_is_noticed(self):
        run = self.change("raw_handler", gap=2.6)
        self.assertLess(int(run.lines("strange")[0][0]), 2 * 1.3 * 250)

    def test_a_signal_ignored_around_libc_is_noticed(self):
        self.change("raw_ignore", gap=2.6)

    def test_the_application_hears_what_would_be_without_us(self):
        run = self.change("ask")
        self.assertEqual(run.lines("sigprof"), self.plain("signals", "ask").lines("sigprof"))


class OwnProfiler(HazardCase):
    def check(self, when):
        # setitimer itself is good to some 30 % on a machine whose neighbours take its time.
        plain = sorted(int(self.plain("own_sigprof", when).lines("ticks")[0][0]) for _ in range(2))
        run = self.profile("own_sigprof", when)
        self.assert_clean(run)
        error = self.assert_total(run)
        self.assertEqual(run.lines("old"), [["default"]])
        ticks, _, strange, _, handler = run.lines("ticks")[0]
        named = cumulative(run.profiles, "work") / total(run.profiles)
        report(f"{when}: the application's ticks {ticks} ({plain} without us), profile {error:+.3%}, work {named:.1%}")
        self.assertEqual((handler, strange), ("own", "0"), "it never sees a tick of ours")
        nominal = 300
        self.assertGreater(int(ticks), 0.7 * min(plain[0], nominal))
        self.assertLess(int(ticks), 1.3 * max(plain[1], 1.2 * nominal))
        self.assertGreater(named, 0.93)

    def test_installed_at_once(self):
        self.check("early")

    def test_installed_after_some_work(self):
        self.check("late")


class WaitForAll(HazardCase):
    def check(self, how):
        run = self.profile("sigwait_all", how, deadline=30, interval=1000)
        self.assert_clean(run)
        self.assertEqual(run.lines("signal"), [], "a signal that is not the application's")
        error = self.assert_total(run, slack=3e6)
        report(f"{how}: total {error:+.3%}")

    def test_sigwait(self):
        self.check("sigwait")

    def test_signalfd(self):
        self.check("signalfd")

    def test_a_thread_that_burns_and_polls_in_turns(self):
        self.check("self")


class InterruptedCalls(HazardCase):
    def test_no_call_ends_with_eintr(self):
        run = self.profile("interrupted_calls", soak(5000, 20000), deadline=60, interval=1000)
        self.assert_clean(run)
        calls = run.lines("call")
        self.assertEqual(len(calls), 6)
        report(f"rounds: {[(name, int(rounds)) for name, rounds, _ in calls]}")
        for name, rounds, interrupted in calls:
            self.assertGreater(int(rounds), 40)
            self.assertEqual((name, interrupted), (name, "0"))


if __name__ == "__main__":
    unittest.main()
