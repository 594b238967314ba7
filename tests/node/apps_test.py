# SPDX-License-Identifier: Apache-2.0
"""Real applications from npm (apps/package.json): what they print, write and answer is the same with and without the
library, their profile names the packages' own functions, and its total is the process' CPU time."""
import collections
import glob
import hashlib
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest
import urllib.request

import node_case

APPS = os.path.join(node_case.HERE, "apps")
LIMIT = 180  # seconds for one program on a busy machine
BEFORE_LIBRARY = 10e6  # ns of CPU
CLOCK_STEP = 1e6  # ns: the kernel tells user and system time in microseconds, each thread's time when it ended

Run = collections.namedtuple("Run", "returncode stdout stderr cpu pid")  # cpu: ns of the process alone


def packages():
    cache = os.environ.get("OTELPROF_CACHE") or os.path.expanduser("~/.cache/otelprof")
    with open(os.path.join(APPS, "package-lock.json"), "rb") as lock:
        return os.path.join(cache, "apps-" + hashlib.sha256(lock.read()).hexdigest()[:16], "node_modules")


def package_of(frame):
    found = re.findall(r"/node_modules/((?:@[^/]+/)?[^/]+)/", frame.file)
    return found[-1] if found else None


def by_package(profiles):
    """ns by the package of the innermost frame that belongs to one."""
    times = collections.Counter()
    for sample in profiles.samples:
        owners = [package for package in map(package_of, sample.stack) if package]
        if owners:
            times[owners[0]] += sample.nanos
    return times


def with_package(samples, package):
    """ns of the samples with a named function of |package| anywhere in the stack."""
    return sum(sample.nanos for sample in samples
               if any(package_of(frame) == package and frame.name not in ("", "[unknown]") for frame in sample.stack))


def with_unknown(profiles):
    return sum(s.nanos for s in profiles.samples if any(frame.name == "[unknown]" for frame in s.stack))


def files_under(directory):
    contents = {}
    for path in glob.glob(os.path.join(directory, "**"), recursive=True):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                contents[os.path.relpath(path, directory)] = hashlib.sha256(file.read()).hexdigest()
    return contents


