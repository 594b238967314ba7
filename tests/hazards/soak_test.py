# SPDX-License-Identifier: Apache-2.0
"""dlopen, dlclose, malloc, free, throw and catch on 8 threads at 1 kHz: no deadlock, no crash, exact totals."""
import os
import shutil
import unittest

from hazard_case import HazardCase
from profiled_case import BUILD, by_function, report, soak, total

PLUGIN = os.path.join(BUILD, "tests", "native", "libplugin_a.so")


class Soak(HazardCase):
    def soak(self, millis, **options):
        run = self.profile("soak_loader", millis, PLUGIN, deadline=millis / 1000 + 30, interval=1000, options=options)
        self.assert_clean(run)
        loads, throws, allocations, _, failures = run.lines("counts")[0]
        self.assertEqual(failures, "0")
        self.assertGreater(min(int(loads), int(throws), int(allocations)), 100)
        error = self.assert_total(run)
        unsampled = by_function(run.profiles)["[unsampled]"] / total(run.profiles)
        top = sorted(by_function(run.profiles).items(), key=lambda item: -item[1])[:4]
        dropped = {}
        for p in run.profiles:
            for cause, count in p.dropped().items():
                dropped[cause] = dropped.get(cause, 0) + count
        report(f"soak {millis} ms: {loads} loads, {throws} throws, {allocations} allocations; {len(run.profiles)} "
               f"profiles, total {total(run.profiles) / 1e9:.2f} s ({error:+.3%}); "
               f"unsampled {unsampled:.2%}; dropped {({k: v for k, v in dropped.items() if v})}; top {[n for n, _ in top]}")
        if "collection_interval_ms" not in options:  # in a short window chance alone leaves much
            self.assertLess(unsampled, 0.05, "no timer is taken away")
        return run

    def test_loader_allocator_and_exceptions(self):
        self.soak(soak(10000, 60000))

    def test_with_a_window_every_100_ms(self):
        self.soak(soak(3000, 10000), collection_interval_ms=100)

    def test_threads_that_end_while_a_window_closes_count_once(self):
        # It closes at a round between 1.0 and 1.4 s after the start.
        for _ in range(3):
            run = self.profile("ends_at_window", 990, 10, PLUGIN, options={"collection_interval_ms": 1000})
            self.assert_clean(run)
            error = self.assert_total(run, slack=40e6)  # the last window is made after the program's own reading
            report(f"40 threads that end at the end of a window: {len(run.profiles)} profiles, total {error:+.3%}")
            shutil.rmtree(self.profile_dir())


if __name__ == "__main__":
    unittest.main()
