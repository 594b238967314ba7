# SPDX-License-Identifier: Apache-2.0
"""Figures of a warm program: a CPU-bound mix, an HTTP service, both in lock-step with an unprofiled twin."""
import statistics

from process import ON_CPU_0, ON_CPU_1, Program, lock_step
from profilers import TITLES
from report import progress, rotated, spread, table

HEAD = ["steady", "median unit", "whole, flushes included", "base", "RSS", "without files"]
REQUESTS = 4000  # a burst: about a quarter of a second


def measure_mix(profilers, name, node, seconds):
    base, other = (Program(profilers, n, node, "mix.js") for n in ("none", name))
    pair = lock_step(base, other, Program.ask, seconds)
    base.close()
    other.close()
    return pair


def measure_service(profilers, name, node, seconds):
    base, other = (Program(profilers, n, node, "server.js", ON_CPU_0) for n in ("none", name))
    load = Program(profilers, "none", node, "load.js", ON_CPU_1)
    ports = {process: process.read() for process in (base, other)}
    pair = lock_step(base, other, lambda process: load.ask(f"{ports[process]} {REQUESTS}"), seconds, REQUESTS)
    for process in (load, base, other):
        process.close()
    return pair


def compare(title, measure, profilers, node, pairs, seconds):
    results = {name: [] for name in profilers.names}
    for round_ in range(pairs):
        for name in rotated(profilers.names, round_):
            results[name].append(measure(profilers, name, node, seconds))
            progress(f"{title}, pair {round_ + 1}, {name}: {results[name][-1]}")
    rows = [[TITLES[name], spread([p.median for p in of], " %"), spread([p.whole for p in of], " %"),
             f"{statistics.median(p.base for p in of):.1f} us", spread([p.rss for p in of], " MB"),
             spread([p.anonymous for p in of], " MB")]
            for name, of in results.items()]
    table(f"{title}: CPU added, median [range] of {pairs} process pairs of {seconds} s", HEAD, rows)


def cpu(profilers, node, quick):
    compare("CPU-bound mix", measure_mix, profilers, node, *((2, 13) if quick else (6, 26)))


def http(profilers, node, quick):
    compare("HTTP service, a request", measure_service, profilers, node, *((2, 13) if quick else (6, 26)))