class AppCase(node_case.NodeCase):
    options = {}  # environment of the profiled run only

    def setUp(self):
        super().setUp()
        self.assertTrue(os.path.isdir(packages()), f"{packages()}: run fetch-apps.sh")
        os.symlink(packages(), os.path.join(self.directory, "node_modules"))

    def launch(self, profiled, *arguments):
        shutil.rmtree(self.profile_directory, ignore_errors=True)
        env = self.preload(**self.options) if profiled else node_case.clean_environment()
        env.update(CI="1", NO_COLOR="1")
        env["PATH"] = os.path.dirname(node_case.NODE) + ":" + env["PATH"]
        streams = [open(os.path.join(self.directory, name), "w") for name in ("stdout", "stderr")]
        process = subprocess.Popen([node_case.NODE, "-r", os.path.join(APPS, "exit-clock.js"), *arguments], env=env,
                                   cwd=self.directory, stdin=subprocess.DEVNULL, stdout=streams[0], stderr=streams[1])
        for stream in streams:
            stream.close()
        self.addCleanup(self.end, process)
        return process

    def printed(self, name):
        with open(os.path.join(self.directory, name)) as file:
            return file.read()

    def collect(self, process):
        """The Run of |process|, whose CPU time is wait4's: children that it waited for itself are in it."""
        deadline = time.monotonic() + LIMIT
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            self.assertLess(time.monotonic(), deadline, f"still running: {process.args}")
            time.sleep(0.02)
        process.returncode = os.waitstatus_to_exitcode(status)
        return Run(process.returncode, self.printed("stdout"), self.printed("stderr"),
                   (usage.ru_utime + usage.ru_stime) * 1e9, process.pid)

    def run_app(self, profiled, *arguments, output=None):
        """(Run, contents of the directory |output|)."""
        if output:
            shutil.rmtree(os.path.join(self.directory, output), ignore_errors=True)
        run = self.collect(self.launch(profiled, *arguments))
        return run, files_under(os.path.join(self.directory, output)) if output else {}

    def compare(self, *arguments, output=None, code=0, steady=lambda text: text):
        plain, expected = self.run_app(False, *arguments, output=output)
        self.assertEqual(plain.returncode, code, plain.stdout + plain.stderr)
        run, files = self.run_app(True, *arguments, output=output)
        self.assertEqual((run.returncode, steady(self.steady(run.stdout)), steady(self.steady(run.stderr))),
                         (plain.returncode, steady(self.steady(plain.stdout)), steady(self.steady(plain.stderr))))
        self.assertEqual(files, expected)
        if output:
            self.assertTrue(files, "nothing was written")
        return plain, run, node_case.Profiles(self.profile_directory)

    def judge(self, plain, run, profiles, package, share, single=True):
        """At least |share| of the main thread's time (not single: of all time) is under functions of |package|, V8's
        own threads have none; all JavaScript has names; single: the total lies between the process'
        CPU clock at its exit and what wait4 tells."""
        total = profiles.total()
        top = ", ".join(f"{name} {nanos / total:.0%}" for name, nanos in by_package(profiles).most_common(3))
        judged = [s for s in profiles.samples if not single or s.labels.get("thread.id") == run.pid]
        of = sum(s.nanos for s in judged)
        held = with_package(judged, package)
        print(f"  {package}: CPU {plain.cpu / 1e6:.0f} ms without, {run.cpu / 1e6:.0f} with, profile {total / 1e6:.0f}, "
              f"{profiles.count()} samples, under {package} {held / of:.1%} of {of / 1e6:.0f}, "
              f"[unknown] {with_unknown(profiles) / total:.2%}, leaf packages: {top}", file=sys.stderr)
        self.assertGreater(profiles.count(), 30)
        self.assertGreaterEqual(held, share * of, top)
        self.assertLessEqual(with_unknown(profiles), 0.01 * total)
        self.assert_nothing_lost(profiles)
        if single:
            self.assertEqual(profiles.pids(), {run.pid})
            self.judge_total(run, total)

    def judge_total(self, run, total):
        """The total lies between the process' CPU clock at its exit event and what the kernel counted in the end, which
        has the end of Node and the freeing of its memory. Of the clock at exit we lack what passed before the library
        was loaded: the kernel's exec and the dynamic loader."""
        at_exit = int(self.printed("exit-micros")) * 1e3
        print(f"  total: {at_exit / 1e6:.1f} ms at exit, {total / 1e6:.1f} in the profile, {run.cpu / 1e6:.1f} in the end",
              file=sys.stderr)
        self.assertGreaterEqual(total, at_exit - BEFORE_LIBRARY)
        self.assertLessEqual(total, run.cpu + CLOCK_STEP)


