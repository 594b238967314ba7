# SPDX-License-Identifier: Apache-2.0
"""H4 and H36: other libraries in LD_PRELOAD, before and after us."""
import glob
import os
import shutil
import subprocess
import unittest

from hazard_case import HazardCase
from profiled_case import BUILD, LIBRARY, report


def installed(pattern):
    found = sorted(glob.glob("/usr/lib/*/" + pattern))
    assert found, f"{pattern} is not installed"
    return found[0]


class Company(HazardCase):
    def in_both_orders(self, other, name, *arguments, interval=1000, **variables):
        """The program beside |other| alone, then with us before and after it."""
        program = self.fixture(name)
        plain = self.execute([program, *arguments], {**self.plain_environment(), "LD_PRELOAD": other, **variables}, 60)
        self.assertEqual((plain.returncode, plain.err), (0, ""))
        for order in ([LIBRARY, other], [other, LIBRARY]):
            shutil.rmtree(self.profile_dir(), ignore_errors=True)
            env = {**self.environment(program, interval), "LD_PRELOAD": ":".join(order), **variables}
            run = self.execute([program, *arguments], env, 60)
            self.assert_clean(run)
            yield plain, run

    def allocator(self, library):
        plugin = os.path.join(BUILD, "tests", "native", "libplugin_a.so")
        for _, run in self.in_both_orders(library, "soak_loader", 1000, plugin):
            error = self.assert_total(run)
            report(f"{os.path.basename(library)}: total {error:+.3%}")

    def test_tcmalloc(self):
        self.allocator(installed("libtcmalloc_minimal.so.4"))

    def test_mimalloc(self):
        self.allocator(installed("libmimalloc.so.2"))

    def test_jemalloc(self):
        self.allocator(installed("libjemalloc.so.2"))

    def test_a_faked_clock(self):
        """Profiles have the real one: what is faked is the program's."""
        for name in ("faketime/libfaketime.so.1", "faketime/libfaketimeMT.so.1"):
            for plain, run in self.in_both_orders(installed(name), "burners", 4, 150, FAKETIME="-1000d"):
                self.assertEqual(run.lines("threads"), plain.lines("threads"))
                self.assert_total(run)
                begin = os.stat(self.directory).st_mtime
                self.assertLess(abs(run.profiles[0].time / 1e9 - begin), 86400)

    def test_a_wrapper_of_sockets(self):
        for plain, run in self.in_both_orders(installed("torsocks/libtorsocks.so"), "burners", 4, 150):
            self.assertEqual(run.lines("threads"), plain.lines("threads"))
            self.assert_total(run)

    def test_a_shared_sanitizer_first(self):
        """H29: the only order that AddressSanitizer accepts. We stand down, in programs that are not built for it, too."""
        asan = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
        asan = os.path.realpath(asan.stdout.strip())
        built = os.path.join(self.directory, "built")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "burners.c")
        subprocess.run(["gcc", "-O1", "-fsanitize=address", "-I", os.path.join(os.path.dirname(source), "../native"), "-o",
                        built, source, "-lpthread"], check=True)
        for program in (built, self.fixture("burners")):
            env = {**self.environment(program), "ASAN_OPTIONS": "detect_leaks=0"}
            run = self.execute([program, 2, 100], {**env, "LD_PRELOAD": f"{asan} {LIBRARY}"}, 60)
            self.assert_clean(run)
            self.assertEqual((run.lines("threads"), run.profiles), ([["2"]], []))
        run = self.execute([built, 2, 100], env, 60)
        self.assertEqual(run.returncode, 1)
        self.assertIn("ASan runtime does not come first in initial library list", run.err)


if __name__ == "__main__":
    unittest.main()
