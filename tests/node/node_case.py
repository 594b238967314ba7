# SPDX-License-Identifier: Apache-2.0
"""What the Node tests stand on: one Node binary (OTELPROF_NODE), run with and without the library of OTELPROF_BUILD_DIR,
and a reader of its profiles that shares no code with the project: classes made by protoc of proto/pprof.proto."""
import collections
import functools
import glob
import gzip
import importlib
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from measured import MeasuredCase

ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = os.path.join(HERE, "programs")
BUILD = os.path.abspath(os.environ.get("OTELPROF_BUILD_DIR", os.path.join(ROOT, "build")))
LIBRARY = os.path.join(BUILD, "libotelprof.so")
OTELPROF = os.path.join(BUILD, "otelprof")
NODE = os.environ.get("OTELPROF_NODE", "node")
FULL = os.environ.get("OTELPROF_SOAK") == "full"

# A function of node's own C++ that is in every stack of the main thread.
NODE_START = "node::Start(int, char**)"
INVENTED = ("[otelprof]", "[unsampled]", "[truncated]")


@functools.lru_cache(None)
def node_major():
    version = subprocess.run([NODE, "--version"], capture_output=True, text=True, timeout=30, check=True).stdout
    return int(re.match(r"v(\d+)\.", version).group(1))


@functools.lru_cache(None)
def pprof_classes():
    directory = tempfile.mkdtemp(prefix="otelprof-protoc-")
    try:
        subprocess.run(["protoc", f"--proto_path={ROOT}/proto", f"--python_out={directory}", "pprof.proto"], check=True,
                       timeout=60)
        sys.path.insert(0, directory)
        return importlib.import_module("pprof_pb2")
    finally:
        sys.path.remove(directory)
        shutil.rmtree(directory)


Frame = collections.namedtuple("Frame", "name file start_line line column address mapping")
Sample = collections.namedtuple("Sample", "stack count nanos labels")  # stack: Frames, leaf first


class Profile:
    """One profile, resolved."""

    def __init__(self, path):
        self.path = path
        with gzip.open(path) as file:
            message = pprof_classes().Profile.FromString(file.read())
        text = message.string_table
        types = [(text[t.type], text[t.unit]) for t in message.sample_type]
        assert types == [("samples", "count"), ("cpu", "nanoseconds")], types
        functions = {f.id: f for f in message.function}
        mappings = {m.id: text[m.filename] for m in message.mapping}
        self.mappings = [text[m.filename] for m in message.mapping]
        self.period, self.time, self.duration = message.period, message.time_nanos, message.duration_nanos
        self.comments = [text[c] for c in message.comment]
        frames = {}
        for location in message.location:
            lines = [(functions[line.function_id], line) for line in location.line]
            frames[location.id] = [Frame(text[f.name], text[f.filename], f.start_line, line.line, line.column,
                                         location.address, mappings.get(location.mapping_id, "")) for f, line in lines]
        self.samples = []
        for sample in message.sample:
            labels = {text[l.key]: text[l.str] if l.str else l.num for l in sample.label}
            stack = [frame for location in sample.location_id for frame in frames[location]]
            self.samples.append(Sample(stack, *sample.value, labels))

    def resource(self):
        return dict(c[len("resource: "):].split("=", 1) for c in self.comments if c.startswith("resource: "))

    def drops(self):
        return {k: int(v) for k, v in (c[len("dropped: "):].split("=") for c in self.comments if c.startswith("dropped: "))}


class Profiles:
    """All profiles of a directory, as one."""

    def __init__(self, directory):
        self.paths = sorted(glob.glob(os.path.join(directory, "**", "*.pb.gz"), recursive=True))
        self.profiles = [Profile(path) for path in self.paths]
        self.samples = [sample for profile in self.profiles for sample in profile.samples]

    def total(self):
        return sum(sample.nanos for sample in self.samples)

    def count(self):
        return sum(sample.count for sample in self.samples)

    def drops(self):
        return sum((collections.Counter(profile.drops()) for profile in self.profiles), collections.Counter())

    def of_pid(self, pid):
        part = Profiles.__new__(Profiles)
        part.profiles = [p for p in self.profiles if p.resource()["process.pid"] == str(pid)]
        part.paths = [p.path for p in part.profiles]
        part.samples = [sample for profile in part.profiles for sample in profile.samples]
        return part

    def pids(self):
        return {int(profile.resource()["process.pid"]) for profile in self.profiles}

    def self_time(self, name):
        return sum(s.nanos for s in self.samples if s.stack and s.stack[0].name == name)

    def cumulative(self, name, **labels):
        """ns of the samples with a function |name| in the stack; recursion counts once."""
        return sum(s.nanos for s in self.samples if any(f.name == name for f in s.stack)
                   and all(s.labels.get(k) == v for k, v in labels.items()))

    def stacks_of(self, name):
        return [s for s in self.samples if any(f.name == name for f in s.stack)]

    def frames(self, name):
        return [frame for sample in self.samples for frame in sample.stack if frame.name == name]

    def names(self):
        return {frame.name for sample in self.samples for frame in sample.stack}

    def threads(self):
        """ns by (thread.id, thread.name)."""
        threads = collections.Counter()
        for s in self.samples:
            if "thread.id" in s.labels:
                threads[int(s.labels["thread.id"]), s.labels.get("thread.name", "")] += s.nanos
        return threads

    def has_chain(self, *names):
        """True if one stack has all |names|, in this order from leaf to root, with anything between."""
        for sample in self.samples:
            found = iter(frame.name for frame in sample.stack)
            if all(any(name == frame for frame in found) for name in names):
                return True
        return False


