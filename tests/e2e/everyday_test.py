# SPDX-License-Identifier: Apache-2.0
"""40 everyday programs with and without us: what they print and return, what their children are given (environment,
descriptors, signals) and what they have at their end (descriptors, masks, dispositions, memory maps, threads)."""
import base64
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import witness

BUILD = os.path.abspath(os.environ.get("OTELPROF_BUILD_DIR", "build"))
HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(BUILD, "libotelprof.so")
GO = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
CACHE = os.environ.get("OTELPROF_CACHE") or os.path.expanduser("~/.cache/otelprof")
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
CHILD = "printenv A; exit 3"  # what a program that starts others starts

SMALL = 256 << 10  # bytes: a step of the heap, for LD_PRELOAD is a variable more, and the loader's own bookkeeping

# Each runs by sh -c in a directory with the files that setUp makes.
PROGRAMS = {
    "sh": f"sh -c 'trap : USR1; sh -c \"{CHILD}\"; echo $?'",
    "bash": f"bash -c 'trap \"\" HUP; x=$(bash -c \"{CHILD}\"); echo $x $?; kill -TERM $$'",
    "env": f"env B=2 sh -c '{CHILD}'",
    "ls": "ls -la --time-style=+x text.txt missing",
    "cp": "cp -r tree copy",
    "mv": "mv text.txt moved; mv missing moved",
    "rm": "rm -r tree missing",
    "cat": "cat text.txt missing",
    "head": "head -5 text.txt",
    "tail": "tail -c 100 text.txt",
    "tee": "tee one two <text.txt | tail -1",
    "git": "git init -q r && cd r && git -c user.name=a -c user.email=b commit -q --allow-empty -m x; "
           "git log --format=%s; git x",
    "tar": "tar cf a.tar tree && tar tf a.tar; tar xzf missing.tar",
    "gzip": "gzip -9nc text.txt | gunzip | wc -c",
    "xz": "xz -T1 -c text.txt | xz -dc | wc -l",
    "bzip2": "bzip2 -c text.txt | bunzip2 | wc -l",
    "grep": "grep -c line text.txt; grep -r 7 tree; grep -E '(' text.txt",
    "sed": "sed -n 's/line/row/p;5q' text.txt; sed s/",
    "awk": f"awk '{{ n += $2 }} END {{ print n; system(\"{CHILD}\") }}' text.txt",
    "find": "find tree -name '*.txt' -exec printenv A \\;",
    "sort": "sort -rn -k2 text.txt | tail -3; sort --parallel=1 -S 1M text.txt -o sorted",
    "uniq": "uniq -c text.txt | tail -1",
    "wc": "wc text.txt missing",
    "tr": "tr a-z A-Z <text.txt | tail -1",
    "diff": "diff text.txt tree/a.txt",
    "xargs": "echo 1 2 3 | xargs -n1 sh -c 'echo $A $1' x",
    "date": "date -u -d @0",
    "sha256sum": "sha256sum text.txt",
    "timeout": "timeout 20 sh -c 'exit 5'; timeout -s KILL 0.1 sleep 20",
    "nohup": "nohup printenv A",
    "make": "make -s -f Makefile all; make -s -f Makefile broken",
    "gcc": "gcc -o program program.c && ./program; gcc broken.c",
    "perl": f"perl -e '$SIG{{ALRM}} = sub {{ }}; print join(q(,), 1..9); system(q({CHILD})); die q(gone)'",
    "python3": "python3 -c 'import os, threading, subprocess as s; print(s.call([\"printenv\", \"A\"])); "
               "t = threading.Thread(target=sum, args=([1],)); t.start(); t.join(); os.kill(os.getpid(), 15)'",
    "ruby": "ruby -e 'trap(:USR2) { }; puts `printenv A`; Thread.new { 1 + 1 }.join; raise %q(gone)'",
    "php": "php -r 'echo shell_exec(\"printenv A\"); exit(7);'",
    "sqlite3": "sqlite3 base.db 'create table t(a); insert into t values(1),(2); select sum(a) from t; select x;'",
    "openssl": "openssl version; openssl dgst -sha256 text.txt; openssl x",
    "curl": "curl -s file://$PWD/text.txt | tail -1; curl -sS http://127.0.0.1:9/",
    "ssh": "ssh -V; ssh -o BatchMode=yes -o ConnectTimeout=1 -p 9 127.0.0.1 true",
    "rg": "rg --no-config -j1 -c line text.txt; rg --no-config -j1 '(' text.txt",
    "java": "java -XX:-UsePerfData -cp . Main; java -version",
    "cgo": "$CGO_PROGRAM 30",
    "npm": "npm --version; npm root",
    "node": "node -e 'console.log(require(\"child_process\").execSync(\"printenv A\") + \"\"); process.exitCode = 9'",
}
OURS = {27, *range(35, 65)}  # signals that our timers may use
# Threads come and go by chance: neither their number is compared nor what hangs on it, maps and the lowest descriptor.
BY_CHANCE = {"java", "cgo", "go", "node", "npm"}
# Two threads add up numbers and print the sum; System.exit(6). Compiled, for a compiler comes with the JDK alone:
# public class Main extends Thread {
#     public void run() {
#         long n = 0; for (int i = 0; i < 60000000; i++) n += i % 7; System.out.println(n);
#     }
#     public static void main(String[] a) throws Exception {
#         Main t = new Main(); t.start(); new Main().run(); t.join(); System.exit(6);
#     }
# }
JAVA = """
yv66vgAAADQAKwoAAgADBwAEDAAFAAYBABBqYXZhL2xhbmcvVGhyZWFkAQAGPGluaXQ+AQADKClWAwOThwAJAAkACgcACwwADAANAQAQamF2YS
9sYW5nL1N5c3RlbQEAA291dAEAFUxqYXZhL2lvL1ByaW50U3RyZWFtOwoADwAQBwARDAASABMBABNqYXZhL2lvL1ByaW50U3RyZWFtAQAHcHJp
bnRsbgEABChKKVYHABUBAARNYWluCgAUAAMKABQAGAwAGQAGAQAFc3RhcnQKABQAGwwAHAAGAQADcnVuCgAUAB4MAB8ABgEABGpvaW4KAAkAIQ
wAIgAjAQAEZXhpdAEABChJKVYBAARDb2RlAQANU3RhY2tNYXBUYWJsZQEABG1haW4BABYoW0xqYXZhL2xhbmcvU3RyaW5nOylWAQAKRXhjZXB0
aW9ucwcAKgEAE2phdmEvbGFuZy9FeGNlcHRpb24AIQAUAAIAAAAAAAMAAQAFAAYAAQAkAAAAEQABAAEAAAAFKrcAAbEAAAAAAAEAHAAGAAEAJA
AAADwABAAEAAAAIAlAAz4dEgeiABEfHRAHcIVhQIQDAaf/77IACB+2AA6xAAAAAQAlAAAACgAC/QAEBAH6ABMACQAmACcAAgAkAAAALAACAAIA
AAAguwAUWbcAFkwrtgAXuwAUWbcAFrYAGiu2AB0QBrgAILEAAAAAACgAAAAEAAEAKQAA
"""


