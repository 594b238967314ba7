# SPDX-License-Identifier: Apache-2.0
"""Figures of programs that are run from start to end: a cold compile, start-up, eval churn."""
import os
import re
import statistics
import subprocess

from process import run_whole
from profilers import PROGRAMS, TITLES
from report import plain, progress, rotated, spread, table


def measure(title, profilers, node, rounds, *arguments, check=True):
    """Whole results by profiler, "none" included."""
    names = ["none", *profilers.names]
    results = {name: [] for name in names}
    for round_ in range(rounds + 1):
        for name in rotated(names, round_):
            result = run_whole(profilers, name, node, *arguments, check=check)
            if round_:  # the first warms the page cache
                results[name].append(result)
        progress(f"{title}: round {round_} of {rounds}")
    return results


def added(results, name, value):
    """Differences to the base, taken within a round."""
    return [value(one) - value(base) for one, base in zip(results[name], results["none"])]


def rows_of(results, *values, percent=False):
    for name in [name for name in results if name != "none"]:
        cells = [spread(added(results, name, value)) for value in values]
        if percent:
            pairs = zip(results[name], results["none"])
            cells.insert(0, spread([100 * (one.cpu / base.cpu - 1) for one, base in pairs]))
        yield [TITLES[name], *cells]


def base_of(results):
    cpu, wall, peak = (statistics.median(value(result) for result in results["none"]) for value in COMMON)
    return f"{cpu:.0f} ms of CPU, {wall:.0f} ms, {peak:.0f} MB"


HEAD = ["CPU ms", "wall ms", "peak MB"]
COMMON = (lambda r: r.cpu, lambda r: r.wall, lambda r: r.peak)


def interrupt_time(profilers, node, rounds, *arguments):
    """Milliseconds that our interrupt takes of the main thread's CPU, each of |rounds| runs."""
    found = []
    for _ in range(rounds):
        output = profilers.new_output()
        env = {**profilers.environment("otelprof", output), "LD_PRELOAD": profilers.timed_library}
        run = subprocess.run([node, *arguments], env=env, check=True, capture_output=True, text=True)
        found.append(int(re.search(r"attach interrupt: (\d+) us", run.stderr).group(1)) / 1000)
    return found


def compile_(profilers, node, quick):
    tsc = os.path.join(profilers.modules, "typescript", "lib", "tsc.js")
    source = os.path.join(profilers.modules, "rxjs", "src")
    flags = "--noEmit --skipLibCheck --strict --target es2019 --lib es2019,dom --module commonjs"
    arguments = [tsc, *flags.split(), "--moduleResolution", "node",
                 f"{source}/index.ts", f"{source}/operators/index.ts"]
    rounds = 4 if quick else 15
    results = measure("TypeScript compile", profilers, node, rounds, *arguments)
    table(f"Cold compile of rxjs by TypeScript, n={rounds}: added to {base_of(results)}",
          ["", "CPU %", *HEAD], rows_of(results, *COMMON, percent=True))
    print("\nOf ours, in the interrupt that takes in what V8 has compiled by then: "
          f"{plain(interrupt_time(profilers, node, rounds, *arguments))} ms")


def start(profilers, node, quick):
    rounds = 9 if quick else 25
    results = measure("start", profilers, node, rounds, "-e", "0", check=False)
    table(f"node -e 0, n={rounds}: added to {base_of(results)}", ["", *HEAD], rows_of(results, *COMMON))
    script = os.path.join(PROGRAMS, "first_line.js")
    results = measure("first line", profilers, node, rounds, script, check=False)

    def until(result):
        return (int(result.stdout.split()[0]) - result.started) / 1e6

    def own(result):
        return int(result.stdout.split()[1]) / 1e6
    base = [plain([value(result) for result in results["none"]]) for value in (until, own)]
    table(f"Until the first line of a script, n={rounds}: added to {base[0]} ms, {base[1]} ms of CPU",
          ["", "wall ms", "CPU of the main thread ms"], rows_of(results, until, own))


def churn(profilers, node, quick):
    rounds = 2 if quick else 7
    results = measure("churn", profilers, node, rounds, os.path.join(PROGRAMS, "churn.js"))
    table(f"60,000 new Function, n={rounds}: added to {base_of(results)}", ["", "CPU %", *HEAD],
          rows_of(results, *COMMON, percent=True))
