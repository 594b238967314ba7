# SPDX-License-Identifier: Apache-2.0
"""What happens around a program's start: before our constructor, in odd company of the loader, after a change of user."""
import os
import shutil
import struct
import subprocess
import unittest

from hazard_case import HazardCase
from profiled_case import LIBRARY, cumulative, report, total

CACHE = os.environ.get("OTELPROF_CACHE") or os.path.expanduser("~/.cache/otelprof")
STARTS = 50


class BeforeMain(HazardCase):
    """H38: our functions are called before our constructor and after our destructor."""

    def same(self, how):
        plain = self.plain("before_main", how)
        run = self.profile("before_main", how, interval=1000)

        def said(of):
            return of.returncode, [line for line in of.out.splitlines() if not line.startswith("used")], of.err

        self.assertEqual(said(run), said(plain))
        return run

    def test_threads_handlers_and_a_child(self):
        run = self.same("threads")
        self.assertEqual((run.returncode, run.lines("second")), (3, [["12", "child", "5", "mask", "1"]]))
        begin, end = run.used()
        early, main = (cumulative(run.profiles, name) for name in ("burn_in_early_thread", "burn_in_main"))
        report(f"early thread {early / 1e6:.0f}, main {main / 1e6:.0f} ms of 300 each, total {total(run.profiles) / 1e6:.0f}"
               f" of {(end - begin) / 1e6:.0f} ms since main began")
        self.assertGreater(early, 200e6)
        self.assertGreater(main, 200e6)
        self.assertAlmostEqual(total(run.profiles) / (end - begin), 1, delta=0.05)

    def test_exit_before_everything(self):
        self.assertEqual(self.same("exit").returncode, 7)

    def test_work_after_all_destructors(self):
        run = self.same("late")
        self.assertIn("late\n", run.out)
        self.assertGreater(cumulative(run.profiles, "burn_in_main"), 200e6)


class Environment(HazardCase):
    """H11: the program and its children have the environment that they were given, to the byte."""

    def test_a_program_with_a_copy_of_environ(self):
        program = self.fixture("environment")
        relocations = subprocess.run(["readelf", "-rW", program], capture_output=True, text=True, check=True).stdout
        self.assertRegex(relocations, r"R_\w+_COPY.* _*environ")
        odd = {"A": "1", "EMPTY": "", "SPACES": " a  b ", "LINE": "=x=y", "NODE_OPTIONS": "--max-old-space-size=100"}
        for given in ({}, odd):
            plain = self.execute([program], given, 20)
            ours = {"LD_PRELOAD": LIBRARY, "OTEL_PROFILING_INCLUDE": "environment", "OTEL_PROFILES_EXPORTER": "file",
                    "OTEL_PROFILING_FILE_DIR": self.profile_dir()}
            for more in ({"LD_PRELOAD": LIBRARY}, ours):
                run = self.execute([program], {**given, **more}, 20)
                added = [f"{k}={v}" for k, v in more.items()]
                left = [line for line in run.out.splitlines() if line.partition(" ")[2] not in added and line not in added]
                self.assertEqual((run.returncode, left, run.err), (0, plain.out.splitlines(), ""))
                # The variables of ours are given on, each once: to main, in |environ|, after changes, to the child.
                for entry in added:
                    self.assertEqual(sum(line.endswith(entry) for line in run.out.splitlines()), 4, entry)


