# SPDX-License-Identifier: Apache-2.0
"""CPython's own regression tests (Debian's libpython3.11-testsuite) have the same results when every process of theirs is
profiled at 1 kHz as without us."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml

BUILD = os.path.abspath(os.environ.get("OTELPROF_BUILD_DIR", "build"))
LIBRARY = os.path.join(BUILD, "libotelprof.so")
PYTHON = "/usr/bin/python3"
MODULES = ["test_signal", "test_threading", "test_subprocess", "test_os", "test_mmap", "test_select", "test_time"]
LONG_MODULES = ["test_socket", "test_asyncio", "test_multiprocessing_fork"]  # several minutes
FULL = os.environ.get("OTELPROF_SOAK") == "full"


def results(path):
    """{test: outcome} of a JUnit file; the reason of what was skipped without its numbers."""
    found = {}
    for case in xml.parse(path).getroot().iter("testcase"):
        outcome = "ok"
        for child in case:
            if child.tag in ("error", "failure", "skipped"):
                outcome = f"{child.tag} {re.sub(r'[0-9]+', 'N', (child.text or '').strip().splitlines()[-1])}"
        found[case.get("name")] = outcome
    return found


class CPython(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="otelprof-cpython-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def start(self, module, side, **variables):
        work = os.path.join(self.directory, side)
        os.makedirs(work, exist_ok=True)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OTEL", "LD_PRELOAD", "PYTHON"))}
        command = [PYTHON, "-m", "test", "--timeout", "300", "--tempdir", work, "--junit-xml",
                   os.path.join(work, module + ".xml"), module]
        log = open(os.path.join(work, module + ".log"), "wb")
        self.addCleanup(log.close)
        return subprocess.Popen(command, env={**env, **variables}, cwd=work, stdin=subprocess.DEVNULL, stdout=log,
                                stderr=subprocess.STDOUT)

    def both(self, module):
        profiles = os.path.join(self.directory, "profiles")
        ours = {"LD_PRELOAD": LIBRARY, "OTEL_PROFILING_INCLUDE": "*", "OTEL_PROFILES_EXPORTER": "file",
                "OTEL_PROFILING_FILE_DIR": profiles, "OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS": "1000"}
        runs = {"plain": self.start(module, "plain"), "profiled": self.start(module, "profiled", **ours)}
        codes = {side: run.wait(timeout=1200) for side, run in runs.items()}
        found = {}
        for side in runs:
            path = os.path.join(self.directory, side, module)
            with open(path + ".log", errors="replace") as file:
                text = file.read()
            self.assertTrue(os.path.exists(path + ".xml"), text[-3000:])
            found[side] = {**results(path + ".xml"), "exit code": codes[side]}
        self.assertTrue(os.listdir(profiles), "nothing was profiled")
        return found["plain"], found["profiled"]

    def test_same_results(self):
        for module in MODULES + (LONG_MODULES if FULL else []):
            with self.subTest(module):
                started = time.monotonic()
                plain, profiled = self.both(module)
                again = plain != profiled  # some of them have bad days without us, too
                if again:
                    print(f"    {module}: {set(plain.items()) ^ set(profiled.items())}, once more", file=sys.stderr)
                    plain, profiled = self.both(module)
                passed = sum(outcome == "ok" for outcome in plain.values())
                print(f"    {module}: {len(plain) - 1} tests, {passed} passed in {time.monotonic() - started:.0f} s",
                      file=sys.stderr, flush=True)
                self.assertGreater(passed, 4)
                self.assertEqual(profiled, plain)


if __name__ == "__main__":
    unittest.main()