def settled(text):
    """Without what differs from run to run: names of temporary files, times."""
    text = re.sub(rb"after \d+ ms", b"after N ms", re.sub(rb"/tmp/cc\w+", b"/tmp/cc", text))
    return re.sub(rb"(?m)^used \d+ \d+$", b"used", text)


def bits(mask):
    return {n + 1 for n in range(64) if int(mask, 16) >> n & 1}


def without_ours(environment):
    return tuple(settled(e) for e in environment if not e.startswith((b"LD_PRELOAD=", b"OTEL_")))


class Everyday(unittest.TestCase):
    maxDiff = 3000

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.mkdtemp(prefix="otelprof-everyday-")
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        cls.go_program = os.path.join(cls.home, "cgo")
        env = {**os.environ, "GOCACHE": os.path.join(CACHE, "go-build"), "GOFLAGS": "", "GO111MODULE": "off",
               "CGO_ENABLED": "1", "GOTOOLCHAIN": "local"}
        env.pop("LD_PRELOAD", None)
        source = os.path.join(HERE, "../hazards/cgo_program.go")
        subprocess.run([GO, "build", "-o", cls.go_program, source], check=True, env=env)

    def setUp(self):
        self.work = os.path.join(self.home, "work")
        self.profiles = os.path.join(self.home, "profiles")

    def fill(self):
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(os.path.join(self.work, "tree", "deep"))
        lines = "".join(f"line {i}\n" for i in range(3000))
        files = {"text.txt": lines, "tree/a.txt": "line 7\n", "tree/deep/b.txt": "",
                 "program.c": "#include <stdio.h>\nint main(void) { puts(\"compiled\"); return 3; }\n",
                 "broken.c": "int main(void) { return }\n",
                 "Makefile": "all:\n\t@echo made; printenv A\nbroken:\n\t@false\n"}
        for name, text in files.items():
            with open(os.path.join(self.work, name), "w") as file:
                file.write(text)
            os.utime(os.path.join(self.work, name), (1e9, 1e9))
        with open(os.path.join(self.work, "Main.class"), "wb") as file:
            file.write(base64.b64decode(JAVA))

    def run_program(self, name, **variables):
        self.fill()
        env = {"PATH": PATH, "HOME": self.home, "LC_ALL": "C", "A": "a value", "npm_config_update_notifier": "false",
               "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000",
               "CGO_PROGRAM": self.go_program, **variables}
        result = witness.run(["/bin/sh", "-c", PROGRAMS[name]], env, self.work)
        made = sorted(os.path.relpath(p, self.work) for p in glob.glob(os.path.join(self.work, "**"), recursive=True))
        return result, made

    def judge(self, name, plain, ours, profiled):
        """Compares all there is; gives a row of the table."""
        (base, made), (with_us, made_with_us) = plain, ours
        self.assertEqual((with_us.code, settled(with_us.out), settled(with_us.err), made_with_us),
                         (base.code, settled(base.out), settled(base.err), made))

        def begins(result):
            return sorted((b.program, without_ours(b.environment), b.lowest_fd, b.blocked, b.ignored)
                          for b in result.begins)

        self.assertEqual(begins(with_us), begins(base), "what programs are given")
        for begin in with_us.begins[1:]:
            preloaded = [e for e in begin.environment if e.startswith(b"LD_PRELOAD=")]
            self.assertIn(preloaded, ([], [b"LD_PRELOAD=" + LIBRARY.encode()]))

        def ends(result):
            fds = [(e.lowest_fd, e.fds) if name not in BY_CHANCE else (-1, -1) if profiled else (-1, e.fds)
                   for e in result.ends]
            return sorted((e.program, e.code, n, e.blocked, e.ignored) for e, n in zip(result.ends, fds))

        self.assertEqual(ends(with_us), ends(base), "what programs have at their end")
        return self.judge_maps(name, base.ends, with_us.ends, profiled)

    def judge_maps(self, name, base, with_us, profiled):
        def ordered(ends):
            return sorted(ends, key=lambda e: (e.program, e.code, sorted(set(e.files) - {LIBRARY}),
                                               sorted(bits(e.caught) - OURS), e.size))

        growth, added_threads, added_handlers = [], 0, set()
        for before, after in zip(ordered(base), ordered(with_us)):
            files = dict(after.files)
            files.pop(LIBRARY, None)
            if name not in BY_CHANCE:
                self.assertEqual(set(files), set(before.files), "mapped files")
                growth.append((after.size - before.size, LIBRARY in after.files))
            handlers, names = bits(after.caught) ^ bits(before.caught), after.names - before.names
            is_ours = "otelprof" in names
            if not profiled:
                self.assertEqual((handlers, is_ours), (set(), False))
            self.assertLessEqual(bits(before.caught), bits(after.caught))
            self.assertLessEqual(len(handlers), 1)
            self.assertLessEqual(handlers, OURS)
            if name not in BY_CHANCE:  # it may end before it has its name
                self.assertIn(after.threads - before.threads, (0, 1) if profiled else (0,))
            added_threads += is_ours
            added_handlers |= handlers
        return growth, added_threads, sorted(added_handlers)

    def compare(self, name, selected, variables):
        """Without us and with us. On a machine that stands still for a while some programs differ from themselves: what
        differs is in the log, and a second look decides."""
        for attempt in range(2):
            plain, ours = self.run_program(name), self.run_program(name, LD_PRELOAD=LIBRARY, **variables)
            try:
                return plain, ours, self.judge(name, plain, ours, selected)
            except AssertionError as error:
                if attempt:
                    raise
                print(f"    {name} differs, looked at again: {error}", file=sys.stderr, flush=True)
        return None

    def table(self, profiled, **variables):
        print(f"    {'program':10} {'processes':>9} {'exit':>5} {'maps KiB':>12} {'threads':>7}  handlers",
              file=sys.stderr)
        counted = 0
        for name in PROGRAMS:
            with self.subTest(name):
                program = PROGRAMS[name].split()[0]
                if not program.startswith("$"):
                    self.assertTrue(shutil.which(program, path=PATH), f"{program} is not installed")
                selected = profiled or name == "node"
                plain, ours, (growth, threads, handlers) = self.compare(name, selected, variables)
                sizes = [size for size, loaded in growth if loaded]
                if not selected:
                    for size, loaded in growth:
                        self.assertLessEqual(abs(size - self.own_size() * loaded), SMALL)
                span = f"{min(sizes) >> 10}..{max(sizes) >> 10}" if sizes else "by chance"
                print(f"    {name:10} {len(plain[0].ends):9} {ours[0].code:5} {span:>12} {threads:+7}  "
                      f"{handlers or '='}", file=sys.stderr, flush=True)
                counted += 1
        self.assertGreaterEqual(counted, 40)

    def own_size(self):
        """What the loader maps of the library, with its zero pages."""
        text = subprocess.run(["readelf", "-lW", LIBRARY], capture_output=True, text=True, check=True).stdout
        loads = [line.split() for line in text.splitlines() if line.split()[:1] == ["LOAD"]]
        last = max(int(fields[2], 16) + int(fields[5], 16) for fields in loads)
        return (last + 4095) & ~4095

    def test_left_alone(self):
        """All but node and the application that npm would start, in the default environment."""
        self.table(False, OTEL_PROFILES_EXPORTER="file", OTEL_PROFILING_FILE_DIR=self.profiles)
        self.assertEqual([name.split("_")[-1] for name in os.listdir(self.profiles)], ["node"])
        shutil.rmtree(self.profiles)

    def test_profiled(self):
        names = {os.path.basename(os.path.realpath(shutil.which(shlex.split(c)[0], path=PATH) or "x"))
                 for c in PROGRAMS.values()}
        names |= {"printenv", "sleep", "program", "cgo", "cc1", "as", "ld", "collect2", "gunzip", "bunzip2", "false",
                  "npm*"}
        self.table(True, OTEL_PROFILING_INCLUDE=",".join(sorted(names)), OTEL_PROFILES_EXPORTER="file",
                   OTEL_PROFILING_FILE_DIR=self.profiles, OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS="1000",
                   OTEL_PROFILING_EXIT_TIMEOUT_MS="10000")
        services = sorted({os.path.basename(os.path.dirname(path)).split("_")[-1]
                           for path in glob.glob(os.path.join(self.profiles, "*", "*.pb.gz"))})
        print(f"    profiles of {', '.join(services)}", file=sys.stderr)
        self.assertGreater(len(services), 3)


if __name__ == "__main__":
    unittest.main()
