# SPDX-License-Identifier: Apache-2.0
"""Node under its own switches: profiled, and as without us, its own tools' files included."""
import glob
import json
import os
import re
import signal
import subprocess
import time

from node_case import NODE, Profiles, clean_environment, node_major
from ways_case import WaysCase, package, way, without_core


def since(major):
    """For what Node has since |major|: before it the test is not there."""
    def choose(test):
        return test if node_major() >= major else None
    return choose


class Flags(WaysCase):
    def test_ways_to_give_a_program(self):
        code = f"const {{ waysHot }} = require({json.dumps(way('hot.js'))}); waysHot(250);"
        named = f"{code} console.log(process.argv.length, process.execArgv, __filename)"
        self.both_hot("-e", named, "argument")
        self.both_hot("-p", f"{code} 6 * 7")
        self.both_hot("-", "argument", stdin=named)
        self.both_hot(stdin=named)
        self.both_hot("--input-type=module", "-e", "import hot from %s; hot.waysHot(250); console.log(import.meta.url)"
                      % json.dumps("file://" + way("hot.js")))

    def test_the_repl(self):
        script = f"const {{ waysHot }} = require({json.dumps(way('hot.js'))})\nwaysHot(300) !== 0\n" \
                 "throw new Error('typed')\n[1, 2].map((n) => n * 2)\nawait Promise.resolve('later')\n.exit\n"
        result = self.both_hot("-i", stdin=script, extra={"NODE_REPL_HISTORY": ""}.items())
        for text in ("[ 2, 4 ]", "Error: typed", "'later'"):
            self.assertIn(text, result.stdout)

    def test_switches_of_the_runtime(self):
        for flags in (["--jitless"], ["--no-node-snapshot"], ["--stack-trace-limit=3", "--enable-source-maps"],
                      ["--frozen-intrinsics"], ["--single-threaded"], ["--title=other"]):
            with self.subTest(flags):
                self.both_hot(*flags, way("plain.js"), "argument")

    def test_node_s_own_profiles(self):
        self.both_hot("--cpu-prof", "--heap-prof", "--heap-prof-interval=1024", way("plain.js"))
        for place in self.places.values():
            self.assertEqual(len(os.listdir(place)), 2)
            with open(glob.glob(os.path.join(place, "*.cpuprofile"))[0]) as file:
                profile = json.load(file)
            hot = {node["id"] for node in profile["nodes"] if node["callFrame"]["functionName"] == "waysHot"}
            self.assertGreater(sum(id in hot for id in profile["samples"]), 0.4 * len(profile["samples"]))
            with open(glob.glob(os.path.join(place, "*.heapprofile"))[0]) as file:
                self.assertTrue(json.load(file)["head"]["children"])

    def test_v8_s_log(self):
        # The log itself costs as much as an empty program.
        self.both_hot("--prof", "--no-logfile-per-isolate", "--logfile=v8.log", way("plain.js"), least=0.35)
        for place in self.places.values():
            with open(os.path.join(place, "v8.log"), errors="replace") as file:
                lines = file.read().splitlines()
            self.assertTrue([line for line in lines if line.startswith("code-creation,") and "waysHot" in line])
            self.assertGreater(sum(line.startswith("tick,") for line in lines), 30)

    def test_perf_maps(self):
        processes = {name: self.launch(name, "--perf-basic-prof", way("plain.js")) for name in self.places}
        plain, beside = (self.output(name, process) for name, process in processes.items())
        self.assertEqual(beside, plain)
        for process in processes.values():
            path = f"/tmp/perf-{process.pid}.map"
            self.addCleanup(os.remove, path)
            with open(path) as file:
                self.assertRegex(file.read(), r"(?m)^[0-9a-f]+ [0-9a-f]+ \S+waysHot ")
        self.assert_hot(Profiles(self.profile_directory), processes["beside"].pid)

    def test_the_inspector_is_opened_by_a_signal(self):
        result = self.both_hot("--inspect-port=0", way("signalled.js"))
        self.assertEqual((result.stdout, result.stderr.count("Debugger listening on ws://ADDRESS\n")), ("true\n", 1))

    def test_a_session_with_the_inspector(self):
        outputs = []
        for name in self.places:
            process = self.launch(name, "--inspect-brk=0", way("inspected.js"))
            line = process.stderr.readline()
            address = re.search(r"ws://\S+", line)
            self.assertTrue(address, line)
            self.assertIn("For help", process.stderr.readline())
            client = subprocess.run([NODE, way("inspector_client.js"), address[0], package("ws")], capture_output=True,
                                    text=True, timeout=60, env=clean_environment(), check=False)
            self.assertEqual((client.returncode, client.stderr), (0, ""))
            code, out, err = self.output(name, process)
            # Whether the client or the program ends first is open.
            farewell = ("Debugger ending on ", "For help, see: ", "Waiting for the debugger to disconnect...")
            err = [line for line in err.splitlines() if not line.startswith(farewell)]
            outputs.append((client.stdout, code, out, err))
        self.assertEqual(outputs[1], outputs[0])
        self.assertEqual(outputs[0][0].splitlines(), ["paused in stepped 9", "stepped to stepped 10 where local is 42",
                                                      "profile true true true true"])
        self.assertEqual(outputs[0][1:], (0, "", ["Debugger attached."]))
        self.assert_hot(Profiles(self.profile_directory), process.pid)

    def test_a_small_heap(self):
        # How much the collector and its threads take near the limit is V8's affair.
        result = self.both_hot("--max-old-space-size=24", way("near_limit.js"), "14", least=0.3)
        self.assertEqual(result.stdout, "112 true\n")

    def test_a_heap_that_is_too_small(self):
        """Its report has times and addresses; the line that says why has not."""
        ends = []
        for name in self.places:
            code, out, err = self.output(name, self.launch(name, "--max-old-space-size=24", way("near_limit.js"), "all",
                                                           preexec_fn=without_core))
            ends.append((code, out, [line for line in err.splitlines() if line.startswith("FATAL ERROR")]))
        self.assertEqual(ends[1], ends[0])
        self.assertRegex("".join(ends[0][2]), "heap out of memory")

    @since(20)
    def test_the_permission_model(self):
        flag = "--experimental-permission" if node_major() == 20 else "--permission"
        read = os.path.join(os.path.dirname(way("hot.js")), "*")
        result = self.both_hot(flag, f"--allow-fs-read={read}", way("permission.js"))
        self.assertEqual(result.stdout.count("ERR_ACCESS_DENIED"), 4, result.stdout)

    def test_the_test_runner(self):
        suite = "const { test } = require('node:test'); const { waysHot } = require(%s);" % json.dumps(way("hot.js"))
        for name in ("one", "two"):
            for place in self.places:
                self.write(f"{place}/{name}.test.js", suite + f"""
                    test('{name}', async (t) => {{
                        require('fs').writeFileSync('{name}.pid', String(process.pid));
                        waysHot(300);
                        await t.test('inner', () => {{ throw new Error('fails'); }});
                    }});""")
        result = self.both("--test")
        self.assertEqual(result.returncode, 1)
        for name in ("one", "two"):
            with open(os.path.join(self.places["beside"], name + ".pid")) as file:
                self.assert_hot(result.profiles, int(file.read()))

    def settled(self, name, text):
        text = super().settled(name, text)
        return re.sub(r"(duration_ms:? )[\d.]+|\([\d.]+ms\)", r"\1MS", text)

    @since(18)
    def test_watching(self):
        outputs = []
        for name, place in self.places.items():
            for file in ("watched.js", "hot.js"):
                with open(way(file)) as source:
                    self.write(f"{name}/{file}", source.read())
            self.write(f"{name}/changed.js", "module.exports = 1;")
            extra = {"OTEL_PROFILING_COLLECTION_INTERVAL_MS": "100"}.items()
            process = self.launch(name, "--watch", "watched.js", extra=extra)
            lines = self.until(process, "ran 1")
            time.sleep(0.4)
            self.write(f"{name}/new.js", "module.exports = 2;")
            os.rename(os.path.join(place, "new.js"), os.path.join(place, "changed.js"))
            lines += self.until(process, "ran 2")
            time.sleep(0.4)
            process.send_signal(signal.SIGTERM)
            code, out, err = self.output(name, process)
            outputs.append((code, [self.settled(name, line) for line in lines], out, err))
        self.assertEqual(outputs[1], outputs[0])
        profiles = Profiles(self.profile_directory)
        children = profiles.pids() - {process.pid}
        self.assertGreaterEqual(len(children), 2)
        hot = sum(profiles.of_pid(pid).cumulative("waysHot") for pid in children)
        self.assertGreater(hot, 0.5 * sum(profiles.of_pid(pid).total() for pid in children))

    def until(self, process, wanted):
        """The lines that |process| prints up to |wanted|, each once: one change may be seen twice."""
        lines = []
        for line in process.stdout:
            if line not in lines:
                lines.append(line)
            if line.startswith(wanted):
                return lines
        self.fail(f"{wanted} never came: {lines} {process.stderr.read()}")


for missing in [name for name, test in vars(Flags).items() if name.startswith("test_") and test is None]:
    delattr(Flags, missing)  # this Node has not got what it tests
