# SPDX-License-Identifier: Apache-2.0
"""What the options of a profile do: V8's tiers, file names short or left out; and the words for threads and
for time without JavaScript."""
import collections
import os
import re
import sys

from node_case import FULL, PROGRAMS, NodeCase, node_major
from stress_test import is_known

THREADS = os.path.join(PROGRAMS, "options_threads.js")
OUTSIDE = os.path.join(PROGRAMS, "stress_clock.js")
MILLIS = "6000" if FULL else "1200"
BURN = """
const cpu = () => process.cpuUsage().user;
exports.%s = function %s(millis) {
  let x = 1;
  for (const end = cpu() + 1000 * millis; cpu() < end;) {
    for (let i = 0; i < 20000; i++) x = Math.imul(x, 48271) | 1;
  }
  return x;
};
"""
# Code that V8 made before the profiler had met it is not told by V8: the first moments go to something else.
SETTLE = "while (cpu() < 1000 * %d) JSON.parse(JSON.stringify({ a: [1, 2, { b: 'text' }] }));"
# An idle loop: each turn polls once, and hardly any of it is JavaScript.
TURNS = """
const end = process.cpuUsage().user + 600000;
(function turn() { if (process.cpuUsage().user < end) setImmediate(turn); })();
"""
STATES = ("(program)", "(idle)")


def is_script(frame):
    return bool(frame.file) or frame.name.startswith(("Builtin", "BytecodeHandler:"))


def report_sums(sums):
    print("  " + ", ".join(f"{name} {nanos / 1e6:.0f} ms" for name, nanos in sums.items()), file=sys.stderr)


class Options(NodeCase):
    def write_application(self):
        for name, function in (("lib/inner.js", "inner"), ("node_modules/dep/index.js", "dependency")):
            self.write(name, BURN % (function, function))
        return self.write("app.js", f"""
            {BURN % ("own", "own")}
            exports.own(100);
            require('./lib/inner.js').inner(100);
            require('dep').dependency(100);
            const {{ threadClock }} = require({OUTSIDE!r});
            for (const end = threadClock() + 100e6; threadClock() < end;);
        """)

    def files(self, **options):
        """The files of the application's functions, with |options|."""
        extra = {"OTEL_PROFILING_" + name: value for name, value in options.items()}
        result = self.profiled("--max-inlined-bytecode-size=0", self.write_application(), extra=extra.items())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        files = {name: {frame.file for frame in result.profiles.frames(name)}
                 for name in ("own", "inner", "dependency", "exports.threadClock")}
        return files, result.profiles

    def test_a_delayed_start_knows_what_runs_then(self):
        """Code of every tier is older than the first contact with V8."""
        script = self.write("late.js", BURN % ("work", "work") + BURN.replace("const cpu", "var late_cpu").replace("cpu()", "process.cpuUsage().user") % ("late", "late") + """
            while (process.uptime() < 3) exports.work(100);
            exports.work(500);
            exports.late(500);""")
        result = self.profiled("--max-inlined-bytecode-size=0", script,
                               extra=[("OTEL_PROFILING_START_DELAY_MS", "2000")])
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        total = result.profiles.total()
        under = {name: result.profiles.cumulative(name) / total for name in ("work", "late")}
        print(f"  {total / 1e6:.0f} of {result.cpu / 1e6:.0f} ms, " +
              ", ".join(f"under {name} {share:.1%}" for name, share in under.items()), file=sys.stderr)
        self.assertLess(total, result.cpu - 300e6, "two seconds of a busy process are left out")
        self.assertGreater(sum(under.values()), 0.9)

    def test_files_are_told_whole(self):
        files, _ = self.files()
        self.assertEqual(files, {
            "own": {f"{self.directory}/app.js"}, "inner": {f"{self.directory}/lib/inner.js"},
            "dependency": {f"{self.directory}/node_modules/dep/index.js"}, "exports.threadClock": {OUTSIDE}})

    def test_paths_are_shortened_to_the_working_directory(self):
        files, profiles = self.files(SHORTEN_PATHS="true")
        self.assertEqual(files, {
            "own": {"app.js"}, "inner": {"lib/inner.js"}, "dependency": {"node_modules/dep/index.js"},
            "exports.threadClock": {OUTSIDE}})
        frames = [frame for sample in profiles.samples for frame in sample.stack]
        self.assertTrue(any(frame.file.startswith("node:internal/") for frame in frames))

    def test_files_of_dependencies_are_left_out(self):
        files, _ = self.files(STRIP_FILENAMES="dependencies")
        self.assertEqual(files, {
            "own": {f"{self.directory}/app.js"}, "inner": {f"{self.directory}/lib/inner.js"},
            "dependency": {""}, "exports.threadClock": {OUTSIDE}})

    def test_all_files_are_left_out(self):
        files, profiles = self.files(STRIP_FILENAMES="all")
        self.assertEqual(set(map(frozenset, files.values())), {frozenset([""])})
        scripts = [frame for sample in profiles.samples for frame in sample.stack if not frame.mapping]
        self.assertEqual({frame.file for frame in scripts if frame.file.startswith("/")}, set())

    def tiers(self, *flags, settled=100, **options):
        """Samples by the tier that they are said to be in, of those that run the burning function itself."""
        extra = {"OTEL_PROFILING_" + name: value for name, value in options.items()}
        program = self.write("tier.js", BURN % ("own", "own") + SETTLE % settled + "exports.own(450);")
        result = self.profiled(*(flag for flag in flags if is_known(flag)), program, extra=extra.items())
        # Node 16 warns of --jitless with a flag of its own.
        warnings = re.sub("Warning: disabling flag .*\n", "", result.stderr)
        self.assertEqual((result.returncode, warnings), (0, ""))
        tiers = collections.Counter()
        for sample in result.profiles.samples:
            innermost = next((frame.name for frame in sample.stack if frame.file), None)
            if innermost == "own":
                tiers[sample.labels.get("v8.tier")] += sample.count
            elif innermost is None and not any(map(is_script, sample.stack)):
                self.assertNotIn("v8.tier", sample.labels, sample.stack)
        print(f"  {' '.join(flags)}: {dict(tiers)}", file=sys.stderr)
        self.assertGreater(sum(tiers.values()), 80)
        return tiers

    def assert_tier(self, tier, *flags, limit=0.95):
        tiers = self.tiers(*flags, TIER_LABEL="true")
        self.assertGreaterEqual(tiers[tier], limit * sum(tiers.values()), tiers)

    def test_the_tier_is_told_when_asked_for(self):
        self.assert_tier("ignition", "--jitless")
        self.assert_tier("ignition", "--no-opt", "--no-sparkplug", "--no-maglev")
        self.assert_tier("sparkplug", "--no-opt", "--no-maglev", "--always-sparkplug", limit=0.9)
        self.assert_tier("turbofan", "--no-maglev", limit=0.9)
        if node_major() >= 24:
            self.assert_tier("maglev", "--no-opt", limit=0.9)
        self.assertEqual(set(self.tiers()), {None})

    def test_the_tier_of_code_from_before_the_profiler_is_told(self):
        for _ in range(4):
            tiers = self.tiers("--no-maglev", settled=0, TIER_LABEL="true")
            self.assertGreaterEqual(tiers["turbofan"], 0.9 * sum(tiers.values()), tiers)


