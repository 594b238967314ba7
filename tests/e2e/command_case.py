# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line stand on: otelprof of the build directory, and a directory of files a test."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from pprof_writer import Profile

OTELPROF = os.path.abspath(os.path.join(os.environ.get("OTELPROF_BUILD_DIR", "build"), "otelprof"))


def run(*arguments, **options):
    options.setdefault("timeout", 60)
    return subprocess.run([OTELPROF, *map(str, arguments)], capture_output=True, **options)


class CommandCase(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="otelprof-top-")
        self.addCleanup(shutil.rmtree, self.directory)

    def write(self, name, data):
        path = os.path.join(self.directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data.plain() if isinstance(data, Profile) else data)
        return path

    def top(self, *arguments):
        """The JSON of all functions."""
        result = run("top", "--json", "--top", 0, *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        return json.loads(result.stdout)

    def assert_fails(self, code, words, *arguments):
        result = run(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, b"")
        self.assertRegex(result.stderr.decode(), "(?s)^otelprof: .*" + words)
        self.assertEqual(result.stderr.count(b"\n"), 1, "one line")
