"""Our walker against libunwind on the interrupted stacks of live programs (oracle.c does the walking)."""
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from measured import MeasuredCase

BUILD = os.environ["OTELPROF_BUILD_DIR"]
NODES = os.environ["OTELPROF_NODES"].split(":")
ORACLE = os.path.join(BUILD, "tests", "live", "liboracle.so")
MILLISECONDS = "4000"
# libunwind in a handler can deadlock against the loader (that is why it is the oracle and not the engine): a run that
# hangs is tried again.
ATTEMPTS, DEADLINE = 3, 60


def compare(command):
    for _ in range(ATTEMPTS):
        try:
            run = subprocess.run(command, env=dict(os.environ, LD_PRELOAD=ORACLE), capture_output=True, text=True,
                                 timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            continue
        counts = re.search(r"oracle: compared (\d+) identical (\d+) shorter (\d+) different (\d+)", run.stderr)
        return run, [int(n) for n in counts.groups()]
    raise AssertionError(f"{command}: libunwind hung in {ATTEMPTS} runs of {DEADLINE} s")


class Live(MeasuredCase):
    def check(self, *command):
        run, (compared, identical, shorter, different) = compare(command)
        print(f"{os.path.basename(command[0])}: {compared} stacks, {identical} identical, {shorter} cut, {different} different")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertGreater(compared, 1000)
        # A library that was loaded since the last look, 50 ms ago, has no table yet: such stacks end with a cut.
        self.assertLess(shorter, compared * 0.01, run.stderr)
        # Both lose their way, each in its own, inside libgcc while it installs an exception's context (15 in 10,000 stacks).
        self.assertLessEqual(different, compared * 0.005, run.stderr)

    def test_node(self):
        for node in NODES:
            self.check(node, os.path.join(HERE, "programs", "mixed.js"), MILLISECONDS)

    def test_python(self):
        self.check("/usr/bin/python3", os.path.join(HERE, "programs", "mixed.py"), MILLISECONDS)

    def test_native(self):
        for form in ("stacks_O0", "stacks_O2", "stacks_nofp"):
            self.check(os.path.join(BUILD, "tests", "live", form), MILLISECONDS)

    def test_exceptions(self):
        self.check(os.path.join(BUILD, "tests", "live", "exceptions"), MILLISECONDS)


if __name__ == "__main__":
    unittest.main()
