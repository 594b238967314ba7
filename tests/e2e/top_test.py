# SPDX-License-Identifier: Apache-2.0
"""`otelprof top` as a user meets it.

The numbers are compared with `go tool pprof` on the same files, which come from two writers that know nothing of this
project: Go's runtime/pprof, and pprof_writer.py, which makes the odd shapes that real profilers make now and then. Needs
OTELPROF_BUILD_DIR; tests that need go are skipped without it.
"""
import fcntl
import gzip
import json
import os
import pty
import random
import re
import shutil
import struct
import subprocess
import termios
import unittest

from command_case import OTELPROF, CommandCase, run
from pprof_writer import Profile

GO = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")

GO_PROGRAM = r"""
package main

import (
	"os"
	"runtime/pprof"
	"strings"
	"time"
)

var sink [][]byte
var text string

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func small(x int) int { return x*31 + 7 }

func loop(n int) (s int) {
	for i := 0; i < n; i++ {
		s = small(s) ^ i
	}
	return
}

func alloc() {
	for i := 0; i < 2000; i++ {
		sink = append(sink, make([]byte, 4096))
		text = strings.Repeat("x", i)
	}
}

func write(name string, debug int) {
	f, _ := os.Create(os.Args[1] + "/" + name)
	defer f.Close()
	pprof.Lookup(strings.SplitN(name, ".", 2)[0]).WriteTo(f, debug)
}

func main() {
	f, _ := os.Create(os.Args[1] + "/cpu.pb.gz")
	pprof.StartCPUProfile(f)
	for end := time.Now().Add(700 * time.Millisecond); time.Now().Before(end); {
		fib(27)
		loop(2000000)
		alloc()
		sink = nil
	}
	alloc()
	pprof.StopCPUProfile()
	f.Close()
	write("heap.pb.gz", 0)
	write("goroutine.pb.gz", 0)
	write("goroutine.txt", 1)
}
"""


def odd_shapes():
    """Profiles of every shape that a valid file may have, by name."""
    cpu = ("cpu", "nanoseconds")
    shapes = {}
    shapes["recursion"] = (Profile(cpu).function(1, "a", "x.c").function(2, "b", "x.c").location(1, (1, 3))
                           .location(2, (2, 7)).location(3, (1, 4)).sample([1, 2, 1, 2, 3], 1000)
                           .sample([2, 1, 3, 1], 77).sample([1], 3))
    shapes["inlined"] = (Profile(cpu).function(1, "leaf", "x.c").function(2, "middle", "x.c").function(3, "root", "y.c")
                         .location(1, (1, 3), (2, 9), (3, 20)).location(2, (3, 21)).location(3, (2, 8), (3, 22))
                         .sample([1, 2], 10).sample([3, 2], 5).sample([2], 2))
    shapes["sparse_ids"] = (Profile(cpu).location(1 << 63, (10**15, 1)).location(0x7F001234, (99, 2))
                            .sample([0x7F001234, 1 << 63], 123).sample([1 << 63], 4)
                            .function(99, "late", "l.c").function(10**15, "early", "e.c"))
    shapes["two_types_default_first"] = (Profile(("samples", "count"), cpu, default="samples").function(1, "f", "f.c")
                                         .location(1, (1, 1)).sample([1], 3, 30000000))
    shapes["unpacked"] = (Profile(("samples", "count"), cpu, packed=False).function(1, "f", "f.c").function(2, "g", "g.c")
                          .location(1, (1, 1)).location(2, (2, 1)).sample([1, 2], 3, 30).sample([2, 2, 2], 1, 10))
    shapes["same_name_two_files"] = (Profile(cpu).function(1, "init", "a.c").function(2, "init", "b.c")
                                     .location(1, (1, 1)).location(2, (2, 1)).sample([1, 2], 5).sample([2], 6))
    shapes["double_function"] = (Profile(cpu).function(1, "f", "a.c", 10).function(2, "f", "a.c", 30).location(1, (1, 1))
                                 .location(2, (2, 1)).sample([1, 2], 5).sample([2], 6))
    shapes["zero_and_negative"] = (Profile(cpu).function(1, "f", "a.c").function(2, "g", "a.c").function(3, "h", "a.c")
                                   .location(1, (1, 1)).location(2, (2, 1)).location(3, (3, 1)).sample([1, 2], 50)
                                   .sample([2], -7).sample([3], 0).sample([], 9))
    labels = Profile(cpu).function(1, "f", "a.c").location(1, (1, 1))
    labels.sample([1], 5, labels=labels.numeric_label("thread id", 12) + labels.numeric_label("size", 8, "bytes"))
    shapes["numeric_labels"] = labels.sample([1], 6, labels=labels.numeric_label("thread id", 13))
    rng = random.Random(7)
    big = Profile(("samples", "count"), cpu)
    for i in range(1, 301):
        big.function(i, f"function {i % 250}", f"file{i % 7}.js", i)
        big.location(1000 + i, *[(rng.randint(1, 300), rng.randint(1, 99)) for _ in range(rng.randint(1, 3))])
    for _ in range(2000):
        big.sample([1000 + rng.randint(1, 300) for _ in range(rng.randint(1, 40))], 1, rng.randint(1, 10**10))
    shapes["big"] = big.duration(10**10)
    return shapes


