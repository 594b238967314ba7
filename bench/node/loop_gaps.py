# SPDX-License-Identifier: Apache-2.0
"""The longest times in which the event loop of a busy HTTP service did not turn."""
import json
import statistics
import time

from process import Program
from profilers import TITLES
from report import progress, rotated, table


def measure(profilers, name, node, seconds):
    """The longest three by part and clock, ms."""
    server = Program(profilers, name, node, "server.js")
    load = Program(profilers, "none", node, "load.js")
    port = server.read()
    server.ask("watch")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        load.ask(f"{port} 2000")
    found = json.loads(server.ask("gaps"))
    load.close()
    server.close()
    return found


def gaps(profilers, node, quick):
    rounds, seconds = (1, 22) if quick else (5, 22)
    results = {name: [] for name in ["none", *profilers.names]}
    for round_ in range(rounds):
        for name in rotated(list(results), round_):
            results[name].append(measure(profilers, name, node, seconds))
            progress(f"gaps, round {round_ + 1}, {name}: {results[name][-1]}")

    def longest(name, part, clock):
        columns = zip(*(one[part][clock] for one in results[name]))
        return ", ".join(f"{statistics.median(column):.1f}" for column in columns)
    rows = [[TITLES.get(name, "nothing"),
             *(longest(name, part, clock) for part in ("first", "later") for clock in ("cpu", "wall"))]
            for name in results]
    table(f"The longest gaps of the event loop, HTTP service, {seconds} s, ms, medians of {rounds}",
          ["", "first second of load, CPU", "wall", "after, CPU", "wall"], rows)
