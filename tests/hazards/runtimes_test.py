# SPDX-License-Identifier: Apache-2.0
"""Bun and Deno: left alone unless they are named; when they are, nothing changes and what is not native is unknown."""
import os
import shutil

import unittest

from hazard_case import HazardCase
from profiled_case import LIBRARY, cumulative, report, samples_of, total

CACHE = os.environ.get("OTELPROF_CACHE") or os.path.expanduser("~/.cache/otelprof")
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "runtimes.cjs")


class Runtimes(HazardCase):
    def check(self, *command):
        name = os.path.basename(command[0])
        surroundings = {"HOME": self.directory, "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}
        plain = self.execute([*command, SCRIPT], {**self.plain_environment(), **surroundings}, 120)
        self.assertEqual((plain.returncode, plain.err), (5, ""))

        def same(env):
            shutil.rmtree(self.profile_dir(), ignore_errors=True)
            run = self.execute([*command, SCRIPT], {**env, **surroundings}, 120)
            self.assertEqual((run.returncode, run.out, run.err), (plain.returncode, plain.out, plain.err))
            return run

        alone = same({**self.plain_environment(), "LD_PRELOAD": LIBRARY, "OTEL_PROFILES_EXPORTER": "file",
                      "OTEL_PROFILING_FILE_DIR": self.profile_dir()})
        self.assertEqual(alone.profiles, [])
        for interval in (10000, 1000, 1000):
            # Bun ends without exit handlers: only windows that were closed are there.
            run = same(self.environment(name, interval, collection_interval_ms=100))
        self.assertTrue(run.profiles)
        native = sum(s.cpu for s in samples_of(run.profiles) if any(n.startswith(f"[{name}+") for n in s.names))
        report(f"{name}: {total(run.profiles) / 1e6:.0f} ms, with frames of its own {native / total(run.profiles):.0%}, "
               f"[unknown] {cumulative(run.profiles, '[unknown]') / total(run.profiles):.0%}")
        self.assertGreater(native, 0.3 * total(run.profiles))

    def test_bun(self):
        self.check(os.path.join(CACHE, "bun-1.4.5", "bin", "bun"))

    def test_deno(self):
        self.check(os.path.join(CACHE, "deno-2.9.6", "deno"), "run", "-A")


if __name__ == "__main__":
    unittest.main()
