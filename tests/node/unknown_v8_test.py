# SPDX-License-Identifier: Apache-2.0
"""A V8 that is not known: of a later version than any, and one that exports too little."""
import os
import shutil

import node_case
from node_case import NODE, PROGRAMS, NodeCase

SMOKE = os.path.join(PROGRAMS, "smoke.js")
TOO_OLD = os.path.join(os.environ["OTELPROF_NODE_CACHE"], "node-14.21.3", "bin", "node")
# What V8::GetVersion returns, found by the literal before it: the same text in the snapshot has to stay.
BEFORE, KNOWN, UNKNOWN = b".so\x00", b"11.3.244.8-node.", b"99.3.244.8-node."


class UnknownV8(NodeCase):
    def use(self, node):
        previous, node_case.NODE = node_case.NODE, node
        self.addCleanup(setattr, node_case, "NODE", previous)

    def logged(self, level):
        """A run that logs into a file: (result, lines of the log)."""
        log = os.path.join(self.directory, "log")
        plain = self.plain(SMOKE)
        result = self.profiled(SMOKE, extra={"OTEL_PROFILING_LOG_LEVEL": level, "OTEL_PROFILING_LOG_FILE": log}.items())
        self.assertEqual((result.returncode, result.stdout, result.stderr), (plain.returncode, plain.stdout, plain.stderr))
        self.assertEqual((result.returncode, result.stderr), (7, ""))
        with open(log) as file:
            return result, file.read().splitlines()

    def patched(self):
        """A copy of the binary whose V8 says that it is another version."""
        with open(NODE, "rb") as file:
            image = file.read()
        self.assertEqual(image.count(BEFORE + KNOWN), 1)
        path = os.path.join(self.directory, "node")
        with open(path, "wb") as file:
            file.write(image.replace(BEFORE + KNOWN, BEFORE + UNKNOWN))
        shutil.copymode(NODE, path)
        return path

    def test_a_later_v8_gives_functions_and_lines_without_inlined_frames(self):
        self.use(self.patched())
        version = self.plain("-p", "process.versions.v8").stdout.strip()
        self.assertTrue(version.startswith(UNKNOWN.decode()), version)
        result, log = self.logged("info")
        said = [line for line in log if "is not known well enough to show inlined functions" in line]
        self.assertEqual(len(said), 1, log)
        self.assertIn(f"V8 {version} ", said[0])
        profiles = result.profiles
        with open(SMOKE) as file:
            lines = file.read().split("\n")
        for name in ("inlining", "named", "inWorker"):
            first = next(i for i, line in enumerate(lines, 1) if line.startswith(f"function {name}("))
            self.assertEqual({(f.file, f.start_line) for f in profiles.frames(name)}, {(SMOKE, first)}, name)
            self.assertGreater(profiles.cumulative(name), 240e6, name)
        # What the caller has is the inlined function's time, and no frame may tell so.
        inside = profiles.self_time("mixed") / profiles.cumulative("inlining")
        self.assertLess(inside, 0.1)
        self.assert_named(profiles, 0.02)

    def test_a_known_v8_does_not_say_so_and_shows_them(self):
        result, log = self.logged("info")
        self.assertEqual([line for line in log if "not known well enough" in line], [])
        profiles = result.profiles
        self.assertGreater(profiles.self_time("mixed"), 0.5 * profiles.cumulative("inlining"))

    def test_a_node_that_exports_too_little_is_native_and_unharmed(self):
        self.use(TOO_OLD)
        result, log = self.logged("warn")
        said = [line for line in log if "does not export" in line]
        self.assertEqual(len(said), 1, log)
        self.assertRegex(said[0], r"does not export _ZN2v8\w+: JavaScript is named only .* --perf-basic-prof")
        profiles = result.profiles
        self.assertEqual([f.file for s in profiles.samples for f in s.stack if f.file == SMOKE], [])
        self.assertTrue(profiles.stacks_of(node_case.NODE_START))
        self.assertGreater(profiles.total(), 1.4e9)
