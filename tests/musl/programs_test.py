# SPDX-License-Identifier: Apache-2.0
"""musl programs under the library that glibc programs are tested with: totals, shares, stacks, and that they do not
notice. musl's loader gives constructors no arguments, its threads have 128 KiB of stack, its libc no unwind tables."""
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../native"))

from profiled_case import (LIBRARY, ProfiledCase, cumulative, report, samples_of, soak, standard_error,  # noqa: E402
                           total)

SIGMAS = 5  # by chance alone in 1 of 1,700,000


class MuslCase(ProfiledCase):
    fixtures = "musl"

    def one_of_many(self, *arguments, **options):
        shutil.rmtree(self.profile_dir(), ignore_errors=True)
        run = self.profile(*arguments, **options)
        self.assert_clean(run)
        return run

    def check_stacks(self, run):
        """Nothing is guessed, and what musl itself is not in is whole, to the function of musl that began it."""
        early = 0  # before there are unwind tables: the interrupted function alone
        for sample in samples_of(run.profiles):
            self.assertNotIn("[unknown]", sample.names)
            if sample.names[0].startswith("burn_") and sample.names[1:] == ["[truncated]"]:
                early += sample.cpu
            elif sample.names[0].startswith("burn_"):
                self.assertEqual(sample.names[1:3], ["mix", "worker"])
                self.assertRegex(sample.names[-1], r"^\[libc\.so\+0x|^\[ld-musl")
        whole = total(run.profiles)
        self.assertLess(early, whole / 4)
        report(f"cut in musl's own functions {cumulative(run.profiles, '[truncated]') / whole:.1%}, "
               f"early {early / whole:.1%}")

    def check_shares(self, run):
        used = {name: int(nanos) for name, nanos in run.lines("function")}
        found = {name: cumulative(run.profiles, name) for name in used}
        # A function's reading of its clock is cut in musl: about as often in one as in another, for they do the same.
        for name, nanos in used.items():
            expected = nanos / sum(used.values())
            tolerance = 0.02 + SIGMAS * standard_error(run.profiles, expected)
            self.assertAlmostEqual(found[name] / sum(found.values()), expected, delta=tolerance, msg=name)

    def check_result(self, *arguments, code):
        plain = self.plain("results", *arguments)
        profiled = self.profile("results", *arguments, interval=1000)
        self.assertEqual(plain.returncode, code)
        self.assertEqual((profiled.returncode, profiled.out, profiled.err), (plain.returncode, plain.out, plain.err))
        self.assertGreater(len(plain.out.splitlines()), 30)
        self.assertIn("errno kept\n", profiled.out)
        return profiled


class Programs(MuslCase):
    def test_they_are_musls(self):
        text = subprocess.run(["readelf", "-lW", self.fixture("shares")], capture_output=True, check=True).stdout
        self.assertIn(b"/ld-musl-", text)

    def test_one_thread(self):
        run = self.profile("shares", 1, soak(4000, 20000), deadline=240)
        self.assert_clean(run)
        report(f"total {self.assert_total(run):+.3%}")
        self.check_shares(run)
        self.check_stacks(run)

    def test_eight_threads(self):
        run = self.profile("shares", 8, soak(800, 5000), deadline=240)
        self.assert_clean(run)
        report(f"total {self.assert_total(run):+.3%}")
        self.check_shares(run)
        self.check_stacks(run)
        names = {(str(s.labels.get("thread.id")), s.labels.get("thread.name")) for s in samples_of(run.profiles)}
        for tid, name, _ in run.lines("thread"):
            self.assertIn((tid, name), names)

    def test_500_short_threads(self):
        run = self.profile("short_threads", 500, 20, 3000)
        self.assert_clean(run)
        report(f"total {self.assert_total(run):+.3%}")
        self.assertLess(int(run.lines("timers")[0][0]), 20)

    def test_every_way_a_thread_ends(self):
        for how in ("return", "exit", "cancel", "detached", "clone", "main_exit"):
            with self.subTest(how):
                run = self.one_of_many("thread_ends", how)
                self.assert_total(run, slack=20e6)
                self.assertGreater(cumulative(run.profiles, f"by_{how}"), 0.3 * total(run.profiles))

    def test_the_default_stack_down_to_its_end(self):
        run = self.profile("small_stacks", 0, 1000, interval=1000)
        self.assert_clean(run)
        self.assert_total(run)
        deepest = max(len(s.names) for s in samples_of(run.profiles))
        self.assertGreater(deepest, 50)

    def test_stacks_that_have_no_room_for_a_signal(self):
        for size in (2048, 4096, 16384):  # the first is musl's PTHREAD_STACK_MIN
            with self.subTest(size):
                run = self.one_of_many("small_stacks", size, 300, interval=1000)
                self.assert_total(run, slack=20e6)

    def test_results_errno_and_exit_codes_are_what_they_are_without_us(self):
        for how, code in {"return": 43, "exit": 41, "quick": 42, "abort": -6, "term": -15, "threads": 43}.items():
            with self.subTest(how):
                self.check_result(how, code=code)

    def test_programs_without_a_libc(self):
        for program in ("no_libc_glibc", "no_libc_musl"):
            for options in ({}, {"enabled": "false"}):
                with self.subTest(program, **options):
                    text = subprocess.run(["readelf", "-dlW", self.fixture(program)], capture_output=True, check=True)
                    self.assertIn(b"INTERP", text.stdout)
                    self.assertNotIn(b"NEEDED", text.stdout)
                    run = self.profile(program, options=options)
                    self.assertEqual((run.returncode, run.out, run.err), (7, "no libc\n", ""))

    def test_left_alone_it_writes_nothing(self):
        env = dict(self.plain_environment(), LD_PRELOAD=LIBRARY, OTEL_PROFILES_EXPORTER="file",
                   OTEL_PROFILING_FILE_DIR=self.profile_dir())
        plain = self.plain("results", "return")
        left = self.execute([self.fixture("results"), "return"], env, 60)
        self.assertEqual((left.returncode, left.out, left.err), (plain.returncode, plain.out, plain.err))
        self.assertEqual(left.profiles, [])


if __name__ == "__main__":
    unittest.main()