class Words(NodeCase):
    def test_threads_are_called_by_what_they_do(self):
        result = self.profiled(THREADS, MILLIS)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        profiles = result.profiles
        names = collections.Counter()
        for (tid, name), nanos in profiles.threads().items():
            names[name] += nanos
            self.assertEqual(name == "main", tid == result.pid, name)
        report_sums(names)
        given = node_major() >= 24
        workers = {"alphaWork": "worker 1 (alpha)" if given else "worker 1",
                   "betaWork": "worker 2 (beta)" if given else "worker 2"}
        for function, name in {**workers, "mainWork": "main"}.items():
            found = {sample.labels["thread.name"] for sample in profiles.stacks_of(function)}
            self.assertEqual(found, {name}, function)
        hashing = {sample.labels["thread.name"] for sample in profiles.samples
                   if any(frame.name.startswith("sha512_block") for frame in sample.stack)}
        self.assertEqual(hashing, {"libuv-worker"})
        self.assertGreater(names["V8Worker"], 0)
        self.assertLessEqual(set(names), {"main", *workers.values(), "libuv-worker", "V8Worker", "otelprof",
                                          "DelayedTaskScheduler", "SignalInspector"})

    def test_time_without_javascript_is_idle_or_the_program(self):
        result = self.profiled(self.write("turns.js", TURNS), interval_micros=1000)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        sums = collections.Counter()
        for sample in result.profiles.samples:
            if sample.labels.get("thread.name") != "main" or not sample.count:
                continue
            names = [frame.name for frame in sample.stack]
            state = names[-1] if names[-1] in STATES else None
            self.assertFalse(set(names[:-1]) & set(STATES), "it is the root, or nowhere")
            if any(map(is_script, sample.stack)):
                self.assertIsNone(state, names)
            elif "uv_run" in names and "(garbage collector)" not in names:
                self.assertIsNotNone(state, names)
            if state == "(idle)":
                # The loop's own waiting: only libc is under its poll.
                inner = sample.stack[:names.index("uv__io_poll")]
                self.assertTrue(all("node" not in os.path.basename(frame.mapping) for frame in inner), names)
            sums[state] += sample.nanos
        report_sums(sums)
        self.assertGreater(sums["(idle)"], 20e6)
        self.assertGreater(sums["(program)"], 20e6)
        self.assertGreater(sums[None], 20e6)

    def test_a_server_without_requests_uses_next_to_nothing(self):
        program = self.write("server.js", """
            const server = require('http').createServer();
            const used = () => { const t = process.cpuUsage(); return t.user + t.system; };
            server.listen(0, '127.0.0.1', () => {
                const begin = used();
                setTimeout(() => { console.log(begin, used()); server.close(); }, 1000);
            });""")
        result = self.profiled(program, interval_micros=1000)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        begin, end = map(int, result.stdout.split())
        self.assert_total(result, end)
        listening = sum(s.nanos for s in result.profiles.samples if s.stack and s.stack[-1].name == "(idle)")
        self.assertLessEqual(listening, (end - begin) * 1e3 + 2e6)
