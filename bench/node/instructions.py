# SPDX-License-Identifier: Apache-2.0
"""Instructions of a request, counted by callgrind: not touched by what else the machine does.

The program is some 50 times slower then, while its timers go by its CPU clock, so that a request meets 50
times as many ticks. So what a tick costs, in the handler and in the profiler's thread, is counted, and put
beside the instructions that the program executes in a CPU-second without valgrind. What a profiler does to
the program's own code shows in the rest.
"""
import glob
import re
import subprocess
from collections import namedtuple

from process import ON_CPU_0, ON_CPU_1, Program
from report import table

HANDLER, WRAPPER = "sampler_handle", "__wrap_sampler_handle"  # the second is handler_timing.c's
Count = namedtuple("Count", "main helpers background handler ticks")  # handler: in main


def handler_cost(path):
    """(instructions of the handler and all that it calls, runs) of one thread's file; in callgrind's format
    the line after a "calls=" has the callee's cost."""
    cost = runs = 0
    names, function, callee = {}, "", ""
    with open(path) as file:
        for line in file:
            if match := re.match(r"(c?)fn=\((\d+)\)(?: (.*))?", line):
                name = names.setdefault(match[2], match[3])  # told where it is met first
                callee = name if match[1] else ""
                function = function if match[1] else name
            elif function == WRAPPER and line.startswith("calls=") and callee == HANDLER:
                runs += int(line[len("calls="):].split()[0])
            elif function == WRAPPER and re.match(r"[+\-*\d]", line):
                cost += int(line.split()[1])
    return cost, runs


def read_dump(pattern):
    main = helpers = background = 0
    for path in glob.glob(pattern):
        with open(path) as file:
            text = file.read()
        total = int(re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1])
        if re.search(r"^thread: 1$", text, re.M):
            main, (handler, ticks) = total, handler_cost(path)
        elif re.search(r" background_run$", text, re.M):
            background += total
        else:
            helpers += total
    return Count(main, helpers, background, handler, ticks)


def count(profilers, name, node, requests):
    output = profilers.new_output()
    valgrind = ["valgrind", "-q", "--tool=callgrind", "--smc-check=all-non-file", "--separate-threads=yes",
                f"--callgrind-out-file={output}/callgrind"]
    extra = {"LD_PRELOAD": profilers.timed_library} if name == "otelprof" else {}
    server = Program(profilers, name, node, "server.js", [*ON_CPU_0, *valgrind], **extra)
    load = Program(profilers, "none", node, "load.js", ON_CPU_1)
    port = server.read()

    def control(option):
        pid = str(server.process.pid)
        subprocess.run(["callgrind_control", option, pid], check=True, capture_output=True)
    load.ask(f"{port} {3 * requests}")
    control("--zero")
    load.ask(f"{port} {requests}")
    control("--dump")
    found = read_dump(f"{output}/callgrind.1-*")
    load.close()
    server.close(check=False)
    return found


def native_rate(profilers, node):
    """Requests in a CPU-second without valgrind."""
    server = Program(profilers, "none", node, "server.js", ON_CPU_0)
    load = Program(profilers, "none", node, "load.js", ON_CPU_1)
    port = server.read()
    load.ask(f"{port} 40000")
    before = server.cpu()
    load.ask(f"{port} 20000")
    rate = 20000 * 1e9 / (server.cpu() - before)
    load.close()
    server.close()
    return rate


def instructions(profilers, node, quick):
    requests = 2000 if quick else 10000
    base, again, ours = (count(profilers, name, node, requests) for name in ("none", "null", "otelprof"))
    second = native_rate(profilers, node) * (base.main + base.helpers) / requests
    tick, thread, own = ours.handler / ours.ticks, ours.background / ours.ticks, ours.main - ours.handler

    def row(what, main, helpers):
        added = f"{100 * (main / base.main - 1):+.2f} %"
        return [what, f"{main / requests:,.0f}", added, f"{helpers / requests:,.0f}"]

    def tick_row(what, cost):
        return [what, f"{cost:,.0f}", f"{100 * 100 * cost / second:+.3f} % at 100 Hz", ""]
    table(f"Instructions, HTTP service, {requests} requests, {ours.ticks} ticks",
          ["", "main thread", "added", "V8's helper threads"],
          [row("a request, nothing", base.main, base.helpers), row("again (A/A)", again.main, again.helpers),
           row("a request with ours, its own part", own, ours.helpers),
           tick_row("a tick of ours, handler", tick),
           tick_row("a tick of ours, the profiler's thread", thread)])
