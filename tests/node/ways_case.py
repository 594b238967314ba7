# SPDX-License-Identifier: Apache-2.0
"""A program that is run twice at the same time, without and with the library, and found to be the same."""
import hashlib
import os
import re
import resource
import subprocess

from node_case import HERE, NODE, PROGRAMS, NodeCase, Profiles, Result, clean_environment, pprof_classes

WAYS = os.path.join(PROGRAMS, "ways")
HOT = "waysHot"  # programs/ways/hot.js


def way(name):
    return os.path.join(WAYS, name)


def without_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def package(*path):
    """A file of the npm packages that fetch-packages.sh fetched."""
    with open(os.path.join(HERE, "packages", "package-lock.json"), "rb") as lock:
        name = "packages-" + hashlib.sha256(lock.read()).hexdigest()[:16]
    cache = os.environ.get("OTELPROF_CACHE") or os.path.expanduser("~/.cache/otelprof")
    found = os.path.join(cache, name, "node_modules", *path)
    assert os.path.exists(found), f"{found} is missing: run tests/node/fetch-packages.sh"
    return found


class WaysCase(NodeCase):
    def setUp(self):
        super().setUp()
        pprof_classes()  # now: protoc's files would pass for ones that a program left behind
        self.places = {}
        for name in ("plain", "beside"):
            self.places[name] = os.path.join(self.directory, name)
            os.mkdir(self.places[name])

    def environment(self, name, extra=(), interval_micros=4000):
        """Of the run |name|, "plain" or "beside" the library."""
        if name == "plain":
            return clean_environment(**dict(extra))
        return self.preload(interval_micros, **dict(extra))

    def launch(self, name, *arguments, program=NODE, extra=(), interval_micros=4000, **options):
        for stream in ("stdin", "stdout", "stderr"):
            options.setdefault(stream, subprocess.PIPE)
        options.setdefault("env", self.environment(name, extra, interval_micros))
        process = subprocess.Popen([program, *arguments], cwd=self.places[name], text=True, **options)
        self.addCleanup(self.end, process)
        return process

    def both(self, *arguments, stdin="", timeout=60, **options):
        """The result of the run beside the library, after its exit code, stdout and stderr were found to be those of the
        plain one."""
        processes = {name: self.launch(name, *arguments, **options) for name in self.places}
        plain, beside = (self.output(name, processes[name], stdin, timeout) for name in ("plain", "beside"))
        self.assertEqual(beside, plain)
        pid = processes["beside"].pid
        return Result(*beside, Profiles(self.profile_directory), None, None, pid)

    def output(self, name, process, stdin="", timeout=60):
        out, err = process.communicate(stdin, timeout=timeout)
        return process.returncode, self.settled(name, out), self.settled(name, err)

    def settled(self, name, text):
        """|text| without what differs between any two runs: process ids, the directory, the inspector's addresses."""
        text = self.steady(text.replace(self.places[name], "CWD"))
        text = re.sub(r"(?m)^( *\d+: )0x[0-9a-f]+ $", r"\1ADDRESS", text)  # of code that was made, in native stacks
        return re.sub(r"ws://127\.0\.0\.1:\d+/[0-9a-f-]{36}", "ws://ADDRESS", text)

    def assert_hot(self, profiles, pid, name=HOT, unknown=0.1, least=0.5):
        """More than |least| of the CPU time of the process |pid| is in the JavaScript function |name|. Of a third of a
        second the first ticks may be unknown: on a busy machine V8 is met some milliseconds later."""
        part = profiles.of_pid(pid)
        total, hot = part.total(), part.cumulative(name)
        self.assertGreater(hot, least * total, f"{hot / 1e6:.0f} of {total / 1e6:.0f} ms, {len(part.paths)} files")
        self.assert_named(part, unknown)

    def both_hot(self, *arguments, returncode=0, least=0.5, **options):
        result = self.both(*arguments, **options)
        self.assertEqual(result.returncode, returncode, result.stderr)
        self.assert_hot(result.profiles, result.pid, least=least)
        return result
