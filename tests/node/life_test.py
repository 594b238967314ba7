# SPDX-License-Identifier: Apache-2.0
"""Every way a Node program ends, and one that does not come to the event loop: the profile is there, the program is as it
was."""
import json
import os
import time

from node_case import PROGRAMS, NodeCase, Profiles

SHORT = os.path.join(PROGRAMS, "short.js")
# The exit code by the way to end. An uncaught error gives 1; Node itself says 1 for an unhandled rejection too.
ENDS = {"end": 0, "exit": 5, "reallyExit": 6, "exitInTimer": 4, "throw": 1, "reject": 1, "sigterm": 7}


class Life(NodeCase):
    def check_end(self, how):
        plain = self.plain(SHORT, how)
        self.assertEqual(plain.returncode, ENDS[how])
        result = self.profiled(SHORT, how)
        self.assertEqual((result.returncode, self.steady(result.stderr)), (plain.returncode, self.steady(plain.stderr)))
        total = self.assert_total(result, json.loads(result.stdout)["total"])
        self.assertGreater(total, 295e6)
        self.assertEqual(len(result.profiles.paths), 1)
        self.assertGreater(result.profiles.cumulative("shortWork"), 100e6)
        self.assert_named(result.profiles, 0.05)
        self.assert_nothing_lost(result.profiles)

    def test_the_natural_end(self):
        self.check_end("end")

    def test_process_exit(self):
        self.check_end("exit")

    def test_process_exit_in_a_timer(self):
        self.check_end("exitInTimer")

    def test_process_really_exit(self):
        self.check_end("reallyExit")

    def test_an_uncaught_exception(self):
        self.check_end("throw")

    def test_an_unhandled_rejection(self):
        self.check_end("reject")

    def test_sigterm_with_a_handler_in_javascript(self):
        self.check_end("sigterm")

    def test_a_signal_without_a_handler_kills_as_before(self):
        process = self.start("-e", "setInterval(() => {}, 1000); console.log('ready')")
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.terminate()
        self.assertEqual(self.finish(process).returncode, -15)

    def test_windows_arrive_while_a_loop_never_yields(self):
        process = self.start(os.path.join(PROGRAMS, "endless.js"), "4500",
                             env=self.preload(OTEL_PROFILING_COLLECTION_INTERVAL_MS="1000"))
        self.assertEqual(process.stdout.readline(), "begins\n")
        time.sleep(3)
        self.assertIsNone(process.poll())
        during = Profiles(self.profile_directory)
        self.assertGreaterEqual(len(during.paths), 2)
        self.assertGreater(during.cumulative("neverYields"), 0.8 * during.total() - 100e6)
        result = self.finish(process)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "ends\n", ""))
        profiles = sorted(result.profiles.profiles, key=lambda p: p.time)
        self.assertGreaterEqual(len(profiles), 4)
        # The windows join: each begins where the one before ended.
        for before, after in zip(profiles, profiles[1:]):
            self.assertAlmostEqual((after.time - before.time - before.duration) / 1e9, 0, delta=0.05)
        for profile in profiles[:-1]:
            self.assertAlmostEqual(profile.duration / 1e9, 1, delta=0.5)
        self.assert_total(result, 0)
        self.assert_named(result.profiles, 0.02)

    def test_an_idle_program_costs_nothing(self):
        result = self.profiled("-e", "setTimeout(() => console.log(JSON.stringify(process.cpuUsage())), 3000)")
        usage = json.loads(result.stdout)
        self.assertLess(usage["user"] + usage["system"], 300000)
        # The profiler's own part of three idle seconds, its start included.
        self.assertLess(result.profiles.self_time("[otelprof]"), 80e6)
