# SPDX-License-Identifier: Apache-2.0
"""libotelprof.so passes the gate, the lists are right about the libcs that are installed, and the gate refuses what it
is there for: each of the bad builds differs from one that passes in one thing."""
import os
import shutil
import subprocess
import tempfile
import unittest

from abi_gate import VERSION_MAX, Lists, check, rows, version_number, versions_of

HERE = os.path.dirname(os.path.abspath(__file__))
ARCH = os.environ["OTELPROF_ABI_ARCH"]
LIBRARY = os.environ["OTELPROF_ABI_LIBRARY"]
COMPILER = os.environ["OTELPROF_ABI_CC"]
STUB = os.environ["OTELPROF_ABI_STUB"]  # the libc.so.6 that the library is linked against
MUSL = os.environ.get("OTELPROF_ABI_MUSL", "")
IMPORTS = os.path.normpath(os.path.join(HERE, f"../../preload/libc/{ARCH}.list"))
EXPORTS = os.path.join(HERE, ARCH, "exports.list")
MACHINE = os.path.join(HERE, ARCH, "machine.list")
LIBC = subprocess.run([COMPILER, "-print-file-name=libc.so.6"], capture_output=True, text=True,
                      check=True).stdout.strip()


class Library(unittest.TestCase):
    def test_it_passes(self):
        self.assertEqual(check(LIBRARY, Lists(IMPORTS, EXPORTS, MACHINE, LIBC)), [])


class Imports(unittest.TestCase):
    """The list against glibc and musl as they are installed."""

    def test_strong_ones_are_in_musl(self):
        names = set(versions_of(MUSL))
        self.assertGreater(len(names), 1000)
        self.assertEqual([n for n, _, strength, _ in rows(IMPORTS) if strength == "strong" and n not in names], [])

    def test_in_glibc_each_has_the_version_of_the_list_or_one_alone(self):
        found = versions_of(LIBC)
        self.assertGreater(len(found), 2000)
        for name, kind, _, version in rows(IMPORTS):
            with self.subTest(name):
                if kind == "absent":
                    self.assertNotIn(name, found)
                elif version == "-":
                    self.assertEqual(len(found[name]), 1, found[name])
                    self.assertLessEqual(version_number(next(iter(found[name]))), VERSION_MAX)
                else:
                    self.assertIn(version, found[name])
                    self.assertLessEqual(version_number(version), VERSION_MAX)


GOOD = """
    #include <stddef.h>
    void *memmove(void *, const void *, size_t);
    extern void *dlsym(void *, const char *) __attribute__((weak));
    __attribute__((visibility("default"))) void *given(void *to, void *from, size_t size)
    {
        return dlsym ? dlsym(to, from) : memmove(to, from, size);
    }
"""
FLAGS = ("-fvisibility=hidden", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-nostartfiles", "-nodefaultlibs",
         "-Wl,-z,now", "-Wl,-z,noexecstack")


