# SPDX-License-Identifier: Apache-2.0
"""What the hazard tests share: the programs of this directory, and a mount namespace for hostile file systems."""
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../native"))

from profiled_case import ProfiledCase  # noqa: E402


class HazardCase(ProfiledCase):
    fixtures = "hazards"

    def in_mounts(self, mounts, name, *arguments, deadline=60, user=None, options=None, interval=4000):
        """Runs the program in a mount namespace of its own, after the shell commands |mounts|; profiled."""
        program = self.fixture(name)
        env = self.environment(program, interval, **(options or {}))
        ours = [f"{k}={v}" for k, v in env.items() if k.startswith(("LD_PRELOAD", "OTEL_"))]
        become = ["setpriv", "--reuid", str(user), "--clear-groups"] if user else []
        line = shlex.join([*become, "env", *ours, program, *map(str, arguments)])
        return self.execute(["unshare", "-m", "sh", "-ec", f"{mounts}\nexec {line}"], self.plain_environment(), deadline)

    def assert_one_message(self, run, words):
        lines = run.err.splitlines()
        self.assertEqual(len(lines), 1, run.err)
        self.assertRegex(lines[0], rf"^otelprof\[\d+\]: error: .*{words}")