class Libraries(HazardCase):
    """H6: others in the process whose tables are empty or odd."""

    def library(self, name, *options, change=None):
        path = os.path.join(self.directory, f"lib{name}.so")
        subprocess.run(["gcc", "-shared", "-nostdlib", "-o", path, *options, "-x", "c", "/dev/null"], check=True)
        if change:
            with open(path, "r+b") as file:
                data = bytearray(file.read())
                change(data)
                file.seek(0)
                file.write(data)
        return path

    @staticmethod
    def section(data, name):
        """(offset, bytes) of a section of an ELF file."""
        at, size, count, names = (struct.unpack_from("<Q", data, 0x28)[0], *struct.unpack_from("<HHH", data, 0x3A))
        rows = [struct.unpack_from("<IIQQQQIIQQ", data, at + i * size) for i in range(count)]
        text = rows[names][4]
        for row in rows:
            end = data.index(0, text + row[0])
            if data[text + row[0]:end] == name:
                return row[4], row[5]
        raise KeyError(name)

    def no_buckets(self, data):
        at, _ = self.section(data, b".gnu.hash")
        struct.pack_into("<I", data, at, 0)

    @staticmethod
    def no_sections(data):
        struct.pack_into("<Q", data, 0x28, 0)
        struct.pack_into("<HHH", data, 0x3A, 0, 0, 0)

    @staticmethod
    def sections_beyond_the_end(data):
        struct.pack_into("<Q", data, 0x28, len(data) + (1 << 40))

    def test_empty_and_damaged_tables(self):
        libraries = [self.library("gnu", "-Wl,--hash-style=gnu"), self.library("sysv", "-Wl,--hash-style=sysv"),
                     self.library("buckets", "-Wl,--hash-style=gnu", change=self.no_buckets),
                     self.library("sections", change=self.no_sections),
                     self.library("beyond", change=self.sections_beyond_the_end),
                     self.library("stripped", "-s", "-Wl,--build-id=none")]
        program = self.fixture("burners")
        for library in libraries:
            plain = self.execute([program, 2, 10], {**self.plain_environment(), "LD_PRELOAD": library}, 20)
            self.assertEqual((plain.returncode, plain.err), (0, ""), library)
        for order in ([LIBRARY, *libraries], [*libraries, LIBRARY]):
            shutil.rmtree(self.profile_dir(), ignore_errors=True)
            run = self.execute([program, 2, 200], {**self.environment(program), "LD_PRELOAD": ":".join(order)}, 20)
            self.assert_clean(run)
            self.assert_total(run)
            self.assertGreater(cumulative(run.profiles, "burner"), 0.9 * total(run.profiles))

    def test_a_plugin_that_is_bound_deep(self):
        """H37: its calls pass us by."""
        plugin = os.path.join(os.path.dirname(self.fixture("deep_bind")), "libdeep_bind_plugin.so")
        plain = self.plain("deep_bind", plugin)
        run = self.profile("deep_bind", plugin, options={"collection_interval_ms": 100})
        self.assert_clean(run)
        self.assertEqual((run.lines("plugin"), plain.lines("plugin")), ([["1005"]], [["1005"]]))
        # The threads block all signals: their time is in the total, and in no function.
        report(f"total {self.assert_total(run, slack=5e6):+.2%}, [unsampled] "
               f"{cumulative(run.profiles, '[unsampled]') / 1e6:.0f} ms of 800 in the plugin's threads")
        self.assertGreater(cumulative(run.profiles, "burn_in_main"), 200e6)


class Users(HazardCase):
    def test_a_program_that_its_user_may_not_read(self):
        """After an exec of such a file the process may not read its own /proc/self/environ and maps."""
        program = os.path.join(self.directory, "unreadable")
        shutil.copy(self.fixture("burners"), program)
        os.chmod(program, 0o111)
        library = os.path.join(self.directory, "libotelprof.so")
        shutil.copy(LIBRARY, library)
        os.mkdir(self.profile_dir())
        os.chmod(self.profile_dir(), 0o777)
        as_nobody = ["setpriv", "--reuid", "65534", "--clear-groups", "env"]
        for more in ({}, {"OTEL_PROFILING_INCLUDE": "unreadable", "OTEL_PROFILES_EXPORTER": "file",
                          "OTEL_PROFILING_FILE_DIR": self.profile_dir()}):
            line = [*as_nobody, f"LD_PRELOAD={library}", *(f"{k}={v}" for k, v in more.items()), program, 2, 300]
            run = self.execute(line, self.plain_environment(), 20)
            self.assert_clean(run)
            self.assertEqual((run.lines("threads"), bool(run.profiles)), ([["2"]], bool(more)))
        self.assert_total(run)

    def test_the_first_process_of_a_namespace(self):
        """H25 and H43: its number is 1 there."""
        program = self.fixture("burners")
        env = self.environment(program)
        run = self.execute(["unshare", "-p", "-f", "--mount-proc", "env", f"LD_PRELOAD={LIBRARY}", program, 2, 300],
                           {k: v for k, v in env.items() if k != "LD_PRELOAD"}, 20)
        self.assert_clean(run)
        self.assertEqual({p.pid for p in run.profiles}, {1})
        self.assert_total(run)


class Node(HazardCase):
    def test_fifty_starts_of_a_node_that_resets_its_signals(self):
        """Before 18.17 it gave signals 1 to 31 their default action at its start: a tick was its end."""
        node = os.path.join(CACHE, "node-16.20.2", "bin", "node")
        env = self.environment("node", interval=1000)
        for _ in range(STARTS):
            run = subprocess.run([node, "-p", "6 * 7"], env=env, timeout=30, capture_output=True, text=True, check=False)
            self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "42\n", ""))


class Threads(HazardCase):
    def test_five_thousand_threads_at_once(self):
        """H41: more than any table was made for. What has no place in one is counted, and in the total."""
        plain = self.plain("burners", 5000, 2, "small")
        run = self.profile("burners", 5000, 2, "small", deadline=120)
        self.assertEqual((run.returncode, run.lines("threads")), (plain.returncode, plain.lines("threads")))
        self.assertEqual(run.lines("threads"), [["5000"]])
        report(f"total {self.assert_total(run, slack=20e6):+.2%}, dropped {run.profiles[-1].dropped()}: {run.err.strip()}")


if __name__ == "__main__":
    unittest.main()