class BadBuild(unittest.TestCase):
    """Small libraries, linked like ours."""

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="otelprof-abi-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        base = {row[0]: row[3] for row in rows(IMPORTS)}["dlsym"]
        imports = self.write("imports.list", f"memmove function strong -\ndlsym function weak {base}\n")
        self.lists = Lists(imports, self.write("exports.list", "given\n"), MACHINE, LIBC)

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def build(self, source=GOOD, *flags, libc=STUB, shared=("-shared", "-fPIC")):
        path = os.path.join(self.directory, "library.so")
        subprocess.run([COMPILER, "-O2", *shared, *FLAGS, "-o", path, "-x", "c", self.write("library.c", source),
                        "-x", "none", *([libc] if libc else []), *flags], check=True, capture_output=True)
        return path

    def problems(self, *arguments, **options):
        return check(self.build(*arguments, **options), self.lists)

    def shadow(self, name, text, soname="libc.so.6", **script):
        """A library of our own to link against."""
        path = os.path.join(self.directory, name)
        flags = [f"-Wl,--version-script={self.write('shadow.map', script['map'])}"] if script else []
        subprocess.run([COMPILER, "-shared", "-fPIC", "-nostdlib", "-fno-builtin", "-w", f"-Wl,-soname,{soname}",
                        *flags, "-o", path, "-x", "c", self.write("shadow.c", text)], check=True)
        return path

    def assert_refused(self, problems, *expected):
        self.assertEqual(len(problems), len(expected), problems)
        for problem, words in zip(problems, expected):
            self.assertRegex(problem, words)

    def test_the_one_that_they_differ_from_passes(self):
        self.assertEqual(self.problems(), [])

    def test_one_library_more(self):
        other = self.shadow("libother.so", "int other;", "libother.so.1")
        self.assert_refused(self.problems(GOOD, "-Wl,--no-as-needed", other), r"needs .*libother\.so\.1")

    def test_no_libc_at_all(self):
        imports = self.write("imports.list", "memmove function strong -\ndlsym function weak -\n")
        self.lists = Lists(imports, os.path.join(self.directory, "exports.list"), MACHINE, LIBC)
        problems = self.problems(libc=None)
        self.assertIn("needs [], not ['libc.so.6']", problems)

    def test_the_name_of_musls_libc(self):
        text = "void memmove(void) {} void dlsym(void) {}"
        self.assertTrue(any("needs ['libc.so']" in p for p in
                            self.problems(libc=self.shadow("libc.so", text, "libc.so"))))

    def test_a_version_that_is_too_new(self):
        text = "void memmove(void) {} void dlsym(void) {}"
        new = self.shadow("libc.so.6", text, map="GLIBC_2.34 { dlsym; };\n")
        self.assert_refused(self.problems(libc=new), "dlsym in version GLIBC_2.34, the list says", "needs GLIBC_2.34")

    def test_linked_against_the_libc_of_the_building_machine(self):
        self.assertTrue(any("takes memmove in version GLIBC_2." in p for p in self.problems(libc=LIBC)))

    def test_no_version_of_a_symbol_that_has_several(self):
        text = "void memmove(void) {} void dlsym(void) {}"
        self.lists.imports["dlsym"] = ("weak", "-")
        self.assert_refused(self.problems(libc=self.shadow("libc.so.6", text)), "takes dlsym without a version")

    def test_condition_variables(self):
        source = GOOD + ("extern int pthread_cond_wait(void *, void *) __attribute__((weak)); __attribute__((used)) "
                         "static int wait(void *c) { return pthread_cond_wait(c, c); }")
        self.lists.imports["pthread_cond_wait"] = ("weak", "-")
        self.assert_refused(self.problems(source), "which not every libc has", *(
            ["pthread_cond_wait without a version"] if len(self.lists.versions["pthread_cond_wait"]) > 1 else []))

    def test_one_function_more(self):
        source = GOOD + ("int puts(const char *); __attribute__((used)) static int say(void) { return puts(\"\"); }")
        self.assert_refused(self.problems(source), "takes puts, which is not in the list")

    def test_a_hardened_function(self):
        source = GOOD + ("void *__memcpy_chk(void *, const void *, size_t, size_t); __attribute__((used)) static void "
                         "*copy(void *p, void *q, size_t n, size_t m) { return __memcpy_chk(p, q, n, m); }")
        self.lists.imports["__memcpy_chk"] = ("strong", "-")
        self.assert_refused(self.problems(source), "takes __memcpy_chk, which not every libc has")

    def test_a_function_that_may_be_missing_is_taken_strong(self):
        self.assert_refused(self.problems(GOOD.replace("__attribute__((weak))", "").replace("dlsym ?", "from ?")),
                            "takes dlsym strong, the list says weak")

    def test_a_list_that_is_longer_than_what_is_taken(self):
        self.lists.imports["strlen"] = ("strong", "-")
        self.assert_refused(self.problems(), "does not take strlen")

    def test_one_symbol_given_that_is_not_in_the_list(self):
        source = GOOD + '__attribute__((visibility("default"))) int leaked = 1;'
        self.assert_refused(self.problems(source), "gives leaked")

    def test_one_symbol_of_the_list_that_is_not_given(self):
        self.lists.exports.add("promised")
        self.assert_refused(self.problems(), "does not give promised")

    def test_much_thread_local_storage(self):
        source = GOOD + ("static __thread char block[136]; __attribute__((used)) static char *mine(void) "
                         "{ return block; }")
        self.assert_refused(self.problems(source, "-ftls-model=initial-exec"), "has 136 bytes of thread-local storage")
        few = source.replace("136", "128")
        self.assertEqual(self.problems(few, "-ftls-model=initial-exec"), [])

    def test_thread_local_storage_that_is_found_by_a_call(self):
        source = GOOD + ("__thread char word[8]; __attribute__((used)) static char *mine(void) { return word; }")
        problems = self.problems(source, "-ftls-model=global-dynamic")
        self.assertTrue(problems)
        self.assertTrue(all("__tls_get_addr" in p or "relocations R_" in p for p in problems), problems)

    def test_an_executable_stack(self):
        self.assert_refused(self.problems(GOOD, "-Wl,-z,execstack"), "executable stack")

    def test_a_segment_that_is_writable_and_executable(self):
        self.assertIn("has a segment that is writable and executable", self.problems(GOOD, "-Wl,-N"))

    def test_relocations_in_the_text(self):
        source = GOOD + '__asm__(".text\\n.balign 8\\n.dc.a memmove\\n");'
        self.assertIn("has TEXTREL", self.problems(source, "-Wl,-z,notext"))

    def test_copy_relocations(self):
        """Only programs have them: a file of another kind is no library of ours."""
        source = ("extern char **environ; int main(void); void _start(void) { main(); } "
                  "int main(void) { return environ != 0; }")
        problems = self.problems(source, "-no-pie", shared=("-fno-pic", "-no-pie"))
        self.assertTrue(any("relocations R_" in p and "COPY" in p for p in problems), problems)

    def test_lazy_binding(self):
        self.assert_refused(self.problems(GOOD, "-Wl,-z,lazy"), "binds lazily")

    def test_a_search_path(self):
        self.assert_refused(self.problems(GOOD, "-Wl,-rpath,/opt/lib"), "has (RPATH|RUNPATH)")

    def test_another_machine(self):
        path = self.build()
        with open(path, "r+b") as file:
            file.seek(18)  # e_machine
            file.write((243).to_bytes(2, "little"))  # RISC-V
        self.assertTrue(any("is for RISC-V" in p for p in check(path, self.lists)))


if __name__ == "__main__":
    unittest.main()
