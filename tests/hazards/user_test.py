# SPDX-License-Identifier: Apache-2.0
"""Namespaces and privileges: what needs a single thread works, and who gives up root has given it up."""
import os
import unittest

from hazard_case import HazardCase
from profiled_case import report


class Users(HazardCase):
    def test_unshare_tool(self):
        env = self.environment("unshare", include="unshare,true")
        for arguments in (["-U", "true"], ["-Ur", "id", "-u"]):
            plain = self.execute(["unshare", *arguments], self.plain_environment(), 10)
            run = self.execute(["unshare", *arguments], env, 10)
            self.assertEqual((run.returncode, run.out, run.err), (plain.returncode, plain.out, plain.err))

    def test_a_program_that_unshares_first(self):
        plain = self.plain("unshare_first")
        run = self.profile("unshare_first", interval=1000)
        self.assertEqual((run.returncode, run.out, run.err), (plain.returncode, plain.out, plain.err))

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_no_thread_keeps_root(self):
        os.mkdir(self.profile_dir())
        os.chmod(self.profile_dir(), 0o777)
        run = self.profile("drop_user", deadline=20)
        self.assertEqual(run.returncode, 0, run.err)
        lines = [words for words in run.lines("task")]
        report(f"{sum(w[0] == 'Uid:' for w in lines)} tasks looked at")
        self.assertEqual(sum(w[0] == "Uid:" for w in lines), 3, "main, its burner, and ours")
        for words in lines:
            if words[0] in ("Uid:", "Gid:"):
                self.assertEqual(set(words[1:]), {"65534"})
            else:
                self.assertEqual(int(words[1], 16), 0, "capabilities")
        self.assert_total(run)
        self.assertEqual(run.err, "")


if __name__ == "__main__":
    unittest.main()
