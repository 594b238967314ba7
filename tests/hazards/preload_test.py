# SPDX-License-Identifier: Apache-2.0
"""Another copy of ours, and a sanitizer that the program has in it."""
import os
import shutil
import unittest

from hazard_case import HazardCase
from profiled_case import LIBRARY


class Preload(HazardCase):
    def run_with(self, libraries, name, *arguments, **options):
        program = self.fixture(name)
        env = self.environment(program, **options)
        env["LD_PRELOAD"] = ":".join(libraries)
        return self.execute([program, *arguments], env, 60)

    def test_two_copies_make_one_set_of_timers(self):
        copy = os.path.join(self.directory, "libotelprof-copy.so")
        shutil.copy(LIBRARY, copy)
        for order in ([LIBRARY, copy], [copy, LIBRARY]):
            shutil.rmtree(self.profile_dir(), ignore_errors=True)
            run = self.run_with(order, "count_timers", 600)
            self.assert_clean(run)
            self.assert_total(run)
            self.assertEqual(run.lines("timers"), [["1", "threads", "2"]])
            self.assertEqual(len(run.profiles), 1)

    def sanitized(self, name):
        plain = self.plain(name, 4, 300)
        self.assertEqual(plain.returncode, 0, plain.err)
        run = self.profile(name, 4, 300, interval=1000)
        self.assert_clean(run)
        self.assertEqual(run.lines("threads"), plain.lines("threads"))
        return run

    def test_a_sanitizer_that_can_be_seen_is_left_alone(self):
        self.assertEqual(self.sanitized("burners_asan_exported").profiles, [])

    def test_a_sanitizer_that_hides_its_symbols_does_not_mind(self):
        self.assert_total(self.sanitized("burners_asan"))


if __name__ == "__main__":
    unittest.main()
