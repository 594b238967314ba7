# SPDX-License-Identifier: Apache-2.0
"""What the library believes of V8's layouts and exports is what this release's own headers and binary say."""
import os
import subprocess
import unittest

from node_case import BUILD, HERE, NODE, ROOT, node_major

HEADERS = os.path.join(os.path.dirname(os.path.dirname(NODE)), "include", "node")
SYMBOLS = os.path.join(BUILD, "tests", "node", "abi_symbols")


def compile_check(*flags):
    return subprocess.run([os.environ["OTELPROF_CXX"], "-std=c++20", "-fsyntax-only", "-w", "-I", HEADERS,
                           "-I", os.path.join(ROOT, "src"), *flags, os.path.join(HERE, "abi_check.cc")],
                          capture_output=True, text=True, timeout=120)


def looked_up():
    text = subprocess.run([SYMBOLS], capture_output=True, text=True, timeout=30, check=True).stdout
    pairs = [line.split() for line in text.splitlines()]
    return ({name for kind, name in pairs if kind == "required"}, {name for kind, name in pairs if kind == "optional"})


def exported():
    text = subprocess.run(["nm", "-D", "--defined-only", NODE], capture_output=True, text=True, timeout=60, check=True).stdout
    return {line.split()[-1] for line in text.splitlines()}


class Abi(unittest.TestCase):
    def test_layouts_are_those_of_the_headers(self):
        result = compile_check()
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_wrong_layout_does_not_compile(self):
        result = compile_check("-DOTELPROF_WRONG_LAYOUT")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("static assertion failed", result.stderr)

    def test_the_binary_exports_every_symbol(self):
        required, optional = looked_up()
        self.assertTrue(required)
        # Columns came into the API with V8 10.8 (Node 19); before, they are found by what is behind it.
        internal = {name for name in optional if "8internal" in name}
        if node_major() >= 19:
            wanted = optional - internal
        else:
            wanted = internal | {"v8dbg_class_SharedFunctionInfo__script_or_debug_info__HeapObject",
                                 "v8dbg_type_Script__SCRIPT_TYPE"}
        self.assertTrue(wanted)
        self.assertEqual((required | wanted) - exported(), set())
