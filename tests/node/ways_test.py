# SPDX-License-Identifier: Apache-2.0
"""Node programs that end, start others, throw and recurse in every way: as without us, and profiled."""
import collections
import concurrent.futures
import json
import os
import re
import signal
import sys

from node_case import FULL, Profiles, node_major
from ways_case import HOT, WaysCase, way, without_core

# The exit code of each end of ends.js, as Node documents them (doc/api/process.md, "Exit codes").
ENDS = {"exit": 5, "exitInExit": 9, "throwInTimer": 1, "throwInExit": 1, "reject": 1, "rejectWithNoError": 1,
        "caught": 0, "handlerThrows": 7, "overflow": 1, "handledSignal": 0}

SIGNALS = {"abort": signal.SIGABRT, "SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT, "SIGKILL": signal.SIGKILL}
TURMOIL = {"end": 0, "exit": 4, "exitAmongWorkers": 5, "throw": 1, "reject": 1, "throwAmongWorkers": 1, "signal": -15}
HOT_IN_ROW = 60e6  # ns, of each worker of row.js


class Ends(WaysCase):
    def test_every_end(self):
        for how, returncode in ENDS.items():
            with self.subTest(how):
                self.both_hot(way("ends.js"), how, returncode=returncode)

    def test_ends_by_a_signal_leave_nothing_behind(self):
        def names():
            places = ("/tmp", "/dev/shm", "/var/tmp")
            return {os.path.join(place, name) for place in places for name in os.listdir(place)}

        for how, number in SIGNALS.items():
            with self.subTest(how):
                before = names()
                temporary = os.path.join(self.directory, how)
                os.mkdir(temporary)
                result = self.both(way("ends.js"), how, preexec_fn=without_core, extra={
                    "TMPDIR": temporary, "OTEL_PROFILING_COLLECTION_INTERVAL_MS": "100"}.items())
                self.assertEqual(result.returncode, -number)
                self.assert_hot(result.profiles, result.pid)
                files = [name for _, _, names in os.walk(self.directory) for name in names]
                self.assertEqual([name for name in files if not name.endswith(".pb.gz")], [])
                left = [name for name in names() - before if re.search(rf"\b{result.pid}\b", name)]
                self.assertEqual(left, [])

    def test_contexts_that_run_out_of_time_or_stack(self):
        result = self.both_hot(way("contexts.js"), returncode=1)
        self.assertEqual(result.stdout.count("ERR_SCRIPT_EXECUTION_TIMEOUT"), 5)

    def test_modules(self):
        self.both_hot(way("modules.mjs"))

    def test_a_top_level_await_that_is_never_settled(self):
        self.both_hot(way("modules.mjs"), "unsettled", returncode=13)


class Workers(WaysCase):
    def test_short_workers_in_a_row(self):
        few = self.output("plain", self.launch("plain", way("row.js"), "6"))
        self.assertEqual(few, (0, "end 0\nexit 3\nterminate 1\n" * 2, ""))
        count = 999 if FULL else 99
        process = self.launch("beside", way("row.js"), str(count))
        self.assertEqual(self.output("beside", process, timeout=1000),
                         (0, "end 0\nexit 3\nterminate 1\n" * (count // 3), ""))
        profiles = Profiles(self.profile_directory)
        # V8 is asked when a worker has used 30 ms of CPU, and what was sampled before gets its names, too.
        by_thread = collections.Counter()
        for sample in profiles.stacks_of(HOT):
            by_thread[sample.labels["thread.name"]] += sample.nanos
        found = sum(by_thread.values()) / (count * HOT_IN_ROW)
        unknown = profiles.self_time("[unknown]")
        print(f"  {count} workers, {len(by_thread)} with hot code that has a name: {found:.1%} of their hot time, "
              f"{unknown / profiles.total():.2%} of all [unknown]", file=sys.stderr)
        self.assertGreater(found, 0.75)
        self.assertLess(unknown, 0.05 * profiles.total())
        kinds = ["end", "exit", "terminate"]
        names = {f"worker {i + 1}" + (f" (row-{kinds[i % 3]})" if node_major() >= 24 else "") for i in range(count)}
        self.assertEqual(set(by_thread) - names, set())
        self.assertGreater(len(by_thread), 0.98 * count)

    def test_workers_with_names(self):
        result = self.both_hot(way("named.js"))
        told = [line.split(" ", 1) for line in result.stdout.splitlines() if not line.startswith("ended")]
        self.assertEqual(len(told), 2)
        found = {sample.labels["thread.name"] for sample in result.profiles.stacks_of(HOT)}
        # By Node's threadId; Node gives the name to the thread from 24 on.
        given = node_major() >= 24
        self.assertEqual(found, {f"worker {id} ({comm})" if given else f"worker {id}" for id, comm in told})


class Families(WaysCase):
    def test_a_family_of_processes_and_workers(self):
        for options in ({}, {"NODE_OPTIONS": "--no-deprecation --stack-trace-limit=23"}):
            result = self.both("--max-http-header-size=9000", way("family.js"), extra=options.items())
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(result.stdout.count("\n"), 9)
        with open(os.path.join(self.places["beside"], "pids.json")) as file:
            pids = json.load(file)
        processes = {kind: pid for kind, pid in pids.items() if not kind.startswith("worker")}
        self.assertEqual(len(set(processes.values())), 6)
        self.assertEqual({pids[kind] for kind in pids if kind.startswith("worker")}, {result.pid})
        for kind, pid in processes.items():
            with self.subTest(kind):
                self.assert_hot(result.profiles, pid)


class Depths(WaysCase):
    def depths(self, *arguments):
        """How deep recursion.js got with the library, after that was found to be as without it."""
        flags = ["--no-opt"] + (["--no-sparkplug"] if node_major() >= 16 else [])
        outputs = []
        for name in self.places:
            code, out, err = self.output(name, self.launch(name, *flags, *arguments))
            self.assertEqual((code, err), (0, ""), arguments)
            outputs.append([int(n) for n in out.splitlines()[0].split()])
        (plain_least, plain_most), (least, most) = outputs
        self.assertAlmostEqual(least / plain_least, 1, delta=0.01, msg=outputs)
        self.assertAlmostEqual(most / plain_most, 1, delta=0.01, msg=outputs)
        profiles = Profiles(self.profile_directory)
        self.assertGreater(profiles.cumulative(HOT), 0.3 * profiles.total())
        self.assertGreater(profiles.cumulative("descend"), 0.1 * profiles.total())
        return most

    def test_the_depth_of_recursion(self):
        usual = self.depths(way("recursion.js"))
        self.assertLess(self.depths("--stack-size=200", way("recursion.js")), usual / 3)
        # Of the 8 MB that the kernel gives the main thread.
        self.assertGreater(self.depths("--stack-size=7000", way("recursion.js")), 5 * usual)
        self.assertGreater(self.depths(way("recursion.js"), "8"), 1.5 * self.depths(way("recursion.js"), "4"))


class Turmoil(WaysCase):
    def test_turmoil(self):
        count = 300 if FULL else 10
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = list(pool.map(self.turmoil, range(count)))
        self.assertEqual([run for run in runs if run], [])
        self.assertGreater(Profiles(self.profile_directory).cumulative("turmoilBurn"), 0)
        print(f"  {count} runs, none failed", file=sys.stderr)

    def turmoil(self, i):
        """What was wrong with the run number |i|."""
        how = list(TURMOIL)[i % len(TURMOIL)]
        process = self.launch("beside", way("turmoil.js"), how, extra={"OTEL_SERVICE_NAME": f"run{i}"}.items(),
                              interval_micros=1000)
        code, out, err = self.output("beside", process, timeout=120)
        # A worker that is terminated before it runs anything ends with 0.
        fine = code == TURMOIL[how] and re.fullmatch("end 0, exit 3, throw 1, terminate 1, atOnce [01]\n", out)
        trace = "Error: at the end" in err if TURMOIL[how] == 1 else err == ""
        return None if fine and trace else (i, how, code, out, err)
