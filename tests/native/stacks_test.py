# SPDX-License-Identifier: Apache-2.0
"""Stacks that are hard to take: deep ones, code that goes away, handlers, the linkage table, the vdso."""
import shutil
import unittest
from collections import Counter

from profiled_case import ProfiledCase, cumulative, report, samples_of, standard_error, total

ROOTS = [f"root_{i}" for i in range(24, 0, -1)]


class DeepStacks(ProfiledCase):
    def stacks(self, frames, depth=None):
        shutil.rmtree(self.profile_dir(), ignore_errors=True)
        run = self.profile("deep", frames, options={"max_stack_depth": depth} if depth else {})
        self.assert_clean(run)
        self.assert_total(run)
        # The ticks before the background thread has read the unwind tables know the leaf alone.
        whole = [s for s in samples_of(run.profiles) if s.has("root_1") and (s.has("deep_leaf") or s.has("[truncated]"))]
        self.assertGreater(sum(s.cpu for s in whole), 0.9 * total(run.profiles))
        return [s.names for s in whole]

    def test_the_first_ticks_guess_no_caller(self):
        run = self.profile("deep", 600)
        for s in samples_of(run.profiles):
            if s.has("deep_leaf") and not s.has("main"):
                self.assertEqual(s.names, ["deep_leaf", "[truncated]"])

    def check_cut(self, stacks, depth):
        for names in stacks:
            self.assertEqual(len(names), depth, "the depth asked for")
            self.assertEqual(names.count("[truncated]"), 1)
            at = names.index("[truncated]")
            root = names[at + 1:]
            self.assertEqual(len(root), 32)
            leaf = next((i for i, name in enumerate(names) if name == "recurse"), None)
            self.assertIsNotNone(leaf, names[:5])
            self.assertLessEqual(leaf, 3, "deep_leaf, and the clock above it")
            self.assertEqual(set(names[leaf:at]), {"recurse"})
            self.assertEqual([n for n in root if n.startswith("root_")], ROOTS, "all the way to main")
            self.assertIn("main", root)
            self.assertIn("_start", root)

    def test_600_frames_are_cut_at_128_with_the_leaf_and_32_roots(self):
        self.check_cut(self.stacks(600), 128)

    def test_5000_frames_are_cut_at_128(self):
        self.check_cut(self.stacks(5000), 128)

    def test_5000_frames_are_cut_at_1024(self):
        self.check_cut(self.stacks(5000, 1024), 1024)

    def test_600_frames_are_whole_at_1024(self):
        for names in self.stacks(600, 1024):
            self.assertNotIn("[truncated]", names)
            self.assertEqual(names.count("recurse"), 600)
            self.assertEqual([n for n in names if n.startswith("root_")], ROOTS)

    def test_a_depth_that_leaves_no_room_for_32_roots_is_kept_to(self):
        for depth in (16, 34):
            for names in self.stacks(600, depth):
                self.assertEqual(len(names), depth)
                self.assertEqual(names.count("[truncated]"), 1)
                self.assertEqual(names[-1], "_start")


class Plugins(ProfiledCase):
    def test_another_library_at_the_same_address_has_its_own_name(self):
        a, b = self.fixture("libplugin_a.so"), self.fixture("libplugin_b.so")
        for _ in range(5):
            shutil.rmtree(self.profile_dir(), ignore_errors=True)
            run = self.profile("plugins", 1000, a, b, a, b, deadline=30)
            self.assert_clean(run)
            self.assert_total(run)
            places = {(path, address) for path, address, _ in run.lines("plugin")}
            if len({address for _, address in places}) < len(places):
                break
        else:
            self.skipTest("the two were never at the same address")
        whole = total(run.profiles)
        unnamed = Counter()
        for s in samples_of(run.profiles):
            if not s.has("plugin_a_burn") and not s.has("plugin_b_burn"):
                unnamed[s.names[0]] += s.cpu
        report("plugins: a {:.2%}, b {:.2%} of {:.3f} s; elsewhere {}".format(
            cumulative(run.profiles, "plugin_a_burn") / whole, cumulative(run.profiles, "plugin_b_burn") / whole,
            whole / 1e9, [(n, f"{v / 1e6:.0f} ms") for n, v in unnamed.most_common(4)]))
        for name, path in (("plugin_a_burn", a), ("plugin_b_burn", b)):
            used = sum(int(nanos) for file, _, nanos in run.lines("plugin") if file == path)
            # What is unknown for a moment may be missing; what is named must be right.
            self.assertLessEqual(cumulative(run.profiles, name), 1.01 * used)
            self.assertGreaterEqual(cumulative(run.profiles, name), 0.9 * used)

    def test_a_plugin_that_lived_300_ms_is_named(self):
        a = self.fixture("libplugin_a.so")
        run = self.profile("plugins", 300, a, a, a, a, deadline=30)
        self.assert_clean(run)
        used = sum(int(nanos) for _, _, nanos in run.lines("plugin"))
        report(f"short plugins: {cumulative(run.profiles, 'plugin_a_burn') / used:.1%} named")
        self.assertGreaterEqual(cumulative(run.profiles, "plugin_a_burn"), 0.9 * used)


class Leaves(ProfiledCase):
    @classmethod
    def setUpClass(cls):
        case = cls("test_the_handler_stands_above_what_it_interrupted")
        case.setUp()
        cls.run_ = case.profile("leaves", deadline=30)
        case.doCleanups()

    def part(self, name):
        return {k: int(v) for k, v in self.run_.lines("part")}[name]

    def check_part(self, name):
        found, used = cumulative(self.run_.profiles, name), self.part(name)
        self.assertAlmostEqual(found, used, delta=max(
            0.01 * used, 3 * standard_error(self.run_.profiles, 0.3) * total(self.run_.profiles)))
        for s in samples_of(self.run_.profiles):
            if s.has(name):
                self.assertNotIn("[truncated]", s.names)
                self.assertEqual(s.names[-1], "_start")
                self.assertIn("main", s.names)

    def test_the_program_ran_as_ever(self):
        self.assert_clean(self.run_)
        self.assert_total(self.run_)

    def test_the_handler_stands_above_what_it_interrupted(self):
        self.check_part("handler_part")
        self.check_part("handler_burn")
        for s in samples_of(self.run_.profiles):
            if s.has("handler_burn"):
                self.assertIn("interrupted_work", s.names[s.names.index("handler_burn"):])

    def test_calls_through_the_linkage_table(self):
        self.check_part("plt_loop")
        leaves = Counter()
        for s in samples_of(self.run_.profiles):
            if s.has("plt_loop"):
                leaves[s.names[0]] += s.cpu
        report(f"plt leaves: {dict(leaves)}")
        self.assertTrue(set(leaves) & {"tiny_function@plt", "tiny_function"})

    def test_the_vdso(self):
        self.check_part("vdso_loop")
        inside = sum(s.cpu for s in samples_of(self.run_.profiles)
                     if s.has("vdso_loop") and "vdso" in s.names[0])
        self.assertGreater(inside, 0.5 * self.part("vdso_loop"))
        report(f"vdso: {inside / self.part('vdso_loop'):.1%} of its loop")


if __name__ == "__main__":
    unittest.main()
