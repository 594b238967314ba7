# SPDX-License-Identifier: Apache-2.0
"""Node's own tools beside us, and what a program can see of us: nothing."""
import glob
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import time

from node_case import FULL, NODE, PROGRAMS, NodeCase, Profiles, node_major

SPLIT = os.path.join(PROGRAMS, "split.js")
NPM = os.path.join(os.path.dirname(NODE), "..", "lib", "node_modules", "npm", "bin")
NPM_PLACES = (NPM, "/usr/share/nodejs/npm/bin", "/usr/lib/node_modules/npm/bin", "/usr/local/lib/node_modules/npm/bin")


class Neighbours(NodeCase):
    def cpu_prof_samples(self):
        with open(glob.glob(os.path.join(self.directory, "*.cpuprofile"))[0]) as file:
            return json.load(file)

    def test_cpu_prof_and_we_both_have_whole_profiles(self):
        arguments = ["--cpu-prof", "--cpu-prof-interval", "5000", "--max-inlined-bytecode-size=0", SPLIT, "2"]
        self.assertEqual(self.plain(*arguments).returncode, 0)
        alone = self.cpu_prof_samples()
        for path in glob.glob(os.path.join(self.directory, "*.cpuprofile")):
            os.remove(path)
        result = self.profiled(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        beside = self.cpu_prof_samples()
        # Node's sampler goes by the wall clock, and waits for the machine in both runs; without its signal it has next
        # to nothing.
        distance = [statistics.median(p["timeDeltas"]) for p in (alone, beside)]
        print(f"  .cpuprofile: {len(alone['samples'])} samples every {distance[0]:.0f} us alone, {len(beside['samples'])} "
              f"every {distance[1]:.0f} us beside us", file=sys.stderr)
        self.assertLess(distance[1] / distance[0], 2)
        self.assertGreater(len(beside["samples"]), 0.5 * 2e6 / 5000)
        names = {n["callFrame"]["functionName"] for n in beside["nodes"]}
        self.assertLessEqual({"burn10", "burn20", "burn30", "burn40"}, names)
        self.assert_total(result, json.loads(result.stdout)["total"])
        self.assertGreater(result.profiles.cumulative("burn40"), 0.3 * result.profiles.total())
        self.assert_named(result.profiles, 0.02)
        self.assert_nothing_lost(result.profiles)

    def test_node_s_heap_profiler_works_beside_us(self):
        result = self.same_with_and_without("--heap-prof", os.path.join(PROGRAMS, "garbage.js"))
        self.assertEqual(result.returncode, 0)
        self.assertEqual(len(glob.glob(os.path.join(self.directory, "*.heapprofile"))), 2)

    def test_a_snapshot_is_built_and_runs(self):
        entry = self.write("snapshot.js", """
            globalThis.kept = 41;
            require('v8').startupSnapshot.setDeserializeMainFunction(() => {
                const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };
                function fromSnapshot() {
                    let n = 0;
                    while (cpu() < 400000) for (let i = 0; i < 1e5; i++) n += i;
                    return n;
                }
                fromSnapshot();
                console.log(kept + 1);
            });""")
        blob = os.path.join(self.directory, "snapshot.blob")
        if node_major() < 18:  # has no snapshots of a user's own: refused, beside us as without
            refused = self.same_with_and_without("--snapshot-blob", blob, "--build-snapshot", entry)
            self.assertEqual(refused.returncode, 9)
            return
        built = self.profiled("--snapshot-blob", blob, "--build-snapshot", entry)
        self.assertEqual((built.returncode, built.stdout), (0, ""), built.stderr)
        result = self.same_with_and_without("--snapshot-blob", blob, entry)
        self.assertEqual(result.stdout, "42\n")
        self.assertTrue(result.profiles.frames("fromSnapshot"))

    def test_package_managers_are_not_profiled(self):
        npm = next((p for p in NPM_PLACES if os.path.exists(os.path.join(p, "npm-cli.js"))), None)
        self.assertIsNotNone(npm, "npm is needed for this test: apt-get install npm")
        for tool, arguments in (("npm-cli.js", ["--version"]), ("npx-cli.js", ["--version"]), ("npm-cli.js", ["help", "ls"])):
            result = self.same_with_and_without(os.path.join(npm, tool), *arguments)
            self.assertEqual(result.profiles.paths, [], tool)

    def test_the_program_cannot_tell_that_we_are_there(self):
        program = os.path.join(PROGRAMS, "environment.js")
        for extra in ({}, {"NODE_OPTIONS": "--stack-trace-limit=17 --no-warnings"}):
            plain = self.plain(program, extra=extra.items())
            result = self.profiled(program, extra=extra.items())
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(json.loads(result.stdout), json.loads(plain.stdout))

    def test_the_inspector_opens_on_sigusr1(self):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        process = self.start(f"--inspect-port=127.0.0.1:{port}", "-e", "setInterval(() => {}, 100); console.log('ready')")
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGUSR1)
        deadline, opened = time.monotonic() + 20, False
        while not opened and time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                opened = True
            except OSError:
                time.sleep(0.05)
        self.assertTrue(opened)
        process.kill()
        self.assertIn("Debugger listening on", self.finish(process).stderr)

    def test_the_cpu_profiler_of_the_inspector_works_beside_us(self):
        program = self.write("inspect.js", """
            const { Session } = require('inspector');
            const session = new Session();
            session.connect();
            const cpu = () => { const t = process.cpuUsage(); return t.user + t.system; };
            function inspected(until) {
                let n = 0;
                while (cpu() < until) for (let i = 0; i < 1e5; i++) n += i;
                return n;
            }
            session.post('Profiler.enable', () => session.post('Profiler.start', () => {
                inspected(cpu() + 400000);
                session.post('Profiler.stop', (error, { profile }) => {
                    const names = profile.nodes.map((n) => n.callFrame.functionName);
                    console.log(!error && names.includes('inspected') && profile.samples.length > 50);
                    inspected(cpu() + 100000);
                });
            }));""")
        result = self.same_with_and_without(program)
        self.assertEqual((result.returncode, result.stdout), (0, "true\n"))
        self.assertTrue(result.profiles.frames("inspected"))
        self.assert_total(result, 0)

    def test_the_permission_model_and_the_test_runner_work(self):
        flag = {20: "--experimental-permission", 22: "--permission", 24: "--permission"}.get(node_major())
        if flag:
            script = self.write("allowed.js", "console.log(process.permission.has('fs.read', '/etc/passwd'))")
            result = self.same_with_and_without(flag, f"--allow-fs-read={script}", script)
            self.assertEqual((result.returncode, result.stdout), (0, "false\n"))
        suite = self.write("suite.test.js", "require('node:test')('adds', () => require('assert').equal(1 + 1, 2));")
        result = self.profiled("--test", suite)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("# pass 1" if "# pass" in result.stdout else "pass 1", result.stdout)

    def test_switched_off_nothing_is_left(self):
        program = self.write("tasks.js", "console.log(require('fs').readdirSync('/proc/self/task').length)")
        plain = self.plain(program)
        for extra in ({"OTEL_SDK_DISABLED": "true"}, {"OTEL_PROFILING_ENABLED": "false"}, {"OTEL_PROFILES_EXPORTER": "none"}):
            result = self.profiled(program, extra=extra.items())
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, plain.stdout, ""), extra)
            self.assertEqual(result.profiles.paths, [])

    def test_many_starts_are_all_the_same(self):
        # Node before 18.17 was killed at its start by a profiling signal.
        for _ in range(200 if FULL else 15):
            result = subprocess.run([NODE, "-e", "process.exitCode = 3; console.log(1)"], capture_output=True, text=True,
                                    timeout=30, env=self.preload(1000))
            self.assertEqual((result.returncode, result.stdout, result.stderr), (3, "1\n", ""))
        self.assertTrue(Profiles(self.profile_directory).paths)
