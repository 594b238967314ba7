# SPDX-License-Identifier: Apache-2.0
"""Programs of Debian 11 on its glibc 2.31, where threads and dlsym are in libraries of their own: those without them
are left alone, Node is profiled."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../native"))

from profiled_case import LIBRARY, ProfiledCase, cumulative, report, total  # noqa: E402

ROOT, NODE = os.environ["OTELPROF_OLD_ROOT"], os.environ["OTELPROF_NODE"]
LIBRARIES = ":".join(os.path.join(ROOT, d, "x86_64-linux-gnu") for d in ("lib", "usr/lib"))
LOADER = os.path.join(ROOT, "lib/x86_64-linux-gnu/ld-2.31.so")  # by the kernel, this is the program
BURN = """
function spin(until) {  // looks at the clock seldom: a look is a system call that takes longer than a round
  let x = 0;
  while (process.cpuUsage().user < until) for (let i = 0; i < 1e6; i++) x = (x * 31 + 7) % 1000003;
  return x;
}
const begin = process.cpuUsage();
spin(begin.user + 1e6);
const used = process.cpuUsage(begin);
console.log('spin', 1000 * (used.user + used.system));
const all = process.cpuUsage();
console.log('used', 0, 1000 * (all.user + all.system));"""


class OldLibc(ProfiledCase):
    def run_old(self, program, *arguments, preload=True, **options):
        env = self.environment(LOADER, **options)
        del env["LD_PRELOAD"]
        ours = ["--preload", LIBRARY] if preload else []
        return self.execute([LOADER, "--library-path", LIBRARIES, *ours, program, *arguments], env, 60)

    def check_same(self, program, *arguments, code=0):
        path = os.path.join(ROOT, program)
        plain, ours = (self.run_old(path, *arguments, preload=p) for p in (False, True))
        self.assertEqual((plain.returncode, plain.err), (code, ""))
        self.assertEqual((ours.returncode, ours.out, ours.err), (plain.returncode, plain.out, plain.err))
        self.assertEqual(ours.profiles, [])
        return ours.out

    def test_it_is_that_glibc(self):
        self.assertIn("release version 2.31", self.run_old(os.path.join(ROOT, "lib/x86_64-linux-gnu/libc.so.6"),
                                                           preload=False).out)

    def test_programs_without_libpthread_and_libdl_are_as_they_were(self):
        self.check_same("bin/true")
        self.check_same("bin/false", code=1)
        script = 'trap "echo trapped" USR1; kill -USR1 $$; (exit 4); echo $?; x=$(echo inner); echo $x; exit 3'
        self.assertEqual(self.check_same("bin/dash", "-c", script, code=3), "trapped\n4\ninner\n")
        self.check_same("bin/sleep", "0.01")
        self.check_same("usr/bin/timeout", "60", "/bin/true")
        self.check_same("usr/bin/seq", "1000")

    def test_the_reason_is_told(self):
        run = self.run_old(os.path.join(ROOT, "bin/true"), log_level="debug")
        self.assertRegex(run.err, "without libpthread, or without libdl, on a glibc before 2.34")

    def test_a_program_with_threads(self):
        with tempfile.NamedTemporaryFile("w", dir=self.directory) as file:
            file.write("".join(f"{i * 7919 % 100003}\n" for i in range(100003)))
            file.flush()
            path = os.path.join(ROOT, "usr/bin/sort")
            plain, ours = (self.run_old(path, "-n", "--parallel=4", file.name, preload=p) for p in (False, True))
        self.assertEqual((ours.returncode, ours.out, ours.err), (0, plain.out, ""))

    def test_node_is_profiled(self):
        run = self.run_old(NODE, "-e", BURN)
        self.assert_clean(run)
        used = int(run.lines("spin")[0][0])
        spin = cumulative(run.profiles, "spin")
        # The loader's time is before us, the end of Node after its last look at the clock.
        error = self.assert_total(run, slack=25e6)
        report(f"spin {spin / 1e6:.0f} ms of {used / 1e6:.0f} by its clock, "
               f"total {total(run.profiles) / 1e6:.0f} ms ({error:+.2%})")
        self.assertGreater(spin, 0.85 * used)
        self.assertLess(spin, 1.05 * used)


if __name__ == "__main__":
    unittest.main()