class Compilers(AppCase):
    def copy(self, source, target):
        shutil.copytree(source, os.path.join(self.directory, target))

    def test_typescript_compiles_rxjs(self):
        self.copy(os.path.join(packages(), "rxjs", "src", "internal"), "internal")
        sources = sorted(glob.glob(os.path.join(self.directory, "internal", "operators", "m*.ts")))
        self.assertGreater(len(sources), 5)
        options = {"outDir": "out", "target": "es2019", "module": "commonjs", "types": [], "lib": ["es2019", "dom"]}
        self.write("tsconfig.json", json.dumps({"compilerOptions": options, "files": sources}))
        found = self.compare("node_modules/typescript/bin/tsc", "-p", "tsconfig.json", output="out")
        self.judge(*found, package="typescript", share=0.9)

    def test_eslint_reads_fastify(self):
        self.copy(os.path.join(packages(), "fastify", "lib"), "lib")
        self.write("eslintrc.json", json.dumps({"root": True, "env": {"node": True, "es2022": True},
                                                "extends": "eslint:recommended", "parserOptions": {"ecmaVersion": 2022},
                                                "rules": {"no-unused-vars": "warn", "no-prototype-builtins": "warn"}}))
        found = self.compare("node_modules/eslint/bin/eslint.js", "--no-eslintrc", "-c", "eslintrc.json", "lib",
                             code=1)  # it finds errors, which are part of what is compared
        self.judge(*found, package="eslint", share=0.7)

    def test_webpack_bundles_a_page(self):
        self.copy(os.path.join(APPS, "page"), "page")
        self.write("build.js", "require('webpack')({mode: 'production', context: __dirname, entry: './page/src/plain.js',"
                               " optimization: {minimize: false}, output: {path: __dirname + '/out'}},"
                               " (error, stats) => { if (error) throw error;"
                               " console.log(stats.toString({timings: false, colors: false, version: false}));"
                               " process.exitCode = stats.hasErrors() ? 1 : 0; });")
        found = self.compare("build.js", output="out")
        self.judge(*found, package="webpack", share=0.6)

    def test_vite_builds_a_page(self):
        self.copy(os.path.join(APPS, "page"), "page")
        found = self.compare("node_modules/vite/bin/vite.js", "build", "page", "--outDir", "../out", "--emptyOutDir",
                             output="out", steady=lambda text: re.sub(r"in [\d.]+m?s", "in TIME", text))
        self.judge(*found, package="rollup", share=0.1, single=False)  # esbuild is a process of its own


class Servers(AppCase):
    REQUESTS = 4000

    def answers(self, profiled, script):
        """(Run, bodies and headers): the service's answers, before and after |REQUESTS| requests."""
        shutil.copy(os.path.join(APPS, script), self.directory)
        process = self.launch(profiled, script)
        deadline = time.monotonic() + LIMIT
        while not self.printed("stdout").endswith("\n"):
            self.assertIsNone(process.poll(), self.printed("stderr"))
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        base = f"http://127.0.0.1:{int(self.printed('stdout'))}"
        before = self.ask(base)
        self.load(base + "/items/7?a=b&c=d")
        self.assertEqual(self.ask(base), before)
        process.send_signal(signal.SIGTERM)
        return self.collect(process), before

    @staticmethod
    def ask(base):
        found = []
        for path, body in (("/items/7?a=b", None), ("/echo", b'{"name":"x"}'), ("/page", None)):
            request = urllib.request.Request(base + path, body, {"Content-Type": "application/json"} if body else {})
            with urllib.request.urlopen(request, timeout=60) as answer:
                headers = {k: v for k, v in answer.getheaders() if k.lower() != "date"}
                found.append((answer.status, headers, answer.read()))
        return found

    def load(self, url):
        autocannon = os.path.join(packages(), "autocannon", "autocannon.js")
        result = subprocess.run([node_case.NODE, autocannon, "--json", "-c", "10", "-a", str(self.REQUESTS), url],
                                env=node_case.clean_environment(), capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(result.returncode, 0, result.stderr)
        told = json.loads(result.stdout)
        self.assertEqual((told["2xx"], told["non2xx"], told["errors"]), (self.REQUESTS, 0, 0))

    def serve(self, script, package, share):
        plain, expected = self.answers(False, script)
        run, answers = self.answers(True, script)
        self.assertEqual((run.returncode, run.stderr, answers), (plain.returncode, plain.stderr, expected))
        self.assertEqual(plain.returncode, 0, plain.stderr)
        self.judge(plain, run, node_case.Profiles(self.profile_directory), package=package, share=share)

    def test_express(self):
        self.serve("express.js", "express", 0.4)

    def test_fastify(self):
        self.serve("fastify.js", "fastify", 0.3)


class TestRunners(AppCase):
    options = {"OTEL_PROFILING_IN_TESTS": "true"}  # they set NODE_ENV=test for their workers

    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(APPS, "suite"), os.path.join(self.directory, "suite"))

    @staticmethod
    def without_times(text):
        """The lines of |text| in order of the alphabet: the files' order is that of their ends. vitest lists a single
        test, without a mark of the file, only if it took longer than 300 ms."""
        text = re.sub(r"(?m)^\s*(Time:|Duration|Start at|✓ the sum).*\n?", "", text)
        return sorted(re.sub(r"\s*\(?\d[\d.]* ?m?s\)?", "", text).split("\n"))

    def judge_workers(self, found, package):
        profiles = found[2]
        self.judge(*found, package=package, share=0.02, single=False)
        tested = profiles.stacks_of("slowSum")
        self.assertEqual({os.path.basename(f.file) for s in tested for f in s.stack if f.name == "slowSum"},
                         {"part1.test.js", "part2.test.js", "part3.test.js"})
        return profiles

    def test_jest(self):
        self.write("package.json", '{"name": "suite", "jest": {"testEnvironment": "node"}}')
        found = self.compare("node_modules/jest/bin/jest.js", "--maxWorkers=2", "--no-cache", "--watchman=false", "suite",
                             steady=self.without_times)
        self.assertGreater(len(self.judge_workers(found, "jest-runtime").pids()), 1)
        self.options = {}
        shutil.rmtree(self.profile_directory, ignore_errors=True)
        again = self.compare("node_modules/jest/bin/jest.js", "--maxWorkers=2", "--no-cache", "--watchman=false", "suite",
                             steady=self.without_times)
        self.assertEqual(len(again[2].pids()), 1)

    def test_vitest(self):
        # vitest ends its forks by SIGTERM, so their last window is lost: windows must be short against a fork's life.
        self.options = {**self.options, "OTEL_PROFILING_COLLECTION_INTERVAL_MS": "100"}
        for pool in ("forks", "threads"):
            with self.subTest(pool=pool):
                found = self.compare("node_modules/vitest/vitest.mjs", "run", "--globals", f"--pool={pool}", "--dir",
                                     "suite", steady=self.without_times)
                self.judge_workers(found, "vitest")


