# SPDX-License-Identifier: Apache-2.0
"""Resource limits: the program goes on as without us, said once where something is lost."""
import os
import re
import resource
import unittest

from hazard_case import HazardCase
from profiled_case import LIBRARY, cumulative, report, total


def limit(which, value):
    return lambda: resource.setrlimit(which, (value, value))


class Timers(HazardCase):
    def pending(self, count):
        run = self.profile("burners", 20, 100, preexec_fn=limit(resource.RLIMIT_SIGPENDING, count), deadline=30)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(run.lines("threads"), [["20"]])
        self.assert_one_message(run, "timer.*ulimit -i")
        error = self.assert_total(run)
        self.assertGreater(run.profiles[0].dropped()["timers_refused"], 0)
        report(f"ulimit -i {count}: {error:+.3%}, burner {cumulative(run.profiles, 'burner') / total(run.profiles):.1%}"
               f": {run.err.strip()}")
        return run

    def test_8_pending_signals_for_20_threads(self):
        run = self.pending(8)
        self.assertGreater(cumulative(run.profiles, "burner"), 0.9 * total(run.profiles))

    def test_no_pending_signal_at_all(self):
        self.pending(0)


class Memory(HazardCase):
    def test_every_size_of_address_space(self):
        """Where the program runs without us it runs with us; what the loader says about our file is not ours."""
        tried = profiled = 0
        for megabytes in [*range(4, 24), 32, 48, 64]:
            size = limit(resource.RLIMIT_AS, megabytes << 20)
            plain = self.plain("burners", 0, 20, preexec_fn=size, deadline=10)
            if plain.returncode:
                continue
            run = self.profile("burners", 0, 20, preexec_fn=size, deadline=10, interval=1000)
            tried += 1
            self.assertEqual((run.returncode, run.lines("threads")), (0, [["0"]]), f"{megabytes} MiB: {run.err}")
            strange = [l for l in run.err.splitlines() if not re.match(r"otelprof\[\d+\]: error: |ERROR: ld\.so: ", l)]
            self.assertEqual(strange, [], f"{megabytes} MiB")
            profiled += bool(run.profiles)
        report(f"RLIMIT_AS: {tried} sizes that the program can live with")
        self.assertGreater(tried, 10)


class Processes(HazardCase):
    def test_no_thread_for_us(self):
        """RLIMIT_NPROC of an unprivileged user: our thread cannot be made, the program does not notice."""
        program = self.fixture("burners")
        env = self.environment(program)
        os.mkdir(self.profile_dir())
        os.chmod(self.profile_dir(), 0o777)
        run = self.execute(["setpriv", "--reuid", "65534", "--clear-groups", "bash", "-c",
                            f"ulimit -u 1; exec env LD_PRELOAD={LIBRARY} {program} 0 300"],
                           {k: v for k, v in env.items() if k != "LD_PRELOAD"}, 20)
        self.assertEqual((run.returncode, run.lines("threads")), (0, [["0"]]))
        self.assertLessEqual(len(run.err.splitlines()), 1, run.err)
        report(f"RLIMIT_NPROC 1: stderr {run.err.strip()!r}")


if __name__ == "__main__":
    unittest.main()
