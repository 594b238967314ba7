#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the library adds to the start of a program: one it leaves alone, a small one it profiles, Node.

    bench/startup/run.py --build build [--node PATH]... [--rounds N] [--profilers NAME,...]

Each round runs every variant once, and the next round in the other order (ABBA), so that drift meets all alike; the
difference to the program without anything is taken within a round. The figure is the median of all rounds (300), the
range that of the medians of ten parts of them. The row "nothing (A/A)" is the program compared with itself: a
difference within its range is none. The rows of Node are those of bench/node, with the same variables; its time is
that until the first line of the script, the whole includes the end and the last window. CPU is the kernel's sum.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../node"))

from process import run_whole  # noqa: E402
from profilers import PROGRAMS, TITLES, Profilers  # noqa: E402
from report import progress, table  # noqa: E402

PARTS = 10
QUIET = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]


def spawn(arguments, environment):
    """(wall ms, CPU ms) from the start of a program to its end."""
    began = time.monotonic_ns()
    pid = os.posix_spawn(arguments[0], arguments, environment, file_actions=QUIET)
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic_ns() - began
    if status:
        raise SystemExit(f"{arguments} ended with status {status:#x}")
    return wall / 1e6, 1e3 * (usage.ru_utime + usage.ru_stime)


def measure(title, variants, rounds):
    """Figures of |variants|, functions by name, a list of one tuple a round each."""
    results = {name: [] for name in variants}
    for round_ in range(rounds + 1):
        for name in list(variants)[::1 if round_ % 2 else -1]:
            figures = variants[name]()
            if round_:  # the first warms the page cache
                results[name].append(figures)
        if round_ % 50 == 0:
            progress(f"{title}: round {round_} of {rounds}")
    return results


def cell(differences):
    """median [range of the parts' medians]"""
    parts = [statistics.median(differences[i::PARTS]) for i in range(PARTS)]
    return f"{statistics.median(differences):+.2f} [{min(parts):+.2f} .. {max(parts):+.2f}]"


def print_table(title, head, results):
    base = results["none"]
    figures = range(len(head))
    rows = [[TITLES.get(name, name), *(cell([one[i] - two[i] for one, two in zip(of, base)]) for i in figures)]
            for name, of in results.items() if name != "none"]
    medians = [f"{statistics.median(one[i] for one in base):.2f}" for i in figures]
    table(f"{title}, n={len(base)}: added to {' / '.join(medians)} ms", ["ms", *head], rows)


def native(profilers, title, arguments, rounds, **ours):
    clean = profilers.environment("none", profilers.directory)
    preloaded = {**clean, "LD_PRELOAD": profilers.library, **ours}
    variants = {"none": lambda: spawn(arguments, clean), "null": lambda: spawn(arguments, clean),
                "libotelprof": lambda: spawn(arguments, preloaded)}
    print_table(title, ["wall", "CPU"], measure(title, variants, rounds))


def node_start(profilers, node, rounds):
    script = os.path.join(PROGRAMS, "first_line.js")

    def variant(name):
        def run():
            whole = run_whole(profilers, name, node, script, check=False)
            at, cpu = map(int, whole.stdout.split())
            return (at - whole.started) / 1e6, cpu / 1e6, whole.wall, whole.cpu
        return run

    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    variants = {name: variant(name) for name in ["none", *profilers.names]}
    head = ["until the first line", "CPU of the main thread until then", "whole", "CPU of the whole"]
    print_table(f"Node {version}", head, measure(version, variants, rounds))


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--build", default="build")
    parser.add_argument("--node", action="append", default=[], help="a binary; may be given more than once")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--profilers", default="null,otelprof,datadog", help="rows of Node")
    options = parser.parse_args()
    profilers = Profilers(options.build, options.profilers.split(","))
    output = profilers.new_output()
    small = os.path.join(os.path.abspath(options.build), "tests", "hazards", "burners")
    ours = {"OTEL_PROFILING_INCLUDE": "burners", "OTEL_PROFILES_EXPORTER": "file", "OTEL_PROFILING_FILE_DIR": output}
    try:
        print(f"load average {os.getloadavg()[0]:.1f}")
        native(profilers, "/bin/true, left alone", ["/bin/true"], options.rounds)
        native(profilers, "a small C program, profiled", [small, "0", "0"], options.rounds, **ours)
        native(profilers, "the same, using 30 ms, with its profile written", [small, "0", "30"], options.rounds, **ours)
        for name in options.node:
            node_start(profilers, os.path.abspath(shutil.which(name) or parser.error(f"{name} is no program")),
                       options.rounds)
    finally:
        profilers.close()


if __name__ == "__main__":
    main()
