# SPDX-License-Identifier: Apache-2.0
"""The profilers that the Node benches compare, and how each is put into a program."""
import os
import shutil
import subprocess
import tempfile

# One big block that is freed moves glibc's dynamic thresholds and with them the program's own speed: unpinned pairs of the
# same program differed by up to 33 % here. So both sides run with fixed ones.
PINNED = {"MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "1073741824", "MALLOC_TOP_PAD_": "16777216",
          "MALLOC_ARENA_MAX": "2"}

# As its README says; a full flush every 10 s, as our window is 10 s.
DATADOG = """'use strict';
const { time, encode } = require(%r);
const fs = require('fs');
time.start({ intervalMicros: 10000, durationMillis: 10000 });
let number = 0;
const flush = (restart) => fs.writeFileSync(`${process.env.BENCH_OUT}/dd-${process.pid}-${number++}.pb.gz`,
  require('zlib').gzipSync(time.stop(restart).encode()));
setInterval(() => flush(true), 10000).unref();
process.prependListener('exit', () => flush(false)); // before the library's own
"""


class Peers:
    """Commands and environments by name. |build|: a build directory of this project; |node|: the binary to profile."""

    def __init__(self, build, node):
        self.library = os.path.join(os.path.abspath(build), "libotelprof.so")
        if not os.path.exists(self.library):
            raise SystemExit(f"{self.library} is missing: build first")
        self.node = node
        self.directory = tempfile.mkdtemp(prefix="otelprof-bench-")
        self.names = {"none": "no profiler", "null": "no profiler (A/A)", "otelprof": "libotelprof, 100 Hz, file sink",
                      "cpu-prof": "node --cpu-prof, 10 ms"}

    def install_datadog(self):
        subprocess.run(["npm", "i", "--silent", "--no-audit", "--no-fund", "@datadog/pprof@5.20.0"], cwd=self.directory,
                       check=True, timeout=300, stdout=subprocess.DEVNULL)
        self.datadog = os.path.join(self.directory, "datadog.js")
        with open(self.datadog, "w") as file:
            file.write(DATADOG % os.path.join(self.directory, "node_modules", "@datadog", "pprof"))
        self.names["ddpprof"] = "@datadog/pprof 5.20.0, wall, 10 ms"

    def close(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def command(self, peer, *arguments):
        flags = {"cpu-prof": ["--cpu-prof", "--cpu-prof-interval", "10000", "--cpu-prof-dir", self.directory],
                 "ddpprof": ["-r", getattr(self, "datadog", "")]}.get(peer, [])
        return [self.node, *flags, *arguments]

    def environment(self, peer):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OTEL", "NODE_")) and k != "LD_PRELOAD"}
        env.update(PINNED, BENCH_OUT=self.directory)
        if peer == "otelprof":
            env.update(LD_PRELOAD=self.library, OTEL_PROFILES_EXPORTER="file", OTEL_PROFILING_FILE_DIR=self.directory)
        return env


def table(head, rows):
    """A Markdown table."""
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines)
