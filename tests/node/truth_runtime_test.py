# SPDX-License-Identifier: Apache-2.0
"""Ground truth: what the runtime does for the program, collecting garbage and the work of libuv's pool, has its
time."""
import json
import os
import sys

from node_case import FULL, PROGRAMS, NodeCase

GARBAGE = os.path.join(PROGRAMS, "truth_garbage.js")
POOL = os.path.join(PROGRAMS, "truth_pool.js")
MILLISECONDS = "1500" if FULL else "400"
TICK = 4e6


class TruthOfTheRuntime(NodeCase):
    def run_program(self, *arguments, **environment):
        result = self.profiled(*arguments, MILLISECONDS, timeout=200, extra=environment.items())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assert_nothing_lost(result.profiles)
        return result, json.loads(result.stdout)

    def under(self, result, *names):
        """ns of the main thread in samples that have all |names|."""
        return sum(s.nanos for s in result.profiles.samples if s.labels.get("thread.id") == result.pid
                   and set(names) <= {f.name for f in s.stack})

    def test_garbage_collection_is_under_the_function_that_allocates(self):
        result, told = self.run_program("--expose-gc", GARBAGE)
        found = {name: self.under(result, name) for name in told}
        collected = {name: self.under(result, name, "(garbage collector)") for name in told}
        text = ", ".join(f"{name} {found[name] / 1e6:.0f} ms of {truth / 1e6:.0f}, "
                         f"{collected[name] / 1e6:.0f} collecting" for name, truth in told.items())
        print(f"  {text}", file=sys.stderr)
        for name, truth in told.items():
            share = found[name] / sum(found.values())
            self.assertLess(abs(share - truth / sum(told.values())), 0.03, text)
            self.assertLess(abs(found[name] - truth), 4 * TICK + 0.06 * truth, text)
        # A collection that was asked for is nothing but the collector; counting needs none, but may meet the end of one.
        self.assertGreater(collected["askForCollection"], 0.9 * told["askForCollection"] - 2 * TICK, text)
        self.assertGreater(collected["makeGarbage"], 0.03 * told["makeGarbage"], text)
        self.assertLess(collected["countOnly"], 0.06 * told["countOnly"] + 2 * TICK, text)

    def test_the_work_of_libuvs_pool_has_its_time(self):
        # Of each thread, up to two ticks are left that no sample stands for.
        result, told = self.run_program(POOL, UV_THREADPOOL_SIZE="2")
        workers = {"makeKeys": "node::crypto::PBKDF2Traits::DeriveBits(", "compress": "deflate"}
        samples = [s for s in result.profiles.samples if s.labels.get("thread.name") == "libuv-worker"]
        found = {name: sum(s.nanos for s in samples if any(f.name.startswith(worker) for f in s.stack))
                 for name, worker in workers.items()}
        text = ", ".join(f"{n} {found[n] / 1e6:.0f} ms of {told[n] / 1e6:.0f}" for n in told)
        print(f"  {text}", file=sys.stderr)
        for name, truth in told.items():
            self.assertLess(abs(found[name] - truth), 4 * TICK + 0.06 * truth, text)


if __name__ == "__main__":
    import unittest
    unittest.main()