PPROF_ROW = re.compile(r"^\s*(-?[\d.]+)\S*\s+\S+%\s+\S+%\s+(-?[\d.]+)\S*\s+\S+%  (.*?)(?: \((?:partial-)?inline\))?$")


def pprof_top(paths, sample_type, unit, granularity="filefunctions"):
    """{"name file": (flat, cum)} as go tool pprof sees it, and its total."""
    output = subprocess.run(
        [GO, "tool", "pprof", "-top", "-symbolize=none", "-nodecount=0", "-nodefraction=0", "-edgefraction=0",
         "-" + granularity, "-sample_index=" + sample_type, "-unit=" + unit, *paths],
        capture_output=True, text=True, check=True, timeout=280).stdout
    rows = {}
    for line in output.split("cum%\n", 1)[1].splitlines():
        flat, cum, name = PPROF_ROW.match(line).groups()
        rows[name] = (int(flat), int(cum))
    return rows, int(re.search(r" of (-?\d+)\S* total", output).group(1))


def as_pprof(top):
    return {(frame["name"] + " " + os.path.normpath(frame["file"]) if frame["file"] else frame["name"]):
            (frame["self"], frame["cumulative"]) for frame in top["frames"]}


@unittest.skipUnless(GO, "needs go")
class AgreesWithPprof(CommandCase):
    maxDiff = None

    def compare(self, paths, sample_type, unit):
        top = self.top("--type", sample_type, *paths)
        rows, total = pprof_top(paths, sample_type, unit)
        self.assertEqual(as_pprof(top), rows)
        self.assertEqual((top["total"], top["type"], top["unit"]), (total, sample_type, unit))
        self.assertEqual(top["frameCount"], len(rows))

    def test_every_odd_shape(self):
        for name, shape in odd_shapes().items():
            with self.subTest(name):
                path = self.write(name + ".pb", shape)
                zipped = self.write(name + ".pb.gz", gzip.compress(shape.plain()))
                self.compare([path], "cpu", "nanoseconds")
                self.compare([zipped], "cpu", "nanoseconds")
                self.assertEqual(self.top(path), self.top(zipped))

    def test_functions_of_one_name_in_one_file(self):
        path = self.write("big.pb", odd_shapes()["inlined"])
        rows, _ = pprof_top([path], "cpu", "nanoseconds", granularity="functions")
        self.assertEqual({f["name"]: (f["self"], f["cumulative"]) for f in self.top(path)["frames"]}, rows)

    def test_several_files_are_added(self):
        shapes = odd_shapes()
        paths = [self.write(name + ".pb", shapes[name]) for name in ("recursion", "inlined", "sparse_ids")]
        self.compare(paths, "cpu", "nanoseconds")
        paths = [self.write(name + ".pb", shapes[name]) for name in ("big", "unpacked", "two_types_default_first")]
        self.compare(paths, "cpu", "nanoseconds")
        self.compare(paths, "samples", "count")
        self.assertEqual(self.top(*paths)["duration_nanos"], 10**10)

    def test_locations_without_functions_add_up_to_the_binary(self):
        profile = (Profile(("cpu", "nanoseconds")).mapping(4, 0x400000, 0x500000, 0x1000, "/usr/bin/server")
                   .location(1, mapping=4, address=0x400010).location(2, mapping=4, address=0x400020)
                   .location(3, address=0x10).sample([1], 5).sample([2], 7).sample([3], 9))
        path = self.write("bare.pb", profile)
        rows, total = pprof_top([path], "cpu", "nanoseconds")
        ours = {frame["name"]: frame["self"] for frame in self.top(path)["frames"]}
        self.assertEqual(ours, {"[server+0x1010]": 5, "[server+0x1020]": 7, "[0x10]": 9})
        self.assertEqual(rows, {"[server]": (12, 12), "<unknown>": (9, 9)})
        self.assertEqual(total, 21)

    def test_the_go_runtimes_own_profiles(self):
        source = self.write("go/main.go", GO_PROGRAM.encode())
        program = os.path.join(self.directory, "program")
        subprocess.run([GO, "build", "-o", program, source], check=True, timeout=200,
                       env={**os.environ, "GO111MODULE": "off"})
        subprocess.run([program, self.directory], check=True, timeout=60)
        cpu, heap, goroutine = (os.path.join(self.directory, f"{n}.pb.gz") for n in ("cpu", "heap", "goroutine"))
        for sample_type, unit in (("samples", "count"), ("cpu", "nanoseconds")):
            self.compare([cpu], sample_type, unit)
        for sample_type in ("alloc", "inuse"):
            self.compare([heap], sample_type + "_space", "bytes")
            self.compare([heap], sample_type + "_objects", "count")
        self.compare([goroutine], "goroutine", "count")
        self.assertEqual(self.top(heap)["type"], "inuse_space")
        names = {frame["name"] for frame in self.top(cpu)["frames"]}
        self.assertLessEqual({"main.main", "main.fib", "main.loop"}, names)
        self.assert_fails(1, "Go's text form.*debug=0", "top", os.path.join(self.directory, "goroutine.txt"))


