# SPDX-License-Identifier: Apache-2.0
"""How figures are printed."""
import statistics
import sys


def spread(values, unit="", digits=1):
    """median [min .. max] of differences."""
    numbers = [f"{v:+.{digits}f}" for v in (statistics.median(values), min(values), max(values))]
    return f"{numbers[0]}{unit} [{numbers[1]} .. {numbers[2]}]"


def plain(values, digits=1):
    return f"{statistics.median(values):.{digits}f} [{min(values):.{digits}f} .. {max(values):.{digits}f}]"


def table(title, head, rows):
    print(f"\n{title}\n")
    for cells in [head, ["---"] * len(head), *rows]:
        print("| " + " | ".join(cells) + " |")
    sys.stdout.flush()


def progress(text):
    print(text, file=sys.stderr, flush=True)


def rotated(names, round_):
    """Each round another order, so that no row always comes after the same one."""
    shift = round_ % len(names)
    return names[shift:] + names[:shift]
