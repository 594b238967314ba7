# SPDX-License-Identifier: Apache-2.0
"""Code that is made, moved, optimized, thrown away or never compiled at all."""
import os
import sys

from node_case import FULL, PROGRAMS, NodeCase, node_major


def program(name):
    return os.path.join(PROGRAMS, name)


class Code(NodeCase):
    def test_functions_of_other_contexts_have_their_names_and_files(self):
        result = self.same_with_and_without("--max-inlined-bytecode-size=0", program("contexts.js"))
        profiles = result.profiles
        for function, file in (("inContext", "/virtual/context.js"), ("inThisContext", "/virtual/this.js")):
            frames = profiles.frames(function)
            self.assertTrue(frames, function)
            self.assertEqual({(f.file, f.start_line) for f in frames}, {(file, 1)})
        self.assertTrue(profiles.frames("inEval"))
        for function in ("inContext", "inThisContext", "inEval"):
            self.assertAlmostEqual(profiles.cumulative(function) / 300e6, 1, delta=0.2, msg=function)
        self.assert_named(profiles, 0.02)

    def test_new_code_all_the_time(self):
        result = self.same_with_and_without(program("evals.js"), "200000" if FULL else "40000", timeout=120)
        profiles = result.profiles
        self.assertEqual(result.returncode, 0)
        self.assertTrue(profiles.frames("makeFunctions"))
        self.assertEqual(profiles.drops()["code_events_lost"], 0)
        self.assert_named(profiles, 0.02)
        self.assert_total(result, 0)

    def run_mixed(self, *flags, rounds="6000", limit=0.01):
        result = self.same_with_and_without(*flags, program("mixed.js"), rounds, timeout=150)
        profiles = result.profiles
        self.assertEqual(result.returncode, 0)
        for function in ("sortPoints", "matchText"):
            self.assertEqual({f.file for f in profiles.frames(function)}, {program("mixed.js")}, function)
        unknown = sum(s.nanos for s in profiles.samples if any(f.name == "[unknown]" for f in s.stack))
        print(f"  {flags}: {profiles.count()} samples, [unknown] in {100 * unknown / profiles.total():.2f} %", file=sys.stderr)
        self.assert_named(profiles, limit)
        self.assert_nothing_lost(profiles)
        return result

    def test_mixed_code_is_named(self):
        profiles = self.run_mixed(rounds="15000").profiles
        self.assertTrue(any(name.startswith("RegExp:") for name in profiles.names()))

    def test_without_a_compiler(self):
        self.run_mixed("--jitless")

    def test_interpreted_only(self):
        flags = ["--no-opt"] + (["--no-sparkplug"] if node_major() >= 18 else [])
        self.run_mixed(*flags)

    def test_code_that_v8_does_not_tell_of(self):
        for _ in range(3):
            profiles = self.same_with_and_without("--expose-gc", program("untold.js")).profiles
            self.assertGreater(profiles.cumulative("round"), 30e6)
            rounds = [{f.name for f in s.stack} for s in profiles.samples if any(f.name == "round" for f in s.stack)]
            self.assertEqual([names for names in rounds if "[unknown]" in names], [])

    def test_code_that_the_collector_moves_keeps_its_name(self):
        self.run_mixed("--stress-compaction", rounds="2000", limit=0.025)

    def test_a_program_that_mostly_collects_garbage(self):
        result = self.same_with_and_without("--expose-gc", program("garbage.js"))
        profiles = result.profiles
        self.assertEqual(result.returncode, 0)
        collecting = [s for s in profiles.samples if any("CollectGarbage" in f.name or "Scaveng" in f.name for f in s.stack)]
        self.assertGreater(sum(s.nanos for s in collecting), 0.05 * profiles.total())
        # The collector's time on the main thread is under the function that allocated.
        main = [s for s in collecting if s.labels["thread.id"] == result.pid]
        under = sum(s.nanos for s in main if any(f.name == "makeGarbage" for f in s.stack))
        self.assertGreater(under, 0.9 * sum(s.nanos for s in main))
        self.assert_named(profiles, 0.02)
        self.assert_total(result, 0)
