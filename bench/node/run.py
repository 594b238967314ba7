#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What profilers cost a Node program: ours beside nothing, Node's own and npm's.

    bench/node/run.py --build build --node PATH [--node PATH...] [--quick] [--profilers NAME,...] [FIGURE...]

FIGURE: cpu, http, compile, start, gaps, churn, instructions; all unless named. --quick: about 15 minutes a
Node, else an hour and a half. The row "nothing (A/A)" compares a program with itself: a difference within its
range is none. In lock-step both programs are idle half of the time, so what a profiler does by the clock
(drains, flushes) counts twice. Needs npm and valgrind; the packages compared with go to OTELPROF_CACHE or
~/.cache/otelprof, pinned.
"""
import argparse
import os
import shutil
import subprocess

from instructions import instructions
from loop_gaps import gaps
from profilers import TITLES, Profilers
from steady import cpu, http
from whole import churn, compile_, start

FIGURES = {"cpu": cpu, "http": http, "compile": compile_, "start": start, "gaps": gaps, "churn": churn,
           "instructions": instructions}


def main():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=" ".join(FIGURES))
    parser.add_argument("--build", default="build")
    parser.add_argument("--node", action="append", help="a binary; may be given more than once")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--profilers", default=",".join(TITLES))
    options = parser.parse_args()
    unknown = [*(set(options.figures) - set(FIGURES)), *(set(options.profilers.split(",")) - set(TITLES))]
    if unknown:
        parser.error(f"not known: {' '.join(unknown)}")
    profilers = Profilers(options.build, options.profilers.split(","))
    try:
        for name in options.node or ["node"]:
            node = os.path.abspath(shutil.which(name) or parser.error(f"{name} is not a program"))
            version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
            print(f"\n# Node {version.strip()}; load average {os.getloadavg()[0]:.1f}")
            profilers.start_sink(node)
            for figure in options.figures or FIGURES:
                FIGURES[figure](profilers, node, options.quick)
            profilers.stop_sink()
    finally:
        profilers.close()


if __name__ == "__main__":
    main()
