# SPDX-License-Identifier: Apache-2.0
"""Programs under a profiler: run as a whole, or kept and given work in turns with a twin that has none."""
import os
import statistics
import subprocess
import time
from collections import namedtuple

from profilers import PROGRAMS

ON_CPU_0, ON_CPU_1 = ("taskset", "-c", "0"), ("taskset", "-c", "1")  # the service, its load
Whole = namedtuple("Whole", "cpu wall peak stdout started")  # ms, ms, MB; started: monotonic ns


def run_whole(profilers, name, node, *arguments, check=True):
    """Runs a program to its end. |check|: it runs long enough for every profiler to have made a profile."""
    output = profilers.new_output()
    started = time.monotonic_ns()
    process = subprocess.Popen([node, *profilers.flags(name, output), *arguments], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, text=True, cwd=output,
                               env=profilers.environment(name, output))
    with process.stdout:
        stdout = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic_ns() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{name}: {arguments} ended with {process.returncode}: {stdout[-500:]}")
    # Coralogix exports in its interval only.
    if check and name != "coralogix":
        profilers.check(name, output, process.pid)
    elif name == "perf-map":
        os.remove(f"/tmp/perf-{process.pid}.map")
    return Whole(1e3 * (usage.ru_utime + usage.ru_stime), wall / 1e6, usage.ru_maxrss / 1024, stdout, started)


class Program:
    """A program of programs/ that answers each line of its input with one line."""

    def __init__(self, profilers, name, node, script, prefix=(), **environment):
        self.profilers, self.name = profilers, name
        self.output = profilers.new_output()
        self.process = subprocess.Popen(
            [*prefix, node, *profilers.flags(name, self.output), os.path.join(PROGRAMS, script)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self.output,
            env={**profilers.environment(name, self.output), **environment})
        # The clock that clock_getcpuclockid() gives: all threads of the process, exact, readable from
        # outside.
        self.clock = (~self.process.pid << 3) | 2

    def ask(self, line=""):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.read()

    def read(self):
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.name}: the program ended with {self.process.wait()}")
        return answer.strip()

    def cpu(self):
        """ns of CPU that the process has used."""
        return time.clock_gettime_ns(self.clock)

    def memory(self):
        """MB that are in memory now: (all, without mapped files)."""
        with open(f"/proc/{self.process.pid}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        return tuple(int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon"))

    def close(self, check=True):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait(30)
        self.process.stdout.close()
        if check:
            self.profilers.check(self.name, self.output, self.process.pid)


Pair = namedtuple("Pair", "median whole base rss anonymous")  # %, %, us a unit, MB, MB


def lock_step(base, other, work, seconds, size=1):
    """Both processes live at the same time and do a unit in turn (ABBA), so that the machine's drift meets
    both; what a process does while the other works (drains, flushes) is its cost as well. |work|(process)
    does |size| things."""
    for process in (base, other) * 3:
        work(process)
    ratios, units = [], []
    first = base.cpu(), other.cpu()
    end = time.monotonic() + seconds
    before = first
    while time.monotonic() < end:
        for process in (base, other) if len(units) % 2 == 0 else (other, base):
            work(process)
        now = base.cpu(), other.cpu()
        units.append((now[0] - before[0]) / 1e3 / size)
        ratios.append(100 * ((now[1] - before[1]) / (now[0] - before[0]) - 1))
        before = now
    whole = 100 * ((before[1] - first[1]) / (before[0] - first[0]) - 1)
    return Pair(statistics.median(ratios), whole, statistics.median(units),
                *(ours - its for ours, its in zip(other.memory(), base.memory())))