class Top(CommandCase):
    def test_json_says_what_is_promised(self):
        profile = (Profile(("samples", "count"), ("cpu", "nanoseconds")).function(1, "f", "f.c", 40).function(2, "g", "g.c")
                   .function(3, "main").location(1, (1, 44)).location(2, (2, 9)).location(3, (2, 5)).location(4, (3, 0))
                   .sample([1, 2, 4], 3, 30).sample([3, 4], 1, 10).duration(5))
        path = self.write("x.pb", profile)
        self.assertEqual(json.loads(run("top", "--json", "--top", 2, path).stdout), {
            "type": "cpu", "unit": "nanoseconds", "total": 40, "duration_nanos": 5, "frameCount": 3, "frames": [
                {"name": "f", "file": "f.c", "line": 40, "self": 30, "cumulative": 30, "share": 0.75},
                {"name": "g", "file": "g.c", "line": 5, "self": 10, "cumulative": 40, "share": 0.25}]})
        self.assertEqual(self.top(path)["frames"][2], {"name": "main", "file": "", "line": 0, "self": 0,
                                                       "cumulative": 40, "share": 0})

    def test_text_has_units_and_is_not_cut_in_a_pipe(self):
        name = "std::map<" + "int, " * 100 + "int>"
        path = self.write("x.pb", Profile(("samples", "count"), ("cpu", "nanoseconds")).function(1, name, "/src/m.cc", 7)
                          .function(2, "main", "m.cc").location(1, (1, 8)).location(2, (2, 3)).sample([1, 2], 3, 1500000)
                          .sample([2], 1, 500).duration(90 * 10**9))
        text = run("top", path).stdout.decode()
        self.assertIn("type:      cpu/nanoseconds\ntotal:     1.50 ms\nduration:  1.50 min\nfiles:     1\n"
                      "samples:   4 in 2 records\nfunctions: 2\n", text)
        self.assertRegex(text, r"1\.50 ms  99\.97% +1\.50 ms  99\.97%  " + re.escape(name) + "  /src/m.cc:7\n")
        self.assertRegex(text, r" 500 ns   0\.03% +1\.50 ms 100\.00%  main +m\.cc:3\n")
        path = self.write("heap.pb", Profile(("inuse_space", "bytes")).function(1, "f").location(1, (1, 0))
                          .sample([1], 3 << 20).sample([1], 1 << 19))
        self.assertRegex(run("top", path).stdout.decode(), r"3\.50 MiB 100\.00% +3\.50 MiB 100\.00%  f\n")

    def test_rows_are_lines_on_a_terminal(self):
        path = self.write("x.pb", Profile(("cpu", "nanoseconds")).function(1, "日本" * 60, "long/" * 30 + "é.c", 7)
                          .function(2, "f", "long/" * 30 + "é.c", 7).location(1, (1, 8)).location(2, (2, 8))
                          .sample([1], 3).sample([2], 2))
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        self.assertEqual(subprocess.run([OTELPROF, "top", path], stdout=theirs, timeout=20).returncode, 0)
        os.close(theirs)
        rows = os.read(ours, 100000).decode().split("\r\n\r\n")[1].splitlines()[1:]
        os.close(ours)
        self.assertEqual([len(row) for row in rows], [100, 100])
        self.assertTrue(rows[0].endswith("本…"))
        self.assertRegex(rows[1], "  f +  ….*/é.c:7$")

    def test_rows_are_ordered_by_self_cumulative_name_and_counted(self):
        profile = Profile(("cpu", "nanoseconds"))
        for i in range(1, 31):
            profile.function(i, f"f{i:02}").location(i, (i, 0)).sample([i], 5)
        path = self.write("x.pb", profile.sample([9, 30], 1).sample([4, 30], 1))
        lines = run("top", path).stdout.decode().split("\n\n")[1].splitlines()[1:]
        self.assertEqual([line.split()[-1] for line in lines], ["f04", "f09", "f30"] +
                         [f"f{i:02}" for i in range(1, 30) if i not in (4, 9)][:17])
        self.assertEqual(len(self.top(path)["frames"]), 30)

    def test_names_cannot_drive_the_terminal(self):
        name = "a\x1b[31mb\x07\x7f\u009bc\u202ed\u2066e\n\té日本".encode() + b"\xff\xc0\x80\xed\xa0\x80"
        path = self.write("x.pb", Profile(("cpu", "nanoseconds")).function(1, name, "f\x1b.c", 1).location(1, (1, 1))
                          .sample([1], 5))
        text = run("top", path).stdout
        escaped = (r"a\x1b[31mb\x07\x7f\u{009b}c\u{202e}d\u{2066}e\x0a\x09é日本\xff\xc0\x80\xed\xa0\x80").encode()
        self.assertIn(b"  " + escaped, text)
        self.assertIn(rb"f\x1b.c:1", text)
        output = run("top", "--json", path).stdout
        self.assertTrue(all(byte in range(32, 127) or byte == 10 for byte in output.replace(b"\x7f", b"")))
        self.assertEqual(json.loads(output)["frames"][0]["name"],
                         "a\x1b[31mb\x07\x7f\u009bc\u202ed\u2066e\n\té日本" + r"\xff\xc0\x80\xed\xa0\x80")
        type_path = self.write("t.pb", Profile(("cpu\x1b[2J", "n")).function(1, "f").location(1, (1, 1)).sample([1], 5))
        self.assertIn(rb"cpu\x1b[2J/n", run("top", type_path).stdout)
        self.assertNotIn(b"\x1b", run("top", "--type", "\x1b[2J", type_path).stderr)

    def test_types_are_chosen_by_name_unit_and_default(self):
        two = odd_shapes()["two_types_default_first"]
        path = self.write("x.pb", two)
        for arguments, expected in (([], ("samples", "count", 3)), (["--type", "cpu"], ("cpu", "nanoseconds", 30000000)),
                                    (["--type", "cpu/nanoseconds"], ("cpu", "nanoseconds", 30000000)),
                                    (["--type=samples:count"], ("samples", "count", 3))):
            top = self.top(*arguments, path)
            self.assertEqual((top["type"], top["unit"], top["total"]), expected)
        self.assert_fails(1, r"no sample type wall.*--type: samples/count, cpu/nanoseconds", "top", "--type", "wall", path)
        other = self.write("y.pb", Profile(("samples", "ticks")).function(1, "f").location(1, (1, 1)).sample([1], 5))
        self.assert_fails(1, r"y\.pb: .* in ticks, but in count in .*x\.pb", "top", path, other)

    def test_a_directory_is_read_by_kind(self):
        def profile(kind, value):
            return gzip.compress(Profile((kind, "nanoseconds")).function(1, kind).location(1, (1, 1)).sample([1], value)
                                 .plain())
        self.write("web/cpu-20261130T100000Z-7.pb.gz", profile("cpu", 1))
        self.write("api/cpu-20261130T100010Z-8.pb.gz", profile("cpu", 10))
        self.write("api/wall-20261130T100010Z-8.pb.gz", profile("wall", 100))
        self.write("api/.cpu-20261130T100020Z-8.pb.gz", b"half a fi")
        self.write("api/readme.txt", b"not a profile")
        self.assertEqual(self.top(self.directory)["total"], 11)
        self.assertEqual(self.top("--type", "wall", self.directory)["total"], 100)
        self.assertEqual(self.top(self.directory + "/web")["total"], 1)
        self.write("api/cpu-20261130T100030Z-8.pb.gz", profile("cpu", 5)[:-9])
        self.assert_fails(1, r"api/cpu-20261130T100030Z-8.pb.gz: the gzip data is truncated", "top", self.directory)

    def test_nothing_to_show_is_exit_code_2_with_the_reason(self):
        self.assert_fails(2, "there is no profile", "top", self.directory)
        empty = self.write("cpu-1-1.pb.gz", gzip.compress(Profile(("cpu", "nanoseconds")).plain()))
        self.assert_fails(2, "no samples of type cpu", "top", empty)
        self.assert_fails(2, "no samples", "top", "--json", self.directory)
        zeros = self.write("z.pb", Profile(("cpu", "nanoseconds")).function(1, "f").location(1, (1, 1)).sample([1], 0))
        self.assert_fails(2, "no samples", "top", zeros)

    def test_what_cannot_be_read_is_exit_code_1_with_the_reason(self):
        good = gzip.compress(odd_shapes()["big"].plain())
        wrong_sum = good[:-8] + bytes([good[-8] ^ 1]) + good[-7:]
        for name, data, words in (
                ("empty.pb", b"", "it is empty"), ("cut.pb.gz", good[:len(good) // 2], "truncated"),
                ("sum.pb.gz", wrong_sum, "incorrect data check"), ("text.pb", b"hello, world", "not a pprof profile"),
                ("dangling.pb", Profile(("cpu", "n")).sample([5], 1).plain(), "location 5"),
                ("legacy.pb", b"heap profile: 1: 2 [3: 4] @ heapprofile\n", "legacy gperftools.*-proto"),
                ("legacy.pb.gz", gzip.compress(b"--- symbol\nbinary=x\n"), "legacy gperftools"),
                ("counts.pb", Profile(("cpu", "n")).sample([], 1, 2).plain(), "2 values for 1 sample types")):
            with self.subTest(name):
                self.assert_fails(1, re.escape(name) + ".*" + words, "top", self.write(name, data))
        self.assert_fails(1, "nowhere.*No such file", "top", os.path.join(self.directory, "nowhere"))

    def test_a_decompression_bomb_is_refused(self):
        path = os.path.join(self.directory, "bomb.pb.gz")
        with gzip.open(path, "wb", compresslevel=1) as file:
            for _ in range(1025):
                file.write(bytes(1 << 20))
        self.assert_fails(1, "decompression bomb", "top", path)

    def test_damage_never_kills(self):
        rng = random.Random(1)
        plain = odd_shapes()["inlined"].plain()
        for _ in range(200):
            data = bytearray(plain)
            for _ in range(rng.randint(1, 4)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            result = run("top", self.write("x.pb", bytes(data[:rng.choice([len(data), rng.randrange(len(data))])])))
            self.assertIn(result.returncode, (0, 1, 2))
            self.assertEqual(result.returncode == 0, result.stderr == b"")


class CommandLine(CommandCase):
    def test_wrong_use_is_one_line_that_names_the_help(self):
        for arguments, words in ((["top", "--colour"], "unknown option --colour; see otelprof top --help"),
                                 (["top", "-x", "f"], "unknown option -x; see otelprof top --help"),
                                 (["top", "f", "--type"], "--type needs a value"), (["top"], "no profile is named"),
                                 (["top", "--top", "-1", "f"], "--top wants a number"),
                                 (["top", "--top", "2x", "f"], "--top wants a number"),
                                 (["top", "--json=1", "f"], "--json takes no value"),
                                 (["run"], "no command is named; see otelprof run --help"),
                                 (["run", "--interval", "0", "x"], "--interval wants microseconds"),
                                 (["run", "--nope", "x"], "unknown option --nope"), (["toop"], "unknown command toop"),
                                 (["--nope"], "unknown option --nope; see otelprof --help"),
                                 (["help", "toop"], "no help for toop")):
            with self.subTest(arguments):
                self.assert_fails(1, words, *arguments)

    def test_help_and_version_go_to_stdout(self):
        for arguments in (["--help"], ["help"], ["help", "top"], ["top", "--help"], ["run", "-h"], ["help", "run"]):
            result = run(*arguments)
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            self.assertTrue(result.stdout.startswith(b"usage: otelprof"))
        self.assertRegex(run("--version").stdout.decode(), r"^otelprof \d+\.\d+\.\d+\n$")

    def test_a_full_disk_is_noticed(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([OTELPROF, "--help"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"cannot write", result.stderr)


if __name__ == "__main__":
    unittest.main()
