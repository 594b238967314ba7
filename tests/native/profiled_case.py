# SPDX-License-Identifier: Apache-2.0
"""Programs run under the profiler, and their profiles read by protobuf's own Python classes, not by our reader."""
import gzip
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from measured import MeasuredCase, OutOfBounds

BUILD = os.path.abspath(os.environ.get("OTELPROF_BUILD_DIR", "build"))
LIBRARY = os.path.join(BUILD, "libotelprof.so")
PROTO = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../proto"))
SOAK = os.environ.get("OTELPROF_SOAK", "short")


def soak(short, full):
    """|full| when OTELPROF_SOAK=full, else |short|."""
    return full if SOAK == "full" else short


def load_message_class():
    with tempfile.TemporaryDirectory(prefix="otelprof-proto-") as directory:
        subprocess.run(["protoc", "-I", PROTO, "--python_out", directory, "pprof.proto"], check=True)
        sys.path.insert(0, directory)
        try:
            import pprof_pb2
        finally:
            sys.path.remove(directory)
    return pprof_pb2.Profile


Message = load_message_class()


class Sample:
    """One sample: function names leaf first, values, labels."""

    def __init__(self, names, count, cpu, labels):
        self.names, self.count, self.cpu, self.labels = names, count, cpu, labels

    def has(self, name):
        return name in self.names


class Profile:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.message = Message.FromString(gzip.decompress(file.read()))
        m = self.message
        text = m.string_table
        self.pid = int(os.path.basename(path).split(".pb")[0].split("Z-")[-1].split("-")[0])
        self.duration = m.duration_nanos
        self.time = m.time_nanos
        self.comments = [text[i] for i in m.comment]
        functions = {f.id: text[f.name] for f in m.function}
        names = {l.id: [functions[line.function_id] for line in l.line] for l in m.location}
        self.samples = []
        for s in m.sample:
            labels = {text[l.key]: text[l.str] if l.str else l.num for l in s.label}
            stack = [name for id in s.location_id for name in names[id]]
            self.samples.append(Sample(stack, s.value[0], s.value[1], labels))

    def dropped(self):
        pairs = (c[len("dropped: "):].split("=") for c in self.comments if c.startswith("dropped: "))
        return {cause: int(count) for cause, count in pairs}


class Run:
    """A finished program: returncode, out, err, profiles (in the order of time)."""

    def __init__(self, returncode, out, err, directory, duration):
        self.returncode, self.out, self.err, self.duration = returncode, out, err, duration
        self.profiles = []
        for root, _, files in os.walk(directory):
            for name in files:
                assert name.endswith(".pb.gz") and not name.startswith("."), "a file left behind: " + name
                self.profiles.append(Profile(os.path.join(root, name)))
        self.profiles.sort(key=lambda p: (p.time, p.path))

    def of(self, pid):
        return [p for p in self.profiles if p.pid == pid]

    def lines(self, word):
        """The lines of the output that begin with |word|, as lists of the other words."""
        rows = (line.split() for line in self.out.splitlines())
        return [row[1:] for row in rows if row and row[0] == word]

    def used(self):
        """(ns of CPU at the start of main, ns at its end), by getrusage in the program."""
        begin, end = self.lines("used")[-1]
        return int(begin), int(end)


def samples_of(profiles):
    return [s for p in profiles for s in p.samples]


def total(profiles):
    return sum(s.cpu for s in samples_of(profiles))


def cumulative(profiles, name):
    """ns in samples with |name| anywhere in the stack, each once."""
    return sum(s.cpu for s in samples_of(profiles) if s.has(name))


def by_function(profiles):
    sums = defaultdict(int)
    for s in samples_of(profiles):
        for name in set(s.names):
            sums[name] += s.cpu
    return sums


def standard_error(profiles, share):
    """Of a share found by the sampling: ticks of different weight count by their weight."""
    squares = sum(s.cpu * s.cpu / s.count for s in samples_of(profiles) if s.count)
    whole = total(profiles)
    return math.sqrt(share * (1 - share) * squares) / whole if whole else 1.0


class ShareError(OutOfBounds):
    """A share is further from the truth than chance allows (three times in a thousand)."""


class ProfiledCase(MeasuredCase):
    fixtures = "native"  # directory of the test programs in the build directory

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="otelprof-test-")
        os.chmod(self.directory, 0o755)
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def fixture(self, name):
        return os.path.join(BUILD, "tests", self.fixtures, name)

    def plain_environment(self):
        return {k: v for k, v in os.environ.items() if not k.startswith(("OTEL_", "LD_PRELOAD", "OTELPROF_"))}

    def environment(self, program, interval=4000, **options):
        """The variables of a process that profiles |program| into self.profile_dir()."""
        env = self.plain_environment()
        env.update(LD_PRELOAD=LIBRARY, OTEL_PROFILING_INCLUDE=os.path.basename(program),
                   OTEL_PROFILES_EXPORTER="file", OTEL_PROFILING_FILE_DIR=self.profile_dir(),
                   OTEL_SERVICE_NAME="test", OTEL_PROFILING_EXIT_TIMEOUT_MS="5000",
                   OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS=str(interval))
        env.update({"OTEL_PROFILING_" + k.upper(): str(v) for k, v in options.items()})
        return env

    def profile_dir(self):
        return os.path.join(self.directory, "profiles")

    def execute(self, command, env, deadline, **options):
        """Runs to the end; a program that passes its deadline fails the test."""
        import time
        start = time.monotonic()
        result = subprocess.run([str(word) for word in command], env=env, timeout=deadline, cwd=self.directory,
                                capture_output=True, text=True, errors="replace", **options)
        return Run(result.returncode, result.stdout, result.stderr, self.profile_dir(), time.monotonic() - start)

    def plain(self, name, *arguments, deadline=60, **options):
        """The same program without us."""
        return self.execute([self.fixture(name), *arguments], self.plain_environment(), deadline, **options)

    def profile(self, name, *arguments, deadline=60, interval=4000, options=None, **process):
        env = self.environment(name, interval, **(options or {}))
        return self.execute([self.fixture(name), *arguments], env, deadline, **process)

    def assert_clean(self, run, code=0):
        self.assertEqual((run.returncode, run.err), (code, ""), run.out[-500:])

    def assert_total(self, run, profiles=None, slack=0.0, share=0.005):
        """The CPU total of the profiles is what getrusage said, within 0.5 %; |slack|: ns more."""
        profiles = run.profiles if profiles is None else profiles
        begin, end = run.used()
        found = total(profiles)
        error = (found - (end - begin)) / (end - begin)
        self.assertLessEqual(abs(found - (end - begin)), share * (end - begin) + slack,
                             f"profile {found / 1e6:.1f} ms, getrusage {(end - begin) / 1e6:.1f} ms "
                             f"(+ {begin / 1e6:.1f} before main): {error:+.2%}")
        return error

    def assert_share(self, profiles, name, expected, points=0.01):
        """The cumulative share of |name| in what was sampled, within a point or three standard errors."""
        found = cumulative(profiles, name) / (total(profiles) - cumulative(profiles, "[unsampled]"))
        tolerance = max(points, 3 * standard_error(profiles, expected))
        if abs(found - expected) > tolerance:
            raise ShareError(f"{name}: {found:.2%} in the profile, {expected:.2%} by its clock, "
                             f"tolerance {tolerance:.2%}")
        return found - expected


def report(text):
    """A figure for the log of the test run."""
    print("    " + text, file=sys.stderr, flush=True)
