# SPDX-License-Identifier: Apache-2.0
"""File systems and descriptors: nothing of the application's is touched, one line says what could not be written."""
import os
import shutil
import unittest

from hazard_case import HazardCase
from profiled_case import report, soak, total


class FileSystems(HazardCase):
    def check_program(self, run):
        self.assertEqual((run.returncode, run.lines("threads")), (0, [["2"]]))

    def test_no_proc(self):
        for mounts in ("umount -l /proc", "mount -t tmpfs none /proc"):
            shutil.rmtree(self.profile_dir(), ignore_errors=True)
            run = self.in_mounts(mounts, "burners", 2, 700)
            self.check_program(run)
            self.assertEqual(run.err, "")
            error = self.assert_total(run)
            report(f"{mounts}: total {error:+.3%}")

    def test_read_only_file_system(self):
        os.mkdir(self.profile_dir())
        run = self.in_mounts(f"mount -t tmpfs -o ro none {self.profile_dir()}", "burners", 2, 700,
                             options={"collection_interval_ms": 200})
        self.check_program(run)
        self.assert_one_message(run, "read-only file system")

    def test_everything_read_only(self):
        run = self.in_mounts("mount -o remount,ro,bind / || mount -o remount,ro /", "burners", 2, 700)
        if run.returncode and "mount" in run.err:
            self.skipTest("the root of this machine cannot be mounted read-only: " + run.err)
        self.check_program(run)
        self.assert_one_message(run, "read-only file system")

    def test_a_directory_of_somebody_else(self):
        os.mkdir(self.profile_dir(), 0o755)
        run = self.in_mounts(":", "burners", 2, 700, user=65534)
        self.check_program(run)
        self.assert_one_message(run, "permission denied")

    def test_a_missing_directory_in_one_of_somebody_else(self):
        run = self.in_mounts(":", "burners", 2, 700, user=65534)
        self.check_program(run)
        self.assert_one_message(run, "permission denied")

    def test_a_file_where_the_directory_should_be(self):
        with open(self.profile_dir(), "w") as file:
            file.write("mine")
        run = self.profile("burners", 2, 700)
        self.check_program(run)
        self.assert_one_message(run, "not a directory")
        with open(self.profile_dir()) as file:
            self.assertEqual(file.read(), "mine")

    def test_a_full_file_system(self):
        os.mkdir(self.profile_dir())
        keep = os.path.join(self.directory, "left")
        run = self.in_mounts(f"mount -t tmpfs -o size=4k none {self.profile_dir()}\n"
                             f"head -c 4096 /dev/zero > {self.profile_dir()}/filler 2>/dev/null || :\n"
                             f"(sleep 2.5; ls -A {self.profile_dir()}/test > {keep} 2>/dev/null) &",
                             "burners", 2, 700, options={"collection_interval_ms": 200})
        self.check_program(run)
        self.assert_one_message(run, "no space left")


class Descriptors(HazardCase):
    def test_an_application_that_closes_what_it_does_not_know(self):
        path = os.path.join(self.directory, "application-file")
        run = self.profile("close_descriptors", soak(4000, 20000), path, deadline=60,
                           options={"collection_interval_ms": 100})
        self.assertEqual(run.returncode, 0)
        first, _, rounds, _, other, _, damaged = run.lines("first")[0]
        report(f"descriptors: {rounds} rounds, {other} times not the lowest, {damaged} damaged, "
               f"{len(run.profiles)} profiles, total {total(run.profiles) / 1e9:.2f} s")
        self.assertEqual((first, damaged), ("3", "0"))
        self.assertLessEqual(int(other), int(rounds) / 500)
        self.assertLessEqual(len(run.err.splitlines()), 1, run.err)
        self.assertGreater(len(run.profiles), 3, "some are written between two rounds")


if __name__ == "__main__":
    unittest.main()
