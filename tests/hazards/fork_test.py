# SPDX-License-Identifier: Apache-2.0
"""Children by every way: those that exec or end at once cost nothing, those that live have profiles of their own."""
import statistics
import unittest

from hazard_case import HazardCase
from profiled_case import cumulative, report, soak, total


class ForkStorm(HazardCase):
    def storm(self, how, count, interval=1000):
        run = self.profile("fork_storm", how, count, deadline=90, interval=interval)
        self.assert_clean(run)
        self.parent = int(run.lines("parent")[0][0])
        error = self.assert_total(run, run.of(self.parent), slack=3e6)
        report(f"{how} x {count}: parent {total(run.of(self.parent)) / 1e9:.2f} s ({error:+.3%})")
        return run

    def storm_without_profiles(self, how, count):
        run = self.storm(how, count)
        self.assertEqual({p.pid for p in run.profiles}, {self.parent}, "only the parent has something to tell")

    def test_fork_and_exit(self):
        self.storm_without_profiles("exit", soak(300, 2000))

    def test_fork_and_exec(self):
        self.storm_without_profiles("exec", soak(150, 1000))

    def test_vfork(self):
        self.storm_without_profiles("vfork", soak(150, 1000))

    def test_a_vfork_child_that_resets_its_signals_leaves_the_parents_sampling_alone(self):
        run = self.profile("vfork_resets")
        self.assert_clean(run)
        self.assertGreater(cumulative(run.profiles, "before_vfork"), 0.85 * 300e6)
        self.assertGreater(cumulative(run.profiles, "after_vfork"), 0.9 * 900e6)

    def test_posix_spawn(self):
        self.storm_without_profiles("spawn", soak(150, 1000))

    def test_system(self):
        self.storm_without_profiles("system", soak(100, 500))

    def check_children(self, how, count, expected):
        run = self.storm(how, count, interval=4000)
        children = {int(pid): int(nanos) for pid, nanos in run.lines("child")}
        self.assertEqual(len(children), expected)
        self.assertEqual({p.pid for p in run.profiles}, {self.parent, *children})
        instances = set()
        for pid, used in children.items():
            mine = run.of(pid)
            found, named = total(mine), cumulative(mine, "child_burn")
            report(f"  child {pid}: {found / used - 1:+.2%} of {used / 1e9:.2f} s, child_burn {named / used:.1%}")
            self.assertAlmostEqual(found, used, delta=0.005 * used + 3e6)
            self.assertGreater(named, 0.8 * used, "all but its first ticks")
            self.assertEqual(cumulative(mine, "parent_burn"), 0, "nothing of the parent's")
            self.assertIn(f"resource: process.pid={pid}", mine[0].comments)
            instances.update(c for c in mine[0].comments if c.startswith("resource: service.instance.id="))
        self.assertEqual(len(instances), expected, "each child is an instance of its own")
        self.assertEqual(cumulative(run.of(self.parent), "child_burn"), 0)

    def test_a_child_that_lives_has_its_own_profile(self):
        self.check_children("live", 2, 2)

    def test_a_child_of_another_thread(self):
        self.check_children("live_thread", 1, 1)

    def test_a_child_of_a_child(self):
        self.check_children("nested", 1, 2)

    def test_fork_of_a_large_process_is_not_slower(self):
        plain = int(self.plain("big_fork", 1024).lines("median")[0][0])
        run = self.profile("big_fork", 1024, interval=1000)
        self.assert_clean(run)
        ours = int(run.lines("median")[0][0])
        report(f"fork of 1 GiB: {plain} us without, {ours} us with")
        self.assertLess(ours, 3 * plain)


class ExecChain(HazardCase):
    def test_a_pending_tick_kills_no_next_program(self):
        count = soak(50, 200)
        run = self.profile("exec_chain", count, deadline=60, interval=1000)
        self.assert_clean(run)
        self.assertEqual(run.out, "done\n")


if __name__ == "__main__":
    unittest.main()
