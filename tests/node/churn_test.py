# SPDX-License-Identifier: Apache-2.0
"""Code that is made without end and dies: memory stays bounded, and who takes a dead function's place is not
taken for it."""
import json
import os
import sys

from node_case import FULL, PROGRAMS, NodeCase, node_major
from stress_test import is_known, samples_with_unknown

FUNCTIONS = os.path.join(PROGRAMS, "stress_functions.js")
DYING = os.path.join(PROGRAMS, "stress_dying.js")
COUNT = 60000
ROUNDS, INTERPRETED_ROUNDS = 30000000, 1500000
GENERATIONS = 120 if FULL else 25


class Churn(NodeCase):
    def test_sixty_thousand_functions_cost_little_memory(self):
        plain = json.loads(self.plain(FUNCTIONS, str(COUNT), timeout=120).stdout)
        result = self.profiled(FUNCTIONS, str(COUNT), timeout=120)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        told, profiles = json.loads(result.stdout), result.profiles
        self.assertEqual(told["sum"], plain["sum"])
        # V8's own heap is as large as its collections happen to leave it.
        more = told["resident"] - told["heap"] - (plain["resident"] - plain["heap"])
        cost = told["nanos"] / plain["nanos"] - 1
        print(f"  {more:+.1f} MB beside heaps of {told['heap']:.0f} with us and {plain['heap']:.0f} without, "
              f"CPU {100 * cost:+.0f} % of {plain['nanos'] / 1e9:.2f} s", file=sys.stderr)
        # What V8 keeps alive we keep too (all of it on Node 26, a half or all on others), for less than it needs itself.
        self.assertLess(more, max(40, 0.9 * told["heap"]))
        # The profile has all of it, under the function that made them.
        self.assertAlmostEqual(profiles.cumulative("makeAndForget") / told["nanos"], 1, delta=0.06)
        self.assertLessEqual(sum(samples_with_unknown(profiles).values()), 0.01 * profiles.count())
        made = [frame for sample in profiles.stacks_of("makeAndForget") for frame in sample.stack
                if frame.name == "(anonymous)" and frame.file != FUNCTIONS]
        self.assertTrue(made)
        self.assert_nothing_lost(profiles)
        self.assert_total(result, 0)

    def check_generations(self, *flags, rounds, beside=0.06):
        unknown, count = self.unknown_in_generations(*flags, rounds=rounds, beside=beside)
        if 0 < unknown <= 0.01 * count and node_major() >= 22:  # as in stress_test
            unknown, count = self.unknown_in_generations(*flags, rounds=rounds, beside=beside)
        self.assertLessEqual(unknown, 0 if node_major() >= 22 else 0.01 * count)

    def unknown_in_generations(self, *flags, rounds, beside):
        """How many samples have [unknown], and how many there are; all else is judged here. |beside|: what may be used around the function, as the clock's own compilation."""
        result = self.profiled("--expose-gc", *flags, DYING, str(GENERATIONS), str(rounds), timeout=120)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        used, profiles = json.loads(result.stdout), result.profiles
        self.assertEqual(len(used), GENERATIONS)
        names = [f"generation{i}" for i in range(GENERATIONS)]
        errors = [profiles.cumulative(name) - nanos for name, nanos in zip(names, used)]
        apart = sum(map(abs, errors)) / sum(used)
        print(f"  {' '.join(flags)}: {100 * apart:.1f} % of {sum(used) / 1e6:.0f} ms not in its generation, "
              f"{100 * sum(errors) / sum(used):+.1f} % on the whole", file=sys.stderr)
        # Each begins and ends in the middle of a tick.
        self.assertLessEqual(apart, 0.25, errors)
        self.assertLessEqual(abs(sum(errors)), beside * sum(used), errors)
        for i, name in enumerate(names):
            # A new Function puts two lines before the text.
            self.assertEqual({frame.start_line for frame in profiles.frames(name)}, {i + 3}, (name, errors))
        self.assert_nothing_lost(profiles)
        return sum(samples_with_unknown(profiles).values()), profiles.count()

    def test_code_that_takes_the_memory_of_dead_code_has_its_own_name(self):
        self.check_generations(rounds=ROUNDS)

    def test_bytecode_that_takes_the_memory_of_dead_bytecode_has_its_own_name(self):
        flags = [flag for flag in ("--no-opt", "--no-sparkplug", "--no-maglev") if is_known(flag)]
        self.check_generations(*flags, rounds=INTERPRETED_ROUNDS)

    def test_flushed_code_has_its_own_name(self):
        flags = [flag for flag in ("--stress-flush-code", "--flush-bytecode") if is_known(flag)]
        self.assertTrue(flags)
        self.check_generations(*flags, rounds=ROUNDS, beside=0.12)
