# SPDX-License-Identifier: Apache-2.0
"""One profile as pprof and as OTLP, read by protoc's classes: they say the same, sample by sample, and the OTLP keeps the
rules of its dictionary (profiles.proto of opentelemetry-proto: zero entries, no orphans, no duplicates, keys once)."""
import collections
import importlib
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROTO = os.path.join(HERE, "../../proto")
PROGRAM = os.path.join(os.environ["OTELPROF_BUILD_DIR"], "tests", "unit", "encode_both")
FIGURES = {"otelprof.dropped.ring": 2, "otelprof.dropped.none": 0, "thread.id": -1}


def classes():
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(["protoc", f"--proto_path={PROTO}", f"--python_out={directory}", "pprof.proto", "otlp.proto"], check=True)
        sys.path.insert(0, directory)
        try:
            return importlib.import_module("pprof_pb2").Profile, importlib.import_module("otlp_pb2")
        finally:
            sys.path.remove(directory)


Pprof, otlp = classes()


def value_of(any_value):
    return getattr(any_value, any_value.WhichOneof("value"))


def of_pprof(profile):
    """{type: {(stack, labels): value}}: a stack is of (mapping, address, lines)."""
    text = profile.string_table
    functions = {f.id: (text[f.name], text[f.system_name], text[f.filename], f.start_line) for f in profile.function}
    mappings = {m.id: (m.memory_start, m.memory_limit, m.file_offset, text[m.filename], text[m.build_id])
                for m in profile.mapping}
    locations = {l.id: (mappings.get(l.mapping_id), l.address,
                        tuple((functions[n.function_id], n.line, n.column) for n in l.line)) for l in profile.location}
    found = {(text[t.type], text[t.unit]): collections.Counter() for t in profile.sample_type}
    for s in profile.sample:
        labels = frozenset((text[n.key], text[n.str] if n.str else n.num) for n in s.label)
        for kind, value in zip(found, s.value):
            found[kind][tuple(locations[i] for i in s.location_id), labels] += value
    return {kind: {k: v for k, v in values.items() if v} for kind, values in found.items()}


class Reader:
    """A request; all that is looked up is marked, so that orphans show."""

    def __init__(self, request):
        self.request, self.dictionary = request, request.dictionary
        self.used = collections.defaultdict(set)

    def at(self, table, index):
        self.used[table].add(index)
        return getattr(self.dictionary, table)[index]

    def text(self, index):
        return self.at("string_table", index)

    def attributes(self, indices):
        pairs = [(self.text(a.key_strindex), value_of(a.value)) for a in (self.at("attribute_table", i) for i in indices)]
        assert len(dict(pairs)) == len(pairs), pairs
        return dict(pairs)

    def mapping(self, index):
        m = self.at("mapping_table", index)
        build_id = self.attributes(m.attribute_indices).get("process.executable.build_id.gnu", "")
        return (m.memory_start, m.memory_limit, m.file_offset, self.text(m.filename_strindex), build_id)

    def location(self, index):
        found = self.at("location_table", index)
        lines = []
        for n in found.lines:
            f = self.at("function_table", n.function_index)
            lines.append(((self.text(f.name_strindex), self.text(f.system_name_strindex), self.text(f.filename_strindex),
                           f.start_line), n.line, n.column))
        assert set(self.attributes(found.attribute_indices)) <= {"profile.frame.type"}
        mapping = self.mapping(found.mapping_index) if found.mapping_index else None
        return mapping, found.address, tuple(lines)

    def type(self, value_type):
        return self.text(value_type.type_strindex), self.text(value_type.unit_strindex)

    def profile(self, profile):
        values = collections.Counter()
        for s in profile.samples:
            assert len(s.values) == 1 and not s.timestamps_unix_nano and not s.link_index
            stack = tuple(self.location(i) for i in self.at("stack_table", s.stack_index).location_indices)
            values[stack, frozenset(self.attributes(s.attribute_indices).items())] += s.values[0]
        return values


