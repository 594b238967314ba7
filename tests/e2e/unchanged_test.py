# SPDX-License-Identifier: Apache-2.0
"""Everyday programs with and without us: the same output, the same messages, the same exit code; and what a process
that stands down costs."""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = os.path.abspath(os.environ.get("OTELPROF_BUILD_DIR", "build"))
LIBRARY = os.path.join(BUILD, "libotelprof.so")

SOURCE = "#include <stdio.h>\nint main(void) { printf(\"compiled\\n\"); return 3; }\n"

# Each runs in a directory with the files that setUp makes.
COMMANDS = {
    "sh": ["sh -c 'echo out; echo err >&2; exit 3'", "sh -c 'for i in 1 2 3; do sh -c \"exit $i\"; echo $?; done'"],
    "env": ["env -i A=1 B=2 env", "env false"],
    "ls": ["ls -la --time-style=+x text.txt", "ls missing"],
    "git": ["git --version", "git init -q repository", "git log"],
    "npm": ["npm --version"],
    "python3": ["python3 -c 'import sys, threading; print(sum(range(10**6))); sys.exit(4)'", "python3 -c 1/0"],
    "perl": ["perl -e 'print join(q(,), map { $_ * $_ } 1..20), qq(\\n); exit 5'", "perl -e 'die qq(gone\\n)'"],
    "bash": ["bash -c 'x=$(seq 1000 | wc -l); echo $x; kill -TERM $$'", "bash -c 'echo ${BASH_VERSION}; trap'"],
    "grep": ["grep -c line text.txt", "grep nothing text.txt", "grep line missing"],
    "sed": ["sed -n 's/line/row/p;5q' text.txt", "sed s/"],
    "awk": ["awk '{ n += $2 } END { print n }' text.txt"],
    "tar": ["tar cf archive.tar text.txt", "tar tf archive.tar", "tar xf missing.tar"],
    "gzip": ["gzip -9nc text.txt", "gzip missing"],
    "make": ["make -f Makefile all", "make -f Makefile broken"],
    "gcc": ["gcc -o program program.c && ./program", "gcc broken.c"],
}


