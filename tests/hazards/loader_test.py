# SPDX-License-Identifier: Apache-2.0
"""What the dynamic loader is given: wrong and missing files, odd lists, programs that it gives no library to, programs
that have functions of our names."""
import os
import re
import shutil
import subprocess
import unittest

from hazard_case import HazardCase
from profiled_case import BUILD, LIBRARY, report

IGNORED = r"^ERROR: ld\.so: object '.*' from LD_PRELOAD cannot be preloaded \(.*\): ignored\.\n$"


class Files(HazardCase):
    """H2 and H3: the loader says one line, and the program runs."""

    def check_ignored(self, library, words, mounts=None):
        line = f"LD_PRELOAD='{library}' exec {self.fixture('burners')} 1 10"
        command = ["unshare", "-m", "sh", "-ec", f"{mounts}\n{line}"] if mounts else ["sh", "-ec", line]
        run = self.execute(command, self.plain_environment(), 30)
        self.assertEqual((run.returncode, run.lines("threads")), (0, [["1"]]), run.err)
        self.assertRegex(run.err, IGNORED)
        self.assertIn(words, run.err)

    def test_another_architecture(self):
        with open(LIBRARY, "rb") as file:
            elf = bytearray(file.read())
        machine = int.from_bytes(elf[18:20], "little")
        for at, value in ((18, 183 if machine != 183 else 62), (4, 1)):  # e_machine; 32 bits
            other = bytearray(elf)
            other[at] = value
            path = os.path.join(self.directory, "libotelprof.so")
            with open(path, "wb") as file:
                file.write(other)
            self.check_ignored(path, "wrong ELF class" if at == 4 else "cannot open shared object file")

    def test_a_file_that_is_not_there_or_not_whole(self):
        self.check_ignored("/nonexistent/libotelprof.so", "cannot open shared object file")
        path = os.path.join(self.directory, "libotelprof.so")
        for size in (0, 40):
            with open(LIBRARY, "rb") as file, open(path, "wb") as copy:
                copy.write(file.read(size))
            self.check_ignored(path, "file too short")

    def test_a_mount_that_is_not_executable(self):
        place = os.path.join(self.directory, "mount")
        os.mkdir(place)
        self.check_ignored(f"{place}/libotelprof.so", "failed to map segment",
                           f"mount -t tmpfs -o noexec none {place}; cp {LIBRARY} {place}")

    def test_blanks_and_colons_separate_and_double_entries_count_once(self):
        """H4."""
        for value in (f"{LIBRARY} {LIBRARY}", f"{LIBRARY}:{LIBRARY}", f" :{LIBRARY}: ", f"{LIBRARY} "):
            shutil.rmtree(self.profile_dir(), ignore_errors=True)
            env = {**self.environment("count_timers"), "LD_PRELOAD": value}
            run = self.execute([self.fixture("count_timers"), 300], env, 30)
            self.assert_clean(run)
            self.assertEqual((run.lines("timers"), len(run.profiles)), ([["1", "threads", "2"]], 1))


class Privileges(HazardCase):
    """H8. As nobody."""

    def run_as_nobody(self, prepare, *prefix):
        program, open_directory = os.path.join(self.directory, "burners"), os.path.join(self.directory, "open")
        shutil.copy(self.fixture("burners"), program)
        shutil.copy(LIBRARY, self.directory)
        os.makedirs(open_directory, exist_ok=True)
        os.chmod(open_directory, 0o777)
        subprocess.run(["sh", "-ec", prepare.format(program)], check=True)
        env = {**self.environment(program), "LD_PRELOAD": os.path.join(self.directory, "libotelprof.so"),
               "OTEL_PROFILING_FILE_DIR": os.path.join(open_directory, "profiles")}
        run = self.execute(["setpriv", "--reuid", 65534, "--regid", 65534, "--clear-groups", *prefix, program, 1, 100], env, 30)
        self.assertEqual((run.returncode, run.lines("threads")), (0, [["1"]]), run.err)
        self.assertEqual(run.err, "")
        written = os.path.exists(os.path.join(open_directory, "profiles"))
        shutil.rmtree(open_directory)
        return written

    def test_setuid_and_file_capabilities_are_left_alone(self):
        self.assertTrue(self.run_as_nobody("true"))
        self.assertFalse(self.run_as_nobody("chmod u+s {}"))
        self.assertFalse(self.run_as_nobody("chmod g+s {}"))
        self.assertFalse(self.run_as_nobody("setcap cap_net_bind_service=+ep {}"))

    def test_no_new_privileges_is_no_obstacle(self):
        self.assertTrue(self.run_as_nobody("true", "--no-new-privs"))
        self.assertTrue(self.run_as_nobody("true", "--no-new-privs", "--bounding-set", "-all", "--inh-caps", "-all"))


class Programs(HazardCase):
    def compile(self, name, source, *options):
        program, path = os.path.join(self.directory, name), os.path.join(self.directory, name + ".c")
        with open(path, "w") as file:
            file.write(source)
        subprocess.run(["gcc", "-O1", "-o", program, path, *options], check=True)
        return program

    def test_a_static_program_is_not_entered(self):
        program = self.compile("static", '#include <stdio.h>\nint main(void) { puts("static"); return 3; }\n', "-static")
        run = self.execute([program], self.environment(program), 30)
        self.assertEqual((run.returncode, run.out, run.err, run.profiles), (3, "static\n", "", []))

    def test_functions_of_our_names_in_the_program_are_not_called(self):
        """H10: all global names of our archive and of the archives in it, as functions that abort."""
        text = subprocess.run(["nm", "-g", "--defined-only", os.path.join(BUILD, "src", "libotelprof_runtime.a"),
                               os.path.join(BUILD, "proto", "libotelprof_proto.a")], capture_output=True, text=True).stdout
        names = sorted({m[1] for m in re.finditer(r"(?m)^[0-9a-f]+ T ([A-Za-z]\w*)$", text)})
        self.assertGreater(len(names), 300)
        source = "#include <stdlib.h>\n" + "".join(f"void {n}(void) {{ abort(); }}\n" for n in names) + """
            #include "burn.h"
            int main(void) { int64_t begin = process_cpu(); burn(300 * MILLIS); print_used(begin); return 0; }
            """
        for name in ("memcpy", "memset", "memmove", "memcmp", "strlen"):
            self.assertNotIn(name, names)
        include = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../native")
        program = self.compile("namesake", source, "-rdynamic", f"-I{include}", "-fno-builtin")
        exported = subprocess.run(["nm", "-D", program], capture_output=True, text=True, check=True).stdout
        self.assertGreater(sum(f" T {n}\n" in exported for n in names), 300)
        run = self.execute([program], self.environment(program), 30)
        self.assert_clean(run)
        self.assert_total(run, slack=5e6)
        report(f"{len(names)} functions of our names in the program: none was called")


if __name__ == "__main__":
    unittest.main()
