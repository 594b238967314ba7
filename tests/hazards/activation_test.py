# SPDX-License-Identifier: Apache-2.0
"""Who is profiled: NODE_ENV=test, the configuration file, and what a process that is left alone does with it."""
import os
import re
import shutil
import subprocess
import unittest

from hazard_case import HazardCase
from profiled_case import LIBRARY, cumulative, report, total


class Activation(HazardCase):
    def as_node(self):
        """The burners under the name of node, by which a program is selected."""
        path = os.path.join(self.directory, "node")
        shutil.copy(self.fixture("burners"), path)
        return path

    def run_with(self, program, *arguments, **variables):
        shutil.rmtree(self.profile_dir(), ignore_errors=True)
        env = {**self.environment(program), "OTEL_PROFILING_INCLUDE": "", **variables}
        return self.execute([program, *arguments], env, 60)

    def write(self, content, name="otelprof.conf"):
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write(content)
        return path

    def assert_profiled(self, run, profiled):
        self.assertEqual(run.returncode, 0, run.err)
        self.assertEqual(bool(run.profiles), profiled, run.err)

    def test_node_in_tests_must_be_asked_for(self):
        node = self.as_node()
        for variables, profiled in (({"NODE_ENV": "production"}, True), ({"NODE_ENV": "test"}, False),
                                    ({"NODE_ENV": "test", "OTEL_PROFILING_IN_TESTS": "true"}, True)):
            run = self.run_with(node, 1, 200, **variables)
            self.assert_clean(run)
            self.assert_profiled(run, profiled)
        run = self.run_with(node, 1, 200, NODE_ENV="test", OTEL_PROFILING_LOG_LEVEL="debug")
        self.assertRegex(run.err, r"^otelprof\[\d+\]: debug: node is not profiled: NODE_ENV is test \("
                                  r"OTEL_PROFILING_IN_TESTS=true profiles tests, too\)\n$")

    def test_the_file_selects_and_the_environment_wins(self):
        program = self.fixture("burners")
        self.assert_profiled(self.run_with(program, 1, 200), False)
        path = self.write("# all of them\nOTEL_PROFILING_INCLUDE = burn*\r\nOTEL_SERVICE_NAME=\"of the file\"\n")
        run = self.run_with(program, 1, 200, OTEL_PROFILING_CONFIG_FILE=path, OTEL_SERVICE_NAME="")
        self.assert_clean(run)
        self.assert_profiled(run, True)
        self.assertIn("resource: service.name=of the file", run.profiles[0].comments)
        run = self.run_with(program, 1, 200, OTEL_PROFILING_CONFIG_FILE=path, OTEL_SERVICE_NAME="mine")
        self.assertIn("resource: service.name=mine", run.profiles[0].comments)
        run = self.run_with(program, 1, 200, OTEL_PROFILING_CONFIG_FILE=path, OTEL_PROFILING_INCLUDE="others")
        self.assert_profiled(run, False)
        path = self.write("OTEL_PROFILING_ENABLED=false\n")
        run = self.run_with(self.as_node(), 1, 200, OTEL_PROFILING_CONFIG_FILE=path)
        self.assert_clean(run)
        self.assert_profiled(run, False)

    def test_the_default_place(self):
        """In a mount namespace whose /etc is a copy."""
        etc = os.path.join(self.directory, "etc")
        program = self.fixture("burners")
        mounts = (f"mkdir {etc}; cp -a /etc/ld.so* /etc/passwd /etc/group {etc}; mkdir {etc}/otelprof; "
                  f"echo OTEL_PROFILING_EXCLUDE=burners > {etc}/otelprof/otelprof.conf; mount --bind {etc} /etc")
        run = self.in_mounts(mounts, "burners", 1, 200)
        self.assert_clean(run)
        self.assert_profiled(run, False)
        shutil.rmtree(etc)
        run = self.in_mounts(mounts.replace("=burners", "=others"), "burners", 1, 200)
        self.assert_clean(run)
        self.assert_profiled(run, True)
        self.assertFalse(os.path.exists("/etc/otelprof"), program)

    def test_wrong_lines_are_one_error_and_the_rest_counts(self):
        path = self.write("OTEL_SERVICE_NAME=file\n\nOTEL_PROFILING_INCLUD=x\nnonsense\nOTEL_PROFILING_TIER_LABEL=yes\n")
        run = self.run_with(self.as_node(), 1, 200, OTEL_PROFILING_CONFIG_FILE=path, OTEL_SERVICE_NAME="")
        self.assert_profiled(run, True)
        self.assertIn("resource: service.name=file", run.profiles[0].comments)
        self.assertEqual(len(run.err.splitlines()), 1, run.err)
        self.assertRegex(run.err, rf"^otelprof\[\d+\]: error: {re.escape(path)}, line \d: .*; .* \(and 2 more such lines\)\n$")
        missing = os.path.join(self.directory, "missing.conf")
        run = self.run_with(self.as_node(), 1, 200, OTEL_PROFILING_CONFIG_FILE=missing)
        self.assert_profiled(run, True)
        self.assert_one_message(run, rf"{missing} cannot be read \(errno 2\): correct OTEL_PROFILING_CONFIG_FILE")

    def calls(self, *command, **variables):
        """The system calls of a program, beside those with an empty library: (how many more, those that name the file)."""
        empty, trace = os.path.join(self.directory, "empty.so"), os.path.join(self.directory, "trace")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", empty, "-x", "c", "/dev/null"], check=True)
        lines = []
        for library in (empty, LIBRARY):
            settings = [f"--env={k}={v}" for k, v in {"LD_PRELOAD": library, **variables}.items()]
            subprocess.run(["strace", "-o", trace, *settings, *command], env=self.plain_environment(), check=True,
                           capture_output=True, timeout=60)
            with open(trace) as file:
                lines.append(file.read().splitlines())
        return len(lines[1]) - len(lines[0]), [line for line in lines[1] if ".conf" in line and "ld.so" not in line]

    def test_a_process_that_is_left_alone_makes_at_most_10_calls(self):
        path = self.write("OTEL_PROFILING_EXCLUDE=node\nOTEL_PROFILING_INCLUDE=sh,true,others\n")
        node = self.as_node()
        for command, opens in (([node, "1", "10"], 1), ([self.fixture("burners"), "1", "10"], 1), (["/bin/true"], 0),
                               (["/bin/sh", "-c", ":"], 0), (["/usr/bin/env"], 0)):
            more, opened = self.calls(*command, OTEL_PROFILING_CONFIG_FILE=path)
            report(f"{os.path.basename(command[0])}: {more:+d} system calls, {len(opened)} open the file")
            self.assertLessEqual(more, 10)
            self.assertEqual(len(opened), opens, opened)

    def test_a_program_with_raised_privileges_reads_no_file(self):
        """By file capabilities, which make the loader drop a path in LD_PRELOAD; what ld.so.preload names stays, which
        the mount namespace's /etc does."""
        etc, program = os.path.join(self.directory, "etc"), os.path.join(self.directory, "node")
        mounts = (f"mkdir {etc}; cp -a /etc/ld.so* /etc/passwd /etc/group {etc}; echo {LIBRARY} > {etc}/ld.so.preload; "
                  f"cp {self.fixture('burners')} {program}; setcap cap_net_bind_service=+ep {program}; "
                  f"mount --bind {etc} /etc")
        line = (f"exec setpriv --reuid 65534 --clear-groups env OTEL_PROFILES_EXPORTER=file "
                f"OTEL_PROFILING_LOG_LEVEL=debug OTEL_PROFILING_FILE_DIR={self.directory}/open/profiles {program} 1 200")
        os.mkdir(os.path.join(self.directory, "open"))
        os.chmod(os.path.join(self.directory, "open"), 0o777)
        for prepared, profiled in ((mounts, False), (mounts.replace("setcap cap_net_bind_service=+ep", ": "), True)):
            run = self.execute(["unshare", "-m", "sh", "-ec", f"{prepared}\n{line}"], self.plain_environment(), 60)
            self.assertEqual(run.returncode, 0, run.err)
            said = [text for text in run.err.splitlines() if "env is not profiled" not in text]
            self.assertEqual(os.path.exists(os.path.join(self.directory, "open", "profiles")), profiled, run.err)
            self.assertEqual(said == [], not profiled, run.err)
            shutil.rmtree(etc)


