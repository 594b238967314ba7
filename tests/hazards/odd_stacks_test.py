# SPDX-License-Identifier: Apache-2.0
"""Stacks of unusual size and place at 1 kHz: no crash, exact totals, the right functions."""
import unittest

from hazard_case import HazardCase
from profiled_case import cumulative, report, samples_of, total


class Stacks(HazardCase):
    def check(self, name, arguments, function, share, caller=None):
        run = self.profile(name, *arguments, interval=1000, deadline=40)
        self.assert_clean(run)
        error = self.assert_total(run)
        found = cumulative(run.profiles, function) / total(run.profiles)
        below = sum(s.cpu for s in samples_of(run.profiles) if s.has(function) and caller and s.has(caller))
        report(f"{name} {' '.join(map(str, arguments))}: total {error:+.3%}, {function} {found:.1%}"
               + (f", above {caller} {below / total(run.profiles):.1%}" if caller else ""))
        self.assertGreater(found, share)
        return run, below / total(run.profiles)

    def test_the_smallest_stacks(self):
        self.check("burners", (20, 100, "min"), "burner", 0.9)

    def test_handlers_on_an_alternate_stack(self):
        # The first ticks there, until the background thread has looked the stack up, know the leaf alone.
        _, below = self.check("alternate_stack", (), "alternate_handler", 0.7, "raise_in_turns")
        self.assertGreater(below, 0.5, "the stack goes on below the handler")

    def test_coroutines_on_malloced_stacks(self):
        _, below = self.check("coroutines", ("malloc",), "coroutine_burn", 0.8, "coroutine")
        self.assertGreater(below, 0.5)

    def test_coroutines_on_mapped_stacks_with_guard_pages(self):
        _, below = self.check("coroutines", ("mmap",), "coroutine_burn", 0.6, "coroutine")
        self.assertGreater(below, 0.5)


if __name__ == "__main__":
    unittest.main()
