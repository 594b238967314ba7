# SPDX-License-Identifier: Apache-2.0
"""`otelprof run` as a user meets it, with a small library in the place of libotelprof.so that writes down what it is given.

Needs OTELPROF_BUILD_DIR; skipped without a C compiler.
"""
import os
import shutil
import signal
import subprocess
import tempfile
import unittest

from command_case import OTELPROF, CommandCase, run
from pprof_writer import Profile

CC = shutil.which("cc") or shutil.which("gcc")

# Stands in for libotelprof.so: writes down what it was given, and a profile as the file sink would.
STUB_LIBRARY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
__attribute__((destructor)) static void leave(void)
{
    static const char *const names[] = {"LD_PRELOAD", "OTEL_PROFILES_EXPORTER", "OTEL_PROFILING_FILE_DIR",
        "OTEL_PROFILING_INCLUDE", "OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS", "OTEL_PROFILING_IN_TESTS"};
    const char *log = getenv("STUB_LOG"), *profiles = getenv("STUB_PROFILES"), *dir = getenv(names[2]);
    FILE *file = log ? fopen(log, "a") : NULL;
    for (int i = 0; file && i < 6; i++) fprintf(file, "%s=%s\n", names[i], getenv(names[i]) ? getenv(names[i]) : "");
    if (file) fclose(file);
    if (!profiles || !dir) return;
    mkdir(dir, 0755);
    for (int i = 0; i < atoi(profiles); i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/cpu-%d-%d.pb", dir, i, (int)getpid());
        if (!(file = fopen(path, "w"))) return;
        fwrite(PROFILE, 1, sizeof PROFILE - 1, file);
        fclose(file);
    }
}
"""


@unittest.skipUnless(CC, "needs a C compiler")
class Run(CommandCase):
    @classmethod
    def setUpClass(cls):
        cls.build = tempfile.mkdtemp(prefix="otelprof-stub-")
        cls.addClassCleanup(shutil.rmtree, cls.build)
        source, cls.library = os.path.join(cls.build, "stub.c"), os.path.join(cls.build, "libotelprof.so")
        valid = "".join(f"\\{byte:03o}" for byte in Profile(("cpu", "nanoseconds")).plain())  # and without samples
        with open(source, "w") as file:
            file.write(f'#define PROFILE "{valid}"\n' + STUB_LIBRARY)
        subprocess.run([CC, "-shared", "-fPIC", "-o", cls.library, source], check=True)

    def run_command(self, *arguments, profiles=0, environment=(), **options):
        env = {name: value for name, value in os.environ.items()
               if not name.startswith("OTEL") and name not in ("LD_PRELOAD",)}
        env.update({"OTELPROF_LIBRARY": self.library, "STUB_LOG": os.path.join(self.directory, "log"),
                    "STUB_PROFILES": str(profiles),
                    # An otelprof with AddressSanitizer gets the preloaded libraries of a test as well.
                    "ASAN_OPTIONS": "verify_asan_link_order=0"}, **dict(environment))
        return run("run", *arguments, env=env, cwd=self.directory, **options)

    def log(self):
        """What the first process to end was given."""
        with open(os.path.join(self.directory, "log")) as file:
            return dict(line.rstrip("\n").split("=", 1) for line in file.readlines()[:6])

    def test_the_exit_code_is_the_commands(self):
        for command, code in ((["true"], 0), (["sh", "-c", "exit 42"], 42), (["sh", "-c", "kill -TERM $$"], 128 + 15),
                              (["sh", "-c", "kill -KILL $$"], 128 + 9), (["sh", "-c", "kill -SEGV $$"], 128 + 11),
                              (["--", "sh", "-c", "exit 3"], 3)):
            with self.subTest(command):
                self.assertEqual(self.run_command(*command).returncode, code)

    def test_what_cannot_be_started_is_said(self):
        for command, code, words in ((["no-such-command"], 127, b"no-such-command: command not found"),
                                     (["./missing"], 127, b"./missing: there is no such file"),
                                     ([self.write("plain", b"text")], 126, b"cannot be executed: Permission denied"),
                                     ([self.directory], 126, b"cannot be executed")):
            with self.subTest(command):
                result = self.run_command(*command)
                self.assertEqual(result.returncode, code)
                self.assertIn(words, result.stderr)
                self.assertNotIn(b"profile was written", result.stderr)

    def test_standard_streams_are_the_commands(self):
        data = bytes(range(256)) * 1000
        result = self.run_command("cat", input=data)
        self.assertEqual(result.stdout, data)
        result = self.run_command("sh", "-c", "echo out; echo err >&2")
        self.assertEqual(result.stdout, b"out\n")
        self.assertTrue(result.stderr.startswith(b"err\notelprof: "))
        result = self.run_command("printf", "%s|", "--dir", "a b", "")
        self.assertEqual(result.stdout, b"--dir|a b||")

    def test_the_environment_is_set_unless_the_user_has(self):
        self.run_command("cat", stdin=subprocess.DEVNULL)
        self.assertEqual(self.log(), {
            "LD_PRELOAD": self.library, "OTEL_PROFILES_EXPORTER": "file", "OTEL_PROFILING_INCLUDE": "cat",
            "OTEL_PROFILING_FILE_DIR": os.path.realpath(self.directory) + "/otelprof-profiles",
            "OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS": "", "OTEL_PROFILING_IN_TESTS": "true"})
        os.remove(os.path.join(self.directory, "log"))
        other = os.path.join(self.build, "other.so")
        subprocess.run([CC, "-shared", "-fPIC", "-o", other, "-x", "c", "/dev/null"], check=True)
        os.symlink(shutil.which("cat"), os.path.join(self.directory, "tom"))
        self.run_command("--interval", "1000", "./tom", stdin=subprocess.DEVNULL, environment={
            "LD_PRELOAD": other, "OTEL_PROFILES_EXPORTER": "otlp", "OTEL_PROFILING_INCLUDE": "node",
            "OTEL_PROFILING_FILE_DIR": "/elsewhere", "OTEL_PROFILING_IN_TESTS": "false"}.items())
        self.assertEqual(self.log(), {
            "LD_PRELOAD": other + " " + self.library, "OTEL_PROFILES_EXPORTER": "otlp",
            "OTEL_PROFILING_INCLUDE": "node,tom,cat", "OTEL_PROFILING_FILE_DIR": "/elsewhere",
            "OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS": "1000", "OTEL_PROFILING_IN_TESTS": "false"})

    def test_the_profiles_of_this_run_are_named_with_the_next_command(self):
        result = self.run_command("--dir", "out put", "cat", profiles=1, stdin=subprocess.DEVNULL)
        self.assertRegex(result.stderr.decode(), r"^otelprof: 1 profile written to (.*/out put)\n"
                         r"otelprof:   \1/cpu-0-\d+\.pb\notelprof: next: otelprof top '\1'\n$")
        result = self.run_command("--dir", "out put", "cat", profiles=8, stdin=subprocess.DEVNULL)
        self.assertIn(b"8 profiles written", result.stderr)
        self.assertEqual(result.stderr.count(b"/cpu-"), 5)
        self.assertIn(b"and 3 more", result.stderr)
        self.assert_fails(2, "no samples", "top", os.path.join(self.directory, "out put"))
        result = self.run_command("--dir", "out put", "cat", stdin=subprocess.DEVNULL)
        self.assertIn(b"no profile was written", result.stderr)
        self.assertIn(b"OTEL_PROFILING_LOG_LEVEL=debug", result.stderr)

    def test_a_library_that_cannot_be_preloaded_is_an_error(self):
        for name in ("with blank", "with:colon"):
            folder = os.path.join(self.directory, name)
            os.mkdir(folder)
            library = shutil.copy(self.library, folder)
            result = self.run_command("true", environment={"OTELPROF_LIBRARY": library}.items())
            self.assertEqual(result.returncode, 1)
            self.assertIn(b"contains a blank or a colon", result.stderr)
            self.assertIn(b"set OTELPROF_LIBRARY", result.stderr)
        result = self.run_command("true", environment={"OTELPROF_LIBRARY": "/nowhere.so"}.items())
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"OTELPROF_LIBRARY names /nowhere.so: No such file", result.stderr)

    def start(self, script):
        process = subprocess.Popen([OTELPROF, "run", "sh", "-c", script], cwd=self.directory, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**os.environ, "OTELPROF_LIBRARY": self.library})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        return process

    def test_signals_to_otelprof_reach_the_command(self):
        for number, code in ((signal.SIGTERM, 7), (signal.SIGHUP, 8)):
            process = self.start("trap 'exit 7' TERM; trap 'exit 8' HUP; echo ready; while :; do sleep 0.05; done")
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=20), code)

    def test_an_interrupt_is_left_to_the_command(self):
        process = self.start("echo ready; sleep 0.5; exit 5")
        for number in (signal.SIGINT, signal.SIGQUIT):
            process.send_signal(number)
        self.assertEqual(process.wait(timeout=20), 5)

    def test_the_command_gets_the_default_signals(self):
        process = self.start("echo ready; kill -INT $$; sleep 5")
        self.assertEqual(process.wait(timeout=20), 128 + signal.SIGINT)


if __name__ == "__main__":
    unittest.main()
