# SPDX-License-Identifier: Apache-2.0
"""The profilers that are compared, and how each is put into a program."""
import glob
import os
import shutil
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
HOOKS = os.path.join(HERE, "hooks")

# One big block that is freed moves glibc's dynamic thresholds and with them the program's own speed: unpinned
# pairs of the same program differed by up to 33 %. So all sides run with fixed ones.
PINNED = {"MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "1073741824",
          "MALLOC_TOP_PAD_": "16777216", "MALLOC_ARENA_MAX": "2"}

TITLES = {"null": "nothing (A/A)", "otelprof": "libotelprof, 100 Hz, file",
          "cpu-prof-10ms": "--cpu-prof, 10 ms", "cpu-prof": "--cpu-prof, its 1 ms",
          "perf-map": "--perf-basic-prof",
          "datadog": "@datadog/pprof 5.20.0, wall 10 ms",
          "coralogix": "@coralogix/…-profiling 0.2.0, OTLP"}


class Profilers:
    """Commands and environments by name ("none" is the base). |build|: a build directory of this project."""

    def __init__(self, build, names):
        self.names = names
        self.library = os.path.join(os.path.abspath(build), "libotelprof.so")
        if not os.path.exists(self.library):
            raise SystemExit(f"{self.library} is missing: build first")
        self.timed_library = os.path.join(os.path.abspath(build), "bench", "libotelprof_timed.so")
        self.directory = tempfile.mkdtemp(prefix="otelprof-bench-")
        fetched = subprocess.run([os.path.join(HERE, "packages", "fetch.sh")], check=True, text=True,
                                 stdout=subprocess.PIPE)
        self.modules = os.path.join(fetched.stdout.strip(), "node_modules")
        self.sink_log = os.path.join(self.directory, "sink.log")
        self.sink = None
        self.exports = 0  # that the sink had got when it was last looked at
        self.runs = 0

    def start_sink(self, node):
        """The collector that coralogix exports to; it runs outside of what is measured."""
        with open(self.sink_log, "w") as log:
            self.sink = subprocess.Popen([node, os.path.join(HOOKS, "sink.js")], stdout=log)
        while not os.path.getsize(self.sink_log):
            time.sleep(0.01)
        with open(self.sink_log) as log:
            self.sink_port = int(log.readline())
        self.exports = 0

    def stop_sink(self):
        if self.sink:
            self.sink.terminate()
            self.sink.wait()
        self.sink = None

    def close(self):
        self.stop_sink()
        shutil.rmtree(self.directory, ignore_errors=True)

    def new_output(self):
        """A directory for what one process writes."""
        self.runs += 1
        path = os.path.join(self.directory, str(self.runs))
        os.mkdir(path)
        return path

    @staticmethod
    def flags(name, output):
        cpu_prof = ["--cpu-prof", "--cpu-prof-dir", output]
        return {"cpu-prof": cpu_prof, "cpu-prof-10ms": [*cpu_prof, "--cpu-prof-interval", "10000"],
                "perf-map": ["--perf-basic-prof"], "datadog": ["-r", os.path.join(HOOKS, "datadog.js")],
                "coralogix": ["-r", os.path.join(HOOKS, "coralogix.js")]}.get(name, [])

    def environment(self, name, output):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OTEL", "NODE_", "LD_PRELOAD"))}
        env.update(PINNED, BENCH_OUT=output, BENCH_MODULES=self.modules)
        if name == "otelprof":
            env.update(LD_PRELOAD=self.library, OTEL_PROFILES_EXPORTER="file", OTEL_PROFILING_FILE_DIR=output)
        if name == "coralogix":
            env.update(OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{self.sink_port}")
        return env

    def check(self, name, output, pid):
        """Fails unless the profiler of a process that has ended made a profile: one that does not run costs
        nothing. Removes what was made."""
        if name in ("none", "null"):
            return
        if name == "coralogix":
            with open(self.sink_log) as log:
                exports = log.read().count("export")
            made, self.exports = exports > self.exports, exports
        else:
            patterns = [f"/tmp/perf-{pid}.map", f"{output}/**/*.pb.gz", f"{output}/*.cpuprofile"]
            made = any(glob.glob(pattern, recursive=True) for pattern in patterns)
        if not made:
            raise SystemExit(f"{name} made no profile of process {pid}")
        if name == "perf-map":
            os.remove(f"/tmp/perf-{pid}.map")
        shutil.rmtree(output)
