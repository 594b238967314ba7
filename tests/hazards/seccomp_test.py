# SPDX-License-Identifier: Apache-2.0
"""H28: a seccomp filter that refuses what the profiler wants and the program does not need."""
import errno
import os
import re
import shutil
import subprocess
import unittest

from hazard_case import HazardCase
from profiled_case import LIBRARY, report, total

# The loader and libc need none of these in the program that runs here.
WANTED = ("timer_create", "timer_settime", "timer_delete", "process_vm_readv", "getdents64", "readlinkat", "renameat2",
          "unlinkat", "mkdirat", "getcwd", "uname", "getresuid", "getresgid", "fcntl", "prctl", "tgkill", "madvise",
          "mremap", "rt_sigaction", "close_range", "unshare", "pidfd_open", "pidfd_getfd")


def numbers():
    """The kernel's numbers, from its own header."""
    text = subprocess.run(["gcc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"], capture_output=True,
                          text=True, check=True).stdout
    return {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)\n", text)}


class Seccomp(HazardCase):
    def launch(self, code, calls, name="burners", arguments=(0, 200)):
        program = self.fixture(name)
        known = numbers()
        shutil.rmtree(self.profile_dir(), ignore_errors=True)
        line = [self.fixture("seccomp_launch"), code, ",".join(str(known[call]) for call in calls), program, *arguments]
        plain = self.execute(line, self.plain_environment(), 30)
        run = self.execute(line, self.environment(program), 60)
        self.assertEqual(run.returncode, plain.returncode, run.err)
        self.assertEqual(run.lines("threads"), plain.lines("threads"))
        self.assertLessEqual(len(run.err.splitlines()), 1, run.err)
        for text in run.err.splitlines():
            self.assertRegex(text, r"^otelprof\[\d+\]: error: ")
        return run

    def test_one_call_refused(self):
        for code in (errno.ENOSYS, errno.EPERM):
            for call in WANTED:
                with self.subTest(call=call, code=code):
                    run = self.launch(code, [call])
                    report(f"{call} {errno.errorcode[code]}: profile {total(run.profiles) / 1e6:.0f} ms {run.err.strip()}")

    def test_all_of_them_refused(self):
        for code in (errno.ENOSYS, errno.EPERM, errno.EACCES):
            with self.subTest(code=code):
                self.launch(code, WANTED)
                self.launch(code, WANTED, arguments=(4, 100))

    def test_without_a_descriptor_table_of_our_own(self):
        """With and without the newer of the two calls that make one; without both the application's is shared."""
        path = os.path.join(self.directory, "application-file")
        for calls, shared in ((["close_range"], False), (["close_range", "unshare"], True)):
            for code in (errno.ENOSYS, errno.EPERM):
                with self.subTest(calls=calls, code=code):
                    shutil.rmtree(self.profile_dir(), ignore_errors=True)
                    known = numbers()
                    program = self.fixture("close_pipe")
                    env = {**self.environment(program, collection_interval_ms=100, log_level="debug"),
                           "OTEL_PROFILES_EXPORTER": "file,console"}
                    run = self.execute([self.fixture("seccomp_launch"), code, ",".join(str(known[c]) for c in calls), program,
                                        path], env, 60)
                    self.assertEqual((run.returncode, run.lines("longest")[0][2]), (0, "0"))
                    self.assertEqual("no descriptor table" in run.err, shared)
                    self.assertTrue(run.profiles)

    def test_messages_without_the_application_s_own_descriptor(self):
        """Standard error is opened anew: a pipe, and a file that others append to."""
        known = numbers()
        program = self.fixture("burners")
        env = {**self.environment(program), "OTEL_PROFILES_EXPORTER": "console"}
        line = [self.fixture("seccomp_launch"), errno.EPERM, str(known["pidfd_getfd"]), program, 1, 200]
        run = self.execute(line, env, 30)
        self.assertRegex(run.err, r"^otelprof\[\d+\]: cpu: .*\n$")
        with open(os.path.join(self.directory, "stderr"), "a+") as file:
            file.write("before\n")
            file.flush()
            subprocess.run([str(word) for word in line], env=env, stderr=file, stdout=subprocess.DEVNULL, timeout=30, check=True)
            file.seek(0)
            self.assertRegex(file.read(), r"^before\notelprof\[\d+\]: cpu: .*\n$")

    def test_a_process_that_is_left_alone_says_nothing(self):
        line = [self.fixture("seccomp_launch"), errno.EPERM, str(numbers()["readlink"]), self.fixture("burners"), 0, 10]
        run = self.execute(line, {**self.plain_environment(), "LD_PRELOAD": LIBRARY}, 30)
        self.assert_clean(run)


if __name__ == "__main__":
    unittest.main()
