# SPDX-License-Identifier: Apache-2.0
"""Debian's Node, whose program is 20 KB and has all the rest in libnode.so."""
import os

from node_case import NODE_START, PROGRAMS, NodeCase


class Debian(NodeCase):
    def test_v8_is_found_in_its_library(self):
        result = self.profiled(os.path.join(PROGRAMS, "smoke.js"), extra={"OTEL_PROFILING_LOG_LEVEL": "info"}.items())
        self.assertEqual(result.returncode, 7, result.stderr)
        version = self.plain("-p", "process.versions.v8").stdout.strip()
        self.assertIn(f"V8 {version} found", result.stderr)
        stacks = result.profiles.stacks_of("named")
        within = [s for s in stacks if any(f.name == NODE_START and f.mapping.endswith("/libnode.so.108") for f in s.stack)]
        self.assertGreater(sum(s.nanos for s in within), 0.95 * sum(s.nanos for s in stacks))
        # OpenSSL's own library; its functions that are not exported have no names.
        openssl = [s for s in result.profiles.stacks_of("hashing") if s.stack[0].mapping.endswith("/libcrypto.so.3")]
        self.assertGreater(sum(s.nanos for s in openssl), 0.7 * result.profiles.cumulative("hashing"))

    def test_the_thread_pool_s_time_is_in_the_libraries_that_it_uses(self):
        result = self.same_with_and_without(os.path.join(PROGRAMS, "pool.js"))
        self.assertEqual(result.stdout, "pool ended\n")
        times = {}
        for library in ("libz.so", "libcrypto.so"):
            leaves = [s for s in result.profiles.samples if f"/{library}" in s.stack[0].mapping]
            times[library] = sum(s.nanos for s in leaves)
            self.assertGreaterEqual(len({s.labels["thread.id"] for s in leaves}), 2)
            self.assertNotIn(result.pid, {s.labels["thread.id"] for s in leaves})
        self.assertGreater(sum(times.values()), 0.5 * result.profiles.total())