class Unchanged(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="otelprof-unchanged-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.work = os.path.join(self.directory, "work")

    def fill(self):
        shutil.rmtree(self.work, ignore_errors=True)
        os.mkdir(self.work)
        files = {"text.txt": "".join(f"line {i}\n" for i in range(3000)), "program.c": SOURCE,
                 "broken.c": "int main(void) { return }\n",
                 "Makefile": "all:\n\t@echo made; sh -c 'exit 0'\nbroken:\n\tfalse\n"}
        for name, text in files.items():
            with open(os.path.join(self.work, name), "w") as file:
                file.write(text)
            os.utime(os.path.join(self.work, name), (1e9, 1e9))

    def run_command(self, command, **variables):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OTEL_", "OTELPROF_", "LD_"))}
        # A shim may be first in PATH, a shell script of its own: we mean the program.
        env.update(PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME=self.directory,
                   npm_config_update_notifier="false", GIT_CONFIG_NOSYSTEM="1", LC_ALL="C")
        # The shell that starts the command is not preloaded itself: LD_PRELOAD is set for what it runs.
        line = "".join(f"export {k}='{v}'\n" for k, v in variables.items()) + command
        self.fill()
        result = subprocess.run(["/bin/sh", "-c", line], cwd=self.work, env=env, capture_output=True, timeout=60)
        made = sorted(os.listdir(self.work))
        return (result.returncode, re.sub(rb"/tmp/cc\w+\.", b"/tmp/ccX.", result.stdout),
                re.sub(rb"/tmp/cc\w+\.", b"/tmp/ccX.", result.stderr), made)

    def check(self, **variables):
        counted = 0
        for program, commands in COMMANDS.items():
            if not shutil.which(program):
                continue
            for command in commands:
                with self.subTest(command):
                    plain = self.run_command(command)
                    self.assertEqual(self.run_command(command, LD_PRELOAD=LIBRARY, **variables), plain)
                    counted += 1
        print(f"    {counted} commands the same", flush=True)
        self.assertGreaterEqual(counted, 20)

    def test_in_the_default_environment_they_stand_down(self):
        self.check()
        self.assertFalse(os.path.exists(os.path.join(self.work, "otelprof-profiles")))

    def test_all_of_them_profiled(self):
        profiles = os.path.join(self.directory, "profiles")
        names = ",".join([*COMMANDS, "node", "npm*", "python3*", "dash", "mawk", "gawk", "true", "false", "seq", "wc",
                          "sleep", "cc1", "as", "ld", "collect2", "program"])
        self.check(OTEL_PROFILING_INCLUDE=names, OTEL_PROFILES_EXPORTER="file", OTEL_PROFILING_FILE_DIR=profiles,
                   OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS="1000")
        written = glob.glob(os.path.join(profiles, "*", "*.pb.gz"))
        services = sorted({os.path.basename(os.path.dirname(path)) for path in written})
        print(f"    {len(written)} profiles of {services}", flush=True)
        self.assertTrue([s for s in services if "python" in s], "they were profiled indeed")
        for path in written:
            self.assertEqual(subprocess.run([os.path.join(BUILD, "otelprof"), "top", path],
                                            capture_output=True).returncode, 0, path)


class StandDown(unittest.TestCase):
    """Beside an empty library, for the loader's own work is not ours."""

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="otelprof-standdown-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.empty = os.path.join(self.directory, "empty.so")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", self.empty, "-x", "c", "/dev/null"], check=True)

    def calls(self, library, *command):
        """The system calls after |library| has been mapped, memory management of the loader left out."""
        trace = os.path.join(self.directory, "trace")
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OTEL_", "OTELPROF_", "LD_"))}
        subprocess.run(["strace", "-f", "-o", trace, "-E", f"LD_PRELOAD={library}", *command], env=env, check=True,
                       capture_output=True, timeout=30)
        with open(trace) as file:
            return [line.split(None, 1)[1] for line in file if not line.split(None, 1)[1].startswith(("+++", "---"))]

    def test_at_most_10_system_calls_no_file_no_thread(self):
        for command in (["/bin/true"], ["/bin/sh", "-c", ":"], ["/usr/bin/env"], ["/bin/ls", "/"]):
            base, ours = self.calls(self.empty, *command), self.calls(LIBRARY, *command)
            names = [line.split("(")[0] for line in ours]
            more = len(ours) - len(base)
            print(f"    {command[0]}: {len(base)} system calls with an empty library, {more:+d} with ours", flush=True)
            self.assertLessEqual(more, 10)
            opened = [c for c in ours if c.startswith("open") and "ENOENT" not in c]
            self.assertEqual(len(opened), len([c for c in base if c.startswith("open") and "ENOENT" not in c]), opened)
            self.assertEqual([n for n in names if n.startswith(("clone", "fork", "vfork", "timer_"))], [])
            self.assertEqual([c for c in ours if "SIGPROF" in c], [])

    def test_a_refused_node_opens_no_file_of_ours(self):
        node = shutil.which("node", path="/usr/local/bin:/usr/bin:/bin")
        if not node:
            self.skipTest("no node")
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OTEL_", "OTELPROF_", "LD_"))}
        for switch in ({"OTEL_SDK_DISABLED": "true"}, {"OTEL_PROFILING_ENABLED": "false"},
                       {"OTEL_PROFILING_EXCLUDE": "node"}, {"OTEL_PROFILES_EXPORTER": "none"}):
            result = subprocess.run(
                [node, "-e", "console.log(require('fs').readdirSync('/proc/self/task').map(t => "
                             "require('fs').readFileSync('/proc/self/task/' + t + '/comm', 'utf8').trim())"
                             ".includes('otelprof'), require('fs').readFileSync('/proc/self/timers', 'utf8') === '')"],
                env={**env, "LD_PRELOAD": LIBRARY, **switch}, capture_output=True, text=True, timeout=30,
                cwd=self.directory)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "false true\n", ""), switch)


if __name__ == "__main__":
    unittest.main()
