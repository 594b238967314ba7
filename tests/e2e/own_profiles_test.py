# SPDX-License-Identifier: Apache-2.0
"""Profiles that the library itself wrote: `go tool pprof` and `otelprof top` say the same of them, to the digit."""
import glob
import os
import subprocess
import unittest

import top_test
from command_case import CommandCase

BUILD = os.path.abspath(os.environ["OTELPROF_BUILD_DIR"])
NATIVE = [os.path.join(BUILD, "tests", "native", "shares_O2"), "2", "1500"]
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "node", "programs", "inlined.js")


class OwnProfiles(CommandCase):
    maxDiff = 3000

    def check(self, command):
        profiles = os.path.join(self.directory, "profiles")
        env = dict(os.environ, LD_PRELOAD=os.path.join(BUILD, "libotelprof.so"), OTEL_PROFILES_EXPORTER="file",
                   OTEL_PROFILING_EXIT_TIMEOUT_MS="10000",
                   OTEL_PROFILING_FILE_DIR=profiles, OTEL_PROFILING_INCLUDE=os.path.basename(command[0]),
                   OTEL_PROFILING_COLLECTION_INTERVAL_MS="700", OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS="4000")
        subprocess.run(command, env=env, check=True, capture_output=True, timeout=60)
        paths = sorted(glob.glob(os.path.join(profiles, "*", "*.pb.gz")))
        self.assertGreater(len(paths), 1)
        for sample_type, unit in (("cpu", "nanoseconds"), ("samples", "count")):
            for files in [[path] for path in paths] + [paths]:
                rows, total = top_test.pprof_top(files, sample_type, unit)
                if not total and len(files) == 1:
                    continue  # the last window, of a few ms: no tick fell into it, and `top` says so and exits with 2
                top = self.top("--type", sample_type, *files)
                self.assertEqual((top_test.as_pprof(top), top["total"]), (rows, total))

    def test_of_a_native_program(self):
        self.check(NATIVE)

    def test_of_node_with_inlined_functions(self):
        self.check([os.environ["OTELPROF_NODE"], SCRIPT, "2"])


if __name__ == "__main__":
    unittest.main()
