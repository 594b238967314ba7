# SPDX-License-Identifier: Apache-2.0
"""1,000 threads are created and joined, again and again, at 1 kHz: nothing differs, nothing is lost, nothing stays."""
import unittest

from hazard_case import HazardCase
from profiled_case import by_function, report, soak, total

THREADS = 1000


class ThreadRounds(HazardCase):
    def check(self, rounds, micros, **options):
        arguments = rounds, THREADS, micros
        plain = self.plain("thread_rounds", *arguments, deadline=280)
        run = self.profile("thread_rounds", *arguments, deadline=280, interval=1000, options=options)
        self.assert_clean(run)
        self.assertEqual(plain.lines("joined"), [[str((rounds + 6) * THREADS)]])
        self.assertEqual(run.lines("joined"), plain.lines("joined"))
        error = self.assert_total(run, slack=3e6)
        sums = by_function(run.profiles)
        unsampled = sums["[unsampled]"] / total(run.profiles)
        lost = {cause: count for p in run.profiles for cause, count in p.dropped().items() if count}
        memory, mappings, timers = zip(*[map(int, words) for words in run.lines("round")])
        before = [int(words[0]) for words in plain.lines("round")]
        settled = rounds // 4
        growth, maps_growth = (max(of[-settled:]) - max(of[settled:2 * settled]) for of in (memory, mappings))
        report(f"{rounds} x {THREADS} threads of {micros} us: total {total(run.profiles) / 1e9:.2f} s ({error:+.3%}), "
               f"{unsampled:.1%} unsampled, dropped {lost}; resident {memory[0] >> 10}, {memory[settled] >> 10}, "
               f"{memory[-1] >> 10} KiB ({before[-1] >> 10} without), mappings {mappings[0]}, {mappings[-1]}, "
               f"timers {max(timers)}; {run.duration:.1f} s, {plain.duration:.1f} without")
        # The rest is what making and ending a thread takes: the half of it or more, as the machine is.
        self.assertGreater(sums["short_thread"], 0.25 * total(run.profiles))
        self.assertLessEqual(max(timers), 2, "one of each thread that lives")
        self.assertEqual({cause for cause in lost if cause.startswith(("threads", "timers"))}, set())
        self.assertLess(growth, 4 << 20)
        self.assertLess(maps_growth, 16)

    def test_threads_shorter_than_a_tick(self):
        self.check(100, 20)

    def test_threads_that_are_sampled(self):
        self.check(soak(6, 100), 500, collection_interval_ms=1000)


if __name__ == "__main__":
    unittest.main()
