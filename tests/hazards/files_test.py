# SPDX-License-Identifier: Apache-2.0
"""File systems and descriptors: nothing of the application's is touched, one line says what could not be written."""
import os
import socket
import subprocess
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
        self.assertEqual((first, other, damaged), ("3", "0", "0"))
        self.assertLessEqual(len(run.err.splitlines()), 1, run.err)
        self.assertGreater(len(run.profiles), 3, "some are written between two rounds")

    def test_nothing_of_the_applications_is_held_open_or_written_to(self):
        """Its pipes end when it gives them up, and what it has in the place of standard error stays as it is."""
        path = os.path.join(self.directory, "application-file")
        for exporter in ("file", "console", "file,console"):
            with self.subTest(exporter):
                env = {**self.environment("close_pipe"), "OTEL_PROFILES_EXPORTER": exporter,
                       "OTEL_PROFILING_COLLECTION_INTERVAL_MS": "100", "OTEL_PROFILING_LOG_LEVEL": "debug"}
                run = self.execute([self.fixture("close_pipe"), path], env, 60)
                self.assertEqual(run.returncode, 0)
                longest, _, size = run.lines("longest")[0]
                report(f"{exporter}: the longest end of a pipe took {longest} us, "
                       f"{len(run.err.splitlines())} lines before stderr was given up")
                self.assertEqual(size, "0")
                if exporter != "file":
                    self.assertGreater(run.err.count(": cpu: "), 0)

    def test_messages_reach_every_kind_of_standard_error(self):
        """A pipe, a file at its end, a terminal, a socket; the application's own lines stay."""
        program = self.fixture("burners")
        env = {**self.environment(program), "OTEL_PROFILES_EXPORTER": "console"}
        path = os.path.join(self.directory, "stderr")
        with open(path, "w") as file:
            file.write("before\n")
            file.flush()
            subprocess.run([program, "1", "200"], env=env, stdout=subprocess.DEVNULL, stderr=file, timeout=30, check=True)
            file.write("after\n")
        with open(path) as file:
            lines = file.read().splitlines()
        self.assertEqual((lines[0], lines[-1], len(lines)), ("before", "after", 3), lines)
        master, slave = os.openpty()
        ours, theirs = socket.socketpair()
        for end, read in ((slave, lambda: os.read(master, 65536)), (theirs.fileno(), lambda: ours.recv(65536))):
            subprocess.run([program, "1", "200"], env=env, stdout=subprocess.DEVNULL, stderr=end, timeout=30, check=True)
            self.assertRegex(read().decode(), r"^otelprof\[\d+\]: cpu: ")
        for end in (master, slave):
            os.close(end)
        ours.close()
        theirs.close()


if __name__ == "__main__":
    unittest.main()