class Database(AppCase):
    def start_postgres(self):
        """A server of this test's own, as a user that is not root; gives its port."""
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        data = os.path.join(self.directory, "data")
        os.mkdir(data)
        user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        if user:
            os.chmod(self.directory, 0o755)
            os.chown(data, pwd.getpwnam("postgres").pw_uid, -1)
        options = dict(env=node_case.clean_environment(), cwd="/", stdin=subprocess.DEVNULL)
        subprocess.run([*user, f"{programs}/initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"], check=True,
                       capture_output=True, timeout=LIMIT, **options)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        process = subprocess.Popen([*user, f"{programs}/postgres", "-D", data, "-p", str(port), "-k", data, "-h",
                                    "127.0.0.1", "-F"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        self.addCleanup(self.stop_postgres, process, os.path.join(data, "postmaster.pid"))
        deadline = time.monotonic() + LIMIT
        while subprocess.run([f"{programs}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)], **options).returncode:
            self.assertIsNone(process.poll(), "postgres ended")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        return port

    @staticmethod
    def stop_postgres(process, pid_file):
        if process.poll() is None:
            with open(pid_file) as file:
                os.kill(int(file.readline()), signal.SIGINT)
        process.wait(timeout=LIMIT)

    def test_pg(self):
        port = self.start_postgres()
        shutil.copy(os.path.join(APPS, "postgres.js"), self.directory)
        self.judge(*self.compare("postgres.js", str(port)), package="pg", share=0.1)


SHORT_FORM = {20: [Compilers("test_eslint_reads_fastify"), Servers("test_express")],
              22: [Compilers("test_webpack_bundles_a_page"), Database("test_pg")],
              24: [Compilers("test_typescript_compiles_rxjs"), Servers("test_fastify")]}


def load_tests(loader, tests, pattern):
    """All in the long form; else two on each of three versions."""
    short = not node_case.FULL and SHORT_FORM.get(node_case.node_major())
    return unittest.TestSuite(short) if short else tests
