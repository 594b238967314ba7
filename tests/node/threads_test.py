# SPDX-License-Identifier: Apache-2.0
"""Workers, clusters, children, and the threads that libuv and V8 have of their own."""
import collections
import json
import os

from node_case import FULL, PROGRAMS, NodeCase


def program(name):
    return os.path.join(PROGRAMS, name)


class Threads(NodeCase):
    def test_each_worker_is_a_thread_with_its_own_functions(self):
        result = self.same_with_and_without("--max-inlined-bytecode-size=0", program("workers.js"))
        profiles = result.profiles
        self.assertEqual(result.stdout, "worker ended 0\n" * 2)
        threads = {}
        for function in ("workAlpha", "workBeta"):
            tids = collections.Counter()
            for sample in profiles.stacks_of(function):
                tids[sample.labels["thread.id"]] += sample.nanos
            self.assertEqual(len(tids), 1, function)
            threads[function], nanos = tids.most_common(1)[0]
            self.assertGreater(nanos, 0.4 * profiles.total())
            self.assertEqual({f.file for f in profiles.frames(function)}, {program("workers.js")})
        self.assertEqual(len({result.pid, *threads.values()}), 3, "two workers and the main thread are three threads")
        # A worker's stack begins where its thread began.
        self.assertTrue(profiles.has_chain("burn", "workAlpha"))
        self.assertTrue(profiles.has_chain("workBeta", "start_thread"))
        self.assert_named(profiles, 0.05)
        self.assert_nothing_lost(profiles)
        self.assert_total(result, 0)

    def test_workers_that_end_in_every_way(self):
        rounds = "25" if FULL else "4"
        result = self.same_with_and_without(program("churn.js"), rounds, timeout=150)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stdout.count("\n"), int(rounds))
        profiles = result.profiles
        self.assertGreater(profiles.cumulative("churnBurn"), 0)
        self.assert_total(result, 0)
        self.assertLess(len(profiles.drops()), 20)

    def test_a_cluster_gives_profiles_of_three_processes(self):
        result = self.profiled("--max-inlined-bytecode-size=0", program("cluster.js"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        told = [json.loads(line) for line in result.stdout.splitlines()]
        primary = next(t["primary"] for t in told if "primary" in t)
        workers = {t["worker"] for t in told if "worker" in t}
        self.assertEqual(primary, result.pid)
        self.assertEqual(result.profiles.pids(), {primary, *workers})
        self.assertEqual(len(workers), 2)
        instances = {p.resource()["service.instance.id"] for p in result.profiles.profiles}
        self.assertEqual(len(instances), 3)
        own = result.profiles.of_pid(primary)
        self.assertGreater(own.cumulative("clusterPrimary"), 0)
        self.assertEqual(own.cumulative("clusterWorker"), 0)
        for pid in workers:
            part = result.profiles.of_pid(pid)
            self.assertGreater(part.cumulative("clusterWorker"), 0.3 * 600e6)
            self.assertEqual(part.cumulative("clusterPrimary"), 0)
            self.assert_named(part, 0.05)
        self.assert_total(result, 0)

    def test_children_run_as_before(self):
        result = self.same_with_and_without(program("children.js"), "50")
        self.assertEqual((result.returncode, result.stdout), (0, "52\n"))
        self.assertEqual(result.profiles.pids(), {result.pid}, "shells and true are not profiled")

    def test_a_child_of_node_that_is_node_is_profiled_too(self):
        child = self.write("child.js", """
            const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };
            function inChild() {
                let n = 0;
                while (cpu() < 150000) for (let i = 0; i < 1e5; i++) n += i;
            }
            inChild();
            process.send(process.pid);""")
        parent = self.write("parent.js", "require('child_process').fork(%s).on('message', (pid) => console.log(pid));"
                            % json.dumps(child))
        result = self.profiled(parent)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        pid = int(result.stdout)
        self.assertEqual(result.profiles.pids(), {result.pid, pid})
        self.assertGreater(result.profiles.of_pid(pid).cumulative("inChild"), 30e6)

    def test_the_thread_pool_is_visible_on_threads_of_its_own(self):
        result = self.same_with_and_without(program("pool.js"))
        profiles = result.profiles
        self.assertEqual(result.stdout, "pool ended\n")
        pools = collections.defaultdict(set)
        for sample in profiles.samples:
            for frame in sample.stack:
                if "deflate_slow" in frame.name or "longest_match" in frame.name:
                    pools["zlib"].add(sample.labels["thread.id"])
                elif frame.name.startswith("sha512_block"):
                    pools["openssl"].add(sample.labels["thread.id"])
        for kind in ("zlib", "openssl"):
            self.assertGreaterEqual(len(pools[kind]), 2, pools)
            self.assertNotIn(result.pid, pools[kind])
        names = {name for (tid, name) in profiles.threads() if tid in pools["zlib"] | pools["openssl"]}
        self.assertTrue(all(names), names)
        # Hardly any of it is the main thread's.
        main = sum(n for (tid, _), n in profiles.threads().items() if tid == result.pid)
        self.assertLess(main, 0.5 * profiles.total())
        self.assert_total(result, 0)
        self.assert_nothing_lost(profiles)