class Otlp(unittest.TestCase):
    def encode(self, seed, part=0):
        with tempfile.TemporaryDirectory() as directory:
            run = subprocess.run([PROGRAM, directory, str(seed), str(part)], check=True, capture_output=True, text=True)
            pprof, requests = None, []
            for name in sorted(os.listdir(directory), key=lambda n: (n[0], int(n.rpartition(".")[2]) if "." in n else 0)):
                with open(os.path.join(directory, name), "rb") as file:
                    if name == "pprof":
                        pprof = Pprof.FromString(file.read())
                    else:
                        requests.append(otlp.ExportProfilesServiceRequest.FromString(file.read()))
        return pprof, requests, run.stdout

    def check_tables(self, reader):
        d = reader.dictionary
        for table in ("mapping_table", "location_table", "function_table", "attribute_table", "stack_table"):
            entries = [e.SerializeToString(deterministic=True) for e in getattr(d, table)]
            self.assertEqual(entries[0], b"", table)
            self.assertEqual(len(set(entries)), len(entries), f"a duplicate in {table}")
            self.assertEqual(set(range(1, len(entries))) - reader.used[table], set(), f"an orphan in {table}")
        self.assertEqual(list(d.link_table), [otlp.Link(trace_id=bytes(16), span_id=bytes(8))])
        self.assertEqual(d.string_table[0], "")
        self.assertEqual(len(set(d.string_table)), len(d.string_table))
        self.assertEqual(set(range(1, len(d.string_table))) - reader.used["string_table"], set(), "an orphan string")

    def check(self, pprof, requests):
        expected, found = of_pprof(pprof), collections.defaultdict(collections.Counter)
        for n, request in enumerate(requests):
            reader = Reader(request)
            self.assertEqual(len(request.resource_profiles), 1)
            resource = request.resource_profiles[0]
            self.assertEqual({a.key: value_of(a.value) for a in resource.resource.attributes},
                             {"service.name": "shop", "empty": "", "process.pid": 4711, "zero": 0})
            self.assertEqual([s.scope.name for s in resource.scope_profiles], ["libotelprof"])
            # What a type without samples is called is in the table all the same.
            for t in pprof.sample_type:
                for index in (t.type, t.unit):
                    reader.used["string_table"].add(list(request.dictionary.string_table).index(pprof.string_table[index]))
            for profile in resource.scope_profiles[0].profiles:
                self.assertEqual((profile.time_unix_nano, profile.duration_nano, profile.period),
                                 (pprof.time_nanos, pprof.duration_nanos, pprof.period))
                self.assertEqual(reader.type(profile.period_type), tuple(
                    pprof.string_table[i] for i in (pprof.period_type.type, pprof.period_type.unit)))
                self.assertEqual(reader.attributes(profile.attribute_indices), {} if n else FIGURES)
                self.assertTrue(profile.samples)
                found[reader.type(profile.sample_type)].update(reader.profile(profile))
            self.check_tables(reader)
        self.assertEqual({kind: dict(values) for kind, values in found.items()},
                         {kind: values for kind, values in expected.items() if values})

    def test_it_says_what_pprof_says(self):
        for seed in range(2, 60):
            with self.subTest(seed=seed):
                pprof, requests, _ = self.encode(seed)
                self.assertEqual(len(requests), 1)
                self.check(pprof, requests)

    def test_parts_are_valid_by_themselves_and_together_the_whole(self):
        for seed, part in ((4, 1), (5, 7), (6, 100), (7, 1000)):
            with self.subTest(seed=seed):
                pprof, requests, _ = self.encode(seed, part)
                self.assertGreaterEqual(len(requests), len(pprof.sample) // part)
                self.check(pprof, requests)

    def test_no_samples_no_message(self):
        self.assertEqual(self.encode(0)[1:], ([], "no data 0\n"))

    def test_a_sample_without_stack_and_labels(self):
        _, (request,), _ = self.encode(1)
        (profile,) = request.resource_profiles[0].scope_profiles[0].profiles
        self.assertEqual(list(profile.samples), [otlp.Sample(values=[5])])
        self.assertEqual(len(request.dictionary.stack_table), 1)


if __name__ == "__main__":
    unittest.main()
