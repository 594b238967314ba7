# SPDX-License-Identifier: Apache-2.0
"""Node behind other programs: snapshots, single executables, package and process managers, other profilers."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys

from node_case import FULL, NODE, Profiles, clean_environment, node_major
from ways_case import WaysCase, package, way

# doc/api/single-executable-applications.md
FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"


def hot_source():
    """For programs that may be of one file only."""
    with open(way("hot.js")) as file:
        return file.read().replace("module.exports = { waysHot };", "")


class Snapshots(WaysCase):
    def test_a_snapshot_built_beside_us_runs_beside_us_and_without(self):
        """Written with dashes and, as Node accepts too, with underscores."""
        entry = self.write("entry.js", hot_source() + """
            globalThis.kept = waysHot(150) && 41;
            require('v8').startupSnapshot.setDeserializeMainFunction(() => {
                waysHot(300);
                console.log(kept + 1, process.execArgv.length, process.argv.length);
            });""")
        for flag in ("--build-snapshot", "--build_snapshot"):
            with self.subTest(flag):
                blob = os.path.join(self.directory, "built.blob")
                process = self.launch("beside", "--snapshot-blob", blob, flag, entry)
                self.assertEqual(self.output("beside", process), (0, "", ""))
                built = Profiles(self.profile_directory).of_pid(process.pid)
                self.assertEqual(built.cumulative("waysHot"), 0, "a process that writes a snapshot is left alone")
                result = self.both_hot("--snapshot-blob", blob, "argument")
                self.assertEqual(result.stdout, "42 2 2\n")

    def test_a_program_that_has_such_an_argument_builds_nothing(self):
        self.both_hot(way("plain.js"), "--build-snapshot", "--experimental-sea-config")


class Executables(WaysCase):
    def test_a_single_executable(self):
        self.write("entry.js", hot_source() + """
            waysHot(300);
            console.log(process.argv.length, process.execArgv, require('node:sea').isSea());""")
        config = self.write("sea.json", json.dumps({"main": "entry.js", "output": "sea.blob",
                                                    "disableExperimentalSEAWarning": True}))
        application = os.path.join(self.directory, "shop")
        for build in [self.inject] + ([self.build] if node_major() >= 26 else []):
            with self.subTest(build.__name__):
                shutil.rmtree(self.profile_directory, ignore_errors=True)
                build(application, config)
                self.both_hot("argument", program=application, extra={"OTEL_PROFILING_INCLUDE": "shop"}.items())
                os.remove(application)

    def build(self, application, config):
        with open(config) as file:
            whole = {**json.load(file), "output": application}
        self.tool(NODE, "--build-sea", self.write("whole.json", json.dumps(whole)), profiled=True)

    def inject(self, application, config):
        self.tool(NODE, "--experimental-sea-config", config, profiled=True)
        shutil.copy(NODE, application)
        self.tool(NODE, package("postject", "dist", "cli.js"), application, "NODE_SEA_BLOB",
                  os.path.join(self.directory, "sea.blob"), "--sentinel-fuse", FUSE)

    def tool(self, *command, profiled=False):
        env = self.preload() if profiled else clean_environment()
        result = subprocess.run(command, cwd=self.directory, capture_output=True, text=True, timeout=120, env=env,
                                check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(Profiles(self.profile_directory).names() & {"waysHot"}, set(), "what builds is left alone")


class Managers(WaysCase):
    """A small application, started by what starts applications; the managers are npm's, of the packages' directory."""

    def setUp(self):
        super().setUp()
        for place in self.places:
            application = self.write(f"{place}/app.js", f"""#!/usr/bin/env node
                const {{ waysHot }} = require({json.dumps(way("hot.js"))});
                waysHot(500);
                require('fs').appendFileSync('pids', process.pid + '\\n');
                if (process.argv[2] === 'stays') {{
                  setInterval(() => {{ }}, 1000);
                  process.on('SIGINT', () => process.exit(0));
                }}
                const {{ NODE_OPTIONS, npm_lifecycle_event, npm_execpath }} = process.env;
                const given = {{ NODE_OPTIONS, npm_lifecycle_event, npm_execpath }};
                console.log('shop:', JSON.stringify({{ ...given, execArgv: process.execArgv, title: process.title }}));""")
            os.chmod(application, 0o755)
            self.write(f"{place}/package.json", json.dumps({"name": "shop", "version": "1.0.0", "bin": "app.js",
                                                            "scripts": {"start": "node app.js"}}))
            os.makedirs(os.path.join(self.places[place], "node_modules", ".bin"))
            os.symlink("../../app.js", os.path.join(self.places[place], "node_modules", ".bin", "shop"))

    def surroundings(self):
        home = os.path.join(self.directory, "home")
        os.makedirs(home, exist_ok=True)
        return {"HOME": home, "PATH": f"{os.path.dirname(NODE)}:{package('.bin')}:/usr/bin:/bin", "CI": "true",
                "npm_config_update_notifier": "false", "npm_config_offline": "true", "npm_config_cache": home,
                "PM2_HOME": os.path.join(self.directory, "pm2"), "PM2_DISABLE_VERSION_CHECK": "true",
                "YARN_ENABLE_TELEMETRY": "0"}

    def settled(self, name, text):
        return re.sub(r"Done in [\d.]+s", "Done", super().settled(name, text))

    def pids(self, place="beside"):
        with open(os.path.join(self.places[place], "pids")) as file:
            return {int(line) for line in file}

    def test_only_the_application_is_profiled(self):
        commands = [[package(".bin", manager), *arguments] for manager, *arguments in (
            ["npm", "start"], ["npx", "shop"], ["yarn", "start"], ["yarn", "exec", "shop"], ["pnpm", "start"],
            ["pnpm", "exec", "shop"])]
        for command in commands + ([[NODE, "--run", "start"]] if node_major() >= 22 else []):
            with self.subTest(command):
                shutil.rmtree(self.profile_directory, ignore_errors=True)
                for place in self.places.values():
                    if os.path.exists(os.path.join(place, "pids")):
                        os.remove(os.path.join(place, "pids"))
                result = self.both(*command[1:], program=command[0], extra=self.surroundings().items())
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                self.assertIn("shop: {", result.stdout)
                self.assertEqual(result.profiles.pids(), self.pids())
                self.assert_hot(result.profiles, *self.pids())

    def process_manager(self, place, instances):
        """What the application printed under pm2 without its daemon, which is ended when all instances have."""
        arguments = ["start", "app.js"]
        arguments += ["-i", str(instances), "--", "stays"] if instances > 1 else ["--", "stays"]
        # Short windows: a process manager kills what does not end at once.
        extra = {**self.surroundings(), "PM2_HOME": os.path.join(self.places[place], "pm2"),
                 "OTEL_PROFILING_COLLECTION_INTERVAL_MS": "200"}
        process = self.launch(place, *arguments, program=package(".bin", "pm2-runtime"), extra=extra.items(),
                              stderr=subprocess.STDOUT)
        printed = []
        for line in process.stdout:
            found = re.search(r"shop: .*", line)
            printed += [found[0]] if found else []
            if len(printed) == instances:
                break
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        return process.returncode, [self.settled(place, text) for text in printed]

    def test_a_process_manager(self):
        for instances in (1, 2):
            with self.subTest(instances=instances):
                for place in self.places.values():
                    if os.path.exists(os.path.join(place, "pids")):
                        os.remove(os.path.join(place, "pids"))
                plain = self.process_manager("plain", instances)
                self.assertEqual(self.process_manager("beside", instances), plain)
                self.assertEqual(len(plain[1]), instances)
                profiles = Profiles(self.profile_directory)
                self.assertEqual(len(self.pids()), instances)
                for pid in self.pids():
                    self.assert_hot(profiles, pid)


class Profilers(WaysCase):
    def test_another_profiler_of_processor_time(self):
        self.both_hot(way("datadog.js"), package("@datadog", "pprof"))

    def test_another_continuous_profiler(self):
        self.both_hot(way("pyroscope.js"), package("@pyroscope", "nodejs"))


class Heaps(WaysCase):
    def test_a_large_heap_is_met(self):
        """In a worker, by its first tick, which the long interval puts behind the making of the heap."""
        with open("/proc/meminfo") as file:
            free = next(int(line.split()[1]) for line in file if line.startswith("MemAvailable")) / 1024
        megabytes = int(min(1000 if FULL else 300, free / 4))
        self.assertGreater(megabytes, 100, "MB of free memory for a quarter of it")
        arguments = [way("large_heap.js"), str(megabytes), "600"]
        code, out, err = self.output("plain", self.launch("plain", *arguments))
        self.assertEqual((code, err), (0, ""))
        plain = json.loads(out)
        process = self.launch("beside", *arguments, interval_micros=50000)
        code, out, err = self.output("beside", process)
        self.assertEqual((code, err), (0, ""))
        told = json.loads(out)
        print(f"  {told['grown'] / 1e6:.0f} MB of objects; the longest pause {told['pause']:.0f} ms of CPU, without us "
              f"{plain['pause']:.0f} ms", file=sys.stderr)
        self.assertGreater(told["grown"], megabytes * 1e6 * 0.9)
        self.assertEqual(told["length"], plain["length"])
        profiles = Profiles(self.profile_directory)
        self.assertLess(told["pause"], 2000)
        self.assertGreater(profiles.cumulative("waysHot"), 300e6)
        self.assert_named(profiles, 0.05)
