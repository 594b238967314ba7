# SPDX-License-Identifier: Apache-2.0
"""10,000 short processes end, and print, with us as without."""
import collections
import os
import time
import unittest

from hazard_case import HazardCase
from profiled_case import report, total

PYTHON = "import sys; print(sum(range(20000))); sys.stderr.write('e'); sys.exit(9)"


class ShortLives(HazardCase):
    def commands(self):
        """One hundred, those of a kind spread among the others."""
        lives = self.fixture("short_lives")
        kinds = [(27, ["true"]), (4, ["false"]), (8, ["sh", "-c", "echo out; echo err >&2; exit 7"]),
                 (2, ["sh", "-c", "echo a | cat; (exit 5); echo $?; x=$(true); exit $?"]),
                 (3, ["sh", "-c", "missing-command"]), (2, ["sh", "-c", "kill -TERM $$"]),
                 (10, ["env", "-u", "LD_PRELOAD"]), (6, ["env", "A=1", "printenv", "A"]),
                 (2, ["env", "-i", lives, "return", "0"]), (1, ["python3", "-c", PYTHON]),
                 (8, [lives, "return", "0"]), (6, [lives, "return", "3"]), (3, [lives, "return", "12"]),
                 (4, [lives, "threads", "2"]), (3, [lives, "fork", "2"]), (3, [lives, "orphan", "4"]),
                 (2, [lives, "kill", "9"]), (2, [lives, "abort", "9"]), (2, [lives, "quick", "9"]),
                 (2, [lives, "exec", "9"])]
        deck = [(turn / weight, "\t".join(words)) for weight, words in kinds for turn in range(weight)]
        self.assertEqual(len(deck), 100)
        return "".join(words + "\n" for _, words in sorted(deck))

    def launch(self, include, count):
        path = os.path.join(self.directory, "commands")
        with open(path, "w") as file:
            file.write(self.commands())
        env = self.environment("short_lives", 1000, include=include)
        ours = [f"{k}={v}" for k, v in env.items() if k.startswith(("OTEL_", "LD_PRELOAD"))]
        begin = time.monotonic()
        run = self.execute([self.fixture("launch_many"), count, path, *ours],
                           {**self.plain_environment(), "LC_ALL": "C", "PATH": "/usr/bin:/bin"}, 280)
        self.assert_clean(run)
        self.assertEqual(run.out, f"launched {count} different 0\n")
        processes = collections.Counter(p.pid for p in run.profiles)
        report(f"{include}: {count} commands, {time.monotonic() - begin:.1f} s; {len(processes)} processes "
               f"profiled, {total(run.profiles) / 1e9:.2f} s")
        return processes

    def test_stood_down_and_one_program_selected(self):
        processes = self.launch("short_lives", 5000)
        self.assertGreater(len(processes), 5000 * 0.02, "those that use 12 ms are profiled")

    def test_every_program_selected(self):
        everyone = "*,true,false,sh,dash,env,cat,printenv,python3*"
        self.assertGreater(len(self.launch(everyone, 5000)), 5000 * 0.02)


if __name__ == "__main__":
    unittest.main()
