# SPDX-License-Identifier: Apache-2.0
"""Other libraries in LD_PRELOAD, another copy of ours, a sanitizer."""
import glob
import os
import shutil
import unittest

from hazard_case import HazardCase
from profiled_case import BUILD, LIBRARY, cumulative, report, total

JEMALLOC = next(iter(glob.glob("/usr/lib/*/libjemalloc.so.2")), None)


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

    @unittest.skipUnless(JEMALLOC, "libjemalloc2 is not installed")
    def test_jemalloc_before_and_after_us(self):
        plugin = os.path.join(BUILD, "tests", "native", "libplugin_a.so")
        for order in ([LIBRARY, JEMALLOC], [JEMALLOC, LIBRARY]):
            shutil.rmtree(self.profile_dir(), ignore_errors=True)
            run = self.run_with(order, "soak_loader", 2500, plugin, interval=1000)
            self.assert_clean(run)
            self.assert_total(run)

    def test_a_sanitized_program_is_left_alone(self):
        plain = self.plain("burners_asan", 4, 100)
        self.assertEqual(plain.returncode, 0, plain.err)
        run = self.profile("burners_asan", 4, 100)
        self.assert_clean(run)
        self.assertEqual(run.lines("threads"), plain.lines("threads"))
        self.assertEqual(run.profiles, [])


if __name__ == "__main__":
    unittest.main()
