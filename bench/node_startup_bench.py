#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a profiler adds to the start of a Node program that ends at once: CPU, wall clock, peak memory.

Rounds in a new order each time; differences are taken within a round. Two more rows show a program that stands down.
"""
import argparse
import os
import random
import statistics
import subprocess
import time

from node_peers import Peers, table


def run(command, env):
    """ms of CPU, ms of wall clock, MB of peak memory."""
    start = time.monotonic()
    process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return 1e3 * (usage.ru_utime + usage.ru_stime), 1e3 * wall, usage.ru_maxrss / 1024


def spread(values, digits=1):
    return f"{statistics.median(values):+.{digits}f} [{min(values):+.{digits}f} .. {max(values):+.{digits}f}]"


def measure(names, rounds, run_one):
    results = {name: [] for name in names}
    for name in names:
        run_one(name)  # warms the page cache
    for _ in range(rounds):
        for name in random.sample(names, len(names)):
            results[name].append(run_one(name))
    return results


def rows_of(results, titles, base="none"):
    for name, values in results.items():
        if name == base:
            continue
        deltas = [[v - b for v, b in zip(value, against)] for value, against in zip(values, results[base])]
        yield [titles[name], spread([d[0] for d in deltas]), spread([d[1] for d in deltas]), spread([d[2] for d in deltas])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--node", default="node")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--peers", default="null,otelprof,cpu-prof,ddpprof")
    options = parser.parse_args()
    peers, names = Peers(options.build, options.node), ["none", *options.peers.split(",")]
    try:
        if "ddpprof" in names:
            peers.install_datadog()
        script = os.path.join(peers.directory, "empty.js")
        with open(script, "w") as file:
            file.write("0;\n")
        results = measure(names, options.rounds, lambda name: run(peers.command(name, script), peers.environment(name)))
        base = results["none"]
        version = subprocess.run([peers.node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        print(f"An empty script, Node {version}, n={options.rounds}: median [min .. max] of what is added to "
              f"{statistics.median(b[0] for b in base):.0f} ms of CPU, {statistics.median(b[1] for b in base):.0f} ms, "
              f"{statistics.median(b[2] for b in base):.0f} MB\n")
        head = ["", "CPU ms", "wall ms", "peak RSS MB"]
        print(table(head, rows_of(results, peers.names)))

        aside = measure(["none", "null", "otelprof"], 10 * options.rounds,
                        lambda name: run(["/bin/true"], peers.environment(name)))
        print(f"\n/bin/true, which stands down, n={10 * options.rounds}: median of what is added to "
              f"{statistics.median(b[1] for b in aside['none']):.2f} ms\n")
        rows = [[peers.names[name], *(f"{statistics.median(v[i] - b[i] for v, b in zip(aside[name], aside['none'])):+.2f}"
                                      for i in range(3))] for name in ("null", "otelprof")]
        print(table(head, rows))
    finally:
        peers.close()


if __name__ == "__main__":
    main()