class StartDelay(HazardCase):
    """The program sleeps from long before to long after the end of the delay."""

    def judge(self, run, slack):
        self.assert_clean(run)
        profiles = run.of(int(run.lines("pid")[0][0]))
        error = self.assert_total(run, profiles, slack)
        self.assertEqual(cumulative(profiles, "burn_early"), 0)
        late = cumulative(profiles, "burn_late") / total(profiles)
        report(f"error of the total {error:+.2%}, under burn_late {late:.1%}")
        self.assertGreater(late, 0.9)

    def test_what_was_before_is_in_no_profile(self):
        run = self.profile("late_burn", 4000, options={"start_delay_ms": 2000})
        # What our own thread did before the program looked at its clock is no part of "used".
        self.judge(run, slack=30e6)
        self.assertLess(run.profiles[0].duration, 4e9)

    def test_a_child_that_is_forked_before(self):
        run = self.profile("late_burn", 4000, "fork", options={"start_delay_ms": 2000})
        # Its main thread sleeps: our thread begins with the second tick that it has after that.
        self.judge(run, slack=100e6)
        of_parent = total(run.profiles) - total(run.of(int(run.lines("pid")[0][0])))
        self.assertLess(of_parent, 100e6, "the parent only waits")

    def test_a_process_that_ends_before_leaves_nothing_and_does_not_wait(self):
        plain = self.plain("count_timers", 200)
        run = self.profile("count_timers", 200, options={"start_delay_ms": 3600000})
        self.assert_clean(run)
        self.assertEqual(run.profiles, [])
        self.assertEqual(run.lines("timers"), [["0", "threads", "2"]], "ours is the second thread")
        self.assertLess(run.duration, plain.duration + 4, "the exit timeout is 5 s")
        run = self.profile("late_burn", 0, "fork", options={"start_delay_ms": 3600000})
        self.assert_clean(run)
        self.assertEqual(run.profiles, [])


if __name__ == "__main__":
    unittest.main()
