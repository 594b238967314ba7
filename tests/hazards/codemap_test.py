# SPDX-License-Identifier: Apache-2.0
"""Code in an anonymous mapping: named by the program's own perf map, and by nobody else's."""
import glob
import os
import unittest

from hazard_case import HazardCase
from profiled_case import cumulative, report, samples_of, total


class CodeMap(HazardCase):
    def run_code(self, how):
        run = self.profile("code_in_memory", how, deadline=20)
        pid = run.lines("pid")[0][0]
        for path in (f"/tmp/perf-{pid}.map", f"/tmp/otelprof-test-{pid}.map"):
            if os.path.lexists(path):
                os.unlink(path)
        self.assert_clean(run)
        self.assert_total(run)
        self.used = int(run.lines("code")[0][0])
        named = cumulative(run.profiles, "jit loop_with spaces")
        unknown = cumulative(run.profiles, "[unknown]")
        report(f"{how}: named {named / self.used:.1%}, [unknown] {unknown / self.used:.1%}")
        return run, named / self.used, unknown / self.used

    def test_our_own_map_is_read(self):
        run, named, _ = self.run_code("own")
        self.assertGreater(named, 0.9)
        for s in samples_of(run.profiles):
            if s.has("jit loop_with spaces") and s.has("main"):
                self.assertEqual(s.names[:2], ["jit loop_with spaces", "jit_caller"])
        whole = sum(s.cpu for s in samples_of(run.profiles) if s.has("jit loop_with spaces") and s.has("main"))
        self.assertGreater(whole, 0.9 * total(run.profiles), "the stack goes on through frame pointers")

    def check_ignored(self, how):
        _, named, unknown = self.run_code(how)
        self.assertEqual(named, 0)
        self.assertGreater(unknown, 0.9)

    def test_without_a_map_it_is_unknown(self):
        self.check_ignored("none")

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_the_map_of_another_user_is_ignored(self):
        self.check_ignored("other")

    def test_a_symbolic_link_is_ignored(self):
        self.check_ignored("symlink")

    def test_a_map_older_than_the_process_is_ignored(self):
        self.check_ignored("stale")

    def test_nothing_is_left_in_tmp(self):
        self.assertEqual(glob.glob("/tmp/otelprof-test-[0-9]*.map"), [])


if __name__ == "__main__":
    unittest.main()
