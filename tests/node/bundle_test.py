# SPDX-License-Identifier: Apache-2.0
"""A bundle: many functions on one line, some of one name, some of none. Their columns tell them apart."""
import collections
import gzip
import json
import os
import re
import sys

from node_case import FULL, PROGRAMS, NodeCase, pprof_classes, standard_error

BUNDLE = os.path.join(PROGRAMS, "bundle.js")
MAIN = os.path.join(PROGRAMS, "bundle_main.js")
MILLIS = "10000" if FULL else "1400"
# In the order of the bundle, which is not that in which they are called. None: without a name, for which
# V8 often takes that of something near, as in its own profiles.
NAMES = [None, None, "run", "run", "alpha", None, "inner"]
CALLED = [0, 1, 5, 2, 3, 4, 6]

Leaf = collections.namedtuple("Leaf", "function name start_line line column count nanos")


def ranges():
    """The first column and the one after the last of each function that burns, in the order of the bundle."""
    with open(BUNDLE) as file:
        text = file.read()
    assert text.count("\n") == 1
    found = re.finditer(r"(run\(n\)|function( alpha)?\(n\)|n=>)\{let x=n;[^}]*\}", text)
    return [(match.start() + 1, match.end() + 1) for match in found]


def leaves_of(profile):
    """The innermost frame of each sample that is in the bundle, as the file has it."""
    with gzip.open(profile.path) as file:
        message = pprof_classes().Profile.FromString(file.read())
    text = message.string_table
    functions = {f.id: f for f in message.function}
    locations = {l.id: l for l in message.location}
    for sample in message.sample:
        lines = locations[sample.location_id[0]].line if sample.location_id else []
        function = functions[lines[0].function_id] if lines else None
        if function and text[function.filename] == BUNDLE:
            yield Leaf(function.id, text[function.name], function.start_line, lines[0].line, lines[0].column,
                       *sample.value)


class Bundle(NodeCase):
    def setUp(self):
        super().setUp()
        self.ranges = ranges()
        self.assertEqual(len(self.ranges), len(NAMES))
        self.names = self.names_by_v8()
        for name, by_v8 in zip(NAMES, self.names):
            self.assertEqual(by_v8, name or by_v8)

    def index(self, column):
        """Which function of the bundle |column| is in."""
        return next((i for i, (first, limit) in enumerate(self.ranges) if first <= column < limit), None)

    def names_by_v8(self):
        """What V8's own profiler calls the functions, in the order of the bundle."""
        self.assertEqual(self.plain("--cpu-prof", "--cpu-prof-name=v8.json", MAIN, "300").returncode, 0)
        with open(os.path.join(self.directory, "v8.json")) as file:
            calls = [node["callFrame"] for node in json.load(file)["nodes"]]
        names = {self.index(call["columnNumber"] + 1): call["functionName"] or "(anonymous)" for call in calls
                 if call["url"].endswith("/bundle.js")}
        return [names[i] for i in range(len(NAMES))]

    def test_functions_of_one_line_are_told_apart(self):
        # One window: functions are then told apart by their ids in one file.
        extra = {"OTEL_PROFILING_COLLECTION_INTERVAL_MS": "600000"}
        result = self.profiled(MAIN, MILLIS, extra=extra.items())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(len(result.profiles.paths), 1)
        truth = dict(zip(CALLED, json.loads(result.stdout)))
        found, ids = collections.Counter(), collections.defaultdict(set)
        leaves = list(leaves_of(result.profiles.profiles[0]))
        self.assertEqual({(leaf.start_line, leaf.line) for leaf in leaves}, {(1, 1)})
        for leaf in leaves:
            index = self.index(leaf.column)
            if index is not None:
                self.assertEqual(leaf.name, self.names[index], leaf)
            found[index] += leaf.nanos
            ids[index].add(leaf.function)
        # What is not in one of the functions is in one that calls them.
        self.assertLessEqual(found.pop(None, 0), 0.01 * sum(truth.values()))
        ids.pop(None, None)
        self.assertEqual(set(found), set(truth))
        count = sum(leaf.count for leaf in leaves)
        for index, nanos in truth.items():
            share = nanos / sum(truth.values())
            error = found[index] / sum(found.values()) - share
            print(f"  {index}: {100 * share:.1f} % by the clock, {100 * error:+.1f}", file=sys.stderr)
            self.assertLessEqual(abs(error), max(0.03, 5 * standard_error(share, count)), index)
        # The calls of the clock are in none of them, and a tick at either end.
        self.assertAlmostEqual(sum(found.values()) / sum(truth.values()), 1, delta=0.1)
        # Each is one function of the profile, and no two are the same.
        self.assertEqual({len(functions) for functions in ids.values()}, {1}, ids)
        self.assertEqual(len(set.union(*ids.values())), len(NAMES))
        self.assert_nothing_lost(result.profiles)