Result = collections.namedtuple("Result", "returncode stdout stderr profiles cpu wall pid")


def clean_environment(**extra):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("OTEL_", "OTELPROF_", "NODE_", "npm_")) and k not in ("LD_PRELOAD", "PYTHONDONTWRITEBYTECODE")}
    env.update(extra)
    return env


class NodeCase(MeasuredCase):
    maxDiff = 4000

    def setUp(self):
        self.assertTrue(os.path.exists(LIBRARY), LIBRARY)
        self.directory = tempfile.mkdtemp(prefix="otelprof-node-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.profile_directory = os.path.join(self.directory, "profiles")

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        return path

    def preload(self, interval_micros=4000, **extra):
        return clean_environment(**{"LD_PRELOAD": LIBRARY, "OTEL_PROFILES_EXPORTER": "file",
                                    "OTEL_PROFILING_FILE_DIR": self.profile_directory,
                                    # The last window is there, however busy the machine is.
                                    "OTEL_PROFILING_EXIT_TIMEOUT_MS": "10000",
                                    "OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS": str(interval_micros), **extra})

    def start(self, *arguments, env=None, **options):
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        process = subprocess.Popen([NODE, *arguments], env=env or self.preload(), cwd=self.directory, text=True, **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
            process.wait()
        for stream in (process.stdout, process.stderr, process.stdin):
            if stream:
                stream.close()

    def finish(self, process, timeout=60):
        """Waits for |process|, and reads what it printed and profiled. cpu: ns as the kernel counted them, children's
        included."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.monotonic()
        out, err = process.communicate(timeout=timeout)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e9
        return Result(process.returncode, out, err, Profiles(self.profile_directory), cpu, time.monotonic() - started,
                      process.pid)

    def profiled(self, *arguments, timeout=60, interval_micros=4000, extra=(), **options):
        shutil.rmtree(self.profile_directory, ignore_errors=True)
        return self.finish(self.start(*arguments, env=self.preload(interval_micros, **dict(extra)), **options), timeout)

    def plain(self, *arguments, timeout=60, extra=(), **options):
        env = clean_environment(**dict(extra))
        result = subprocess.run([NODE, *arguments], env=env, cwd=self.directory, capture_output=True, text=True,
                                timeout=timeout, **options)
        return result

    def same_with_and_without(self, *arguments, timeout=60, **options):
        """The profiled run, after its exit code, stdout and stderr were found to be those of a run without the library."""
        plain = self.plain(*arguments, timeout=timeout, **options)
        result = self.profiled(*arguments, timeout=timeout, **options)
        self.assertEqual((result.returncode, self.steady(result.stdout), self.steady(result.stderr)),
                         (plain.returncode, self.steady(plain.stdout), self.steady(plain.stderr)))
        return result

    @staticmethod
    def steady(text):
        """|text| without what differs from run to run: process ids in warnings, the names of npm's logs."""
        return re.sub(r"[\dT_-]+Z-debug-\d+\.log", "TIME.log", re.sub(r"\(node:\d+\)", "(node:PID)", text))

    def assert_named(self, profiles, limit=0.01):
        """At most |limit| of the time has [unknown] for its leaf."""
        unknown = profiles.self_time("[unknown]")
        self.assertLessEqual(unknown, limit * profiles.total(), f"{unknown / 1e6:.0f} ms of {profiles.total() / 1e6:.0f}")

    def assert_nothing_lost(self, profiles):
        lost = {cause: n for cause, n in profiles.drops().items()
                if n and not cause.startswith(("stacks_truncated", "stacks_unknown"))}
        self.assertEqual(lost, {})

    def assert_total(self, result, at_exit_micros):
        """The profile's total is the CPU time of the process: not less than the program read of its own clock at its
        exit (but for what passed before the library was loaded), not more than the kernel counted at the end."""
        total = result.profiles.total()
        note = f"profile {total / 1e6:.2f} ms, at exit {at_exit_micros / 1e3:.2f} ms, kernel {result.cpu / 1e6:.2f} ms"
        print(f"  total: {note}", file=sys.stderr)
        self.assertGreaterEqual(total, at_exit_micros * 1e3 * 0.995 - 5e6, note)
        self.assertLessEqual(total, result.cpu * 1.005 + 1e6, note)
        return total


def standard_error(share, samples):
    """Of a share seen in |samples| samples."""
    return (share * (1 - share) / samples) ** 0.5
