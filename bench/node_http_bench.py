#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""CPU per request of an HTTP service in Node, with a profiler against without one.

Both servers of a pair live at the same time and answer bursts in turn (ABBA), so that the machine's drift meets both; a row
is the median over all burst pairs of several process pairs, with the range of the process pairs' medians. The row without a
profiler on either side (A/A) is the noise: a difference within its range is none.
"""
import argparse
import os
import statistics
import subprocess
import sys

from node_peers import Peers, table

HERE = os.path.dirname(os.path.abspath(__file__))


class Server:
    def __init__(self, peers, peer):
        command = peers.command(peer, os.path.join(HERE, "node_http_server.js"))
        self.process = subprocess.Popen(["taskset", "-c", "0", *command], env=peers.environment(peer), stdout=subprocess.PIPE,
                                        text=True, cwd=peers.directory)
        self.port = int(self.process.stdout.readline())

    def rss(self):
        """MB that the server has in memory now."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:")) / 1024

    def close(self):
        self.process.terminate()
        self.process.wait(20)


class Load:
    def __init__(self, peers):
        self.process = subprocess.Popen(["taskset", "-c", "1", peers.node, os.path.join(HERE, "node_http_load.js")], text=True,
                                        env=peers.environment("none"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def burst(self, server, requests):
        """us of CPU a request."""
        self.process.stdin.write(f"{server.port} {requests}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline()) / requests

    def close(self):
        self.process.stdin.close()
        self.process.wait(20)


def measure_pair(peers, peer, options):
    load, base, other = Load(peers), Server(peers, "none"), Server(peers, peer)
    try:
        for server in (base, other) * 2:
            load.burst(server, options.requests)
        ratios, bases = [], []
        for i in range(options.bursts):
            order = (base, other) if i % 2 == 0 else (other, base)
            cost = {server: load.burst(server, options.requests) for server in order}
            ratios.append(100 * (cost[other] / cost[base] - 1))
            bases.append(cost[base])
        return ratios, statistics.median(bases), other.rss() - base.rss()
    finally:
        load.close()
        base.close()
        other.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--node", default="node")
    parser.add_argument("--pairs", type=int, default=4, help="process pairs a row")
    parser.add_argument("--bursts", type=int, default=14, help="burst pairs a process pair")
    parser.add_argument("--requests", type=int, default=12000, help="requests a burst")
    parser.add_argument("--peers", default="null,otelprof,ddpprof,cpu-prof")
    options = parser.parse_args()
    peers, names = Peers(options.build, options.node), options.peers.split(",")
    try:
        if "ddpprof" in names:
            peers.install_datadog()
        results = {name: [] for name in names}
        for pair in range(options.pairs):
            # Each round another order, so that no row always comes after the same one.
            for name in names[pair % len(names):] + names[:pair % len(names)]:
                results[name].append(measure_pair(peers, name, options))
                print(f"pair {pair + 1} {name}: {statistics.median(results[name][-1][0]):+.1f} %", file=sys.stderr)
        rows = []
        for name in names:
            medians = [statistics.median(ratios) for ratios, _, _ in results[name]]
            every = [ratio for ratios, _, _ in results[name] for ratio in ratios]
            rows.append([peers.names[name], f"{statistics.median(every):+.1f} %",
                         f"{min(medians):+.1f} .. {max(medians):+.1f} %",
                         f"{statistics.median(base for _, base, _ in results[name]):.1f} us",
                         f"{statistics.median(rss for _, _, rss in results[name]):+.1f} MB"])
        version = subprocess.run([peers.node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        print(f"Node {version}, {options.pairs} process pairs x {options.bursts} burst pairs of {options.requests} requests\n")
        print(table(["against no profiler", "CPU a request", "range of the pairs", "base", "RSS"], rows))
    finally:
        peers.close()


if __name__ == "__main__":
    main()
