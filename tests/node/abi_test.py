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
        exports = exported()
        self.assertEqual(required - exports, set())
        # Columns came into the API with V8 10.8 (Node 19); before, a function's is found by what is behind it.
        column = {name for name in optional if "15GetColumnNumber" in name}
        position = {name for name in optional if "13StartPosition" in name}
        ids = {name for name in optional if "13UnboundScript5GetId" in name}  # const since Node 18
        self.assertEqual([len(names) for names in (column, position, ids)], [1, 1, 2])
        self.assertEqual(len(ids & exports), 1)
        wanted = optional - ids - (position if node_major() >= 19 else optional - position)
        self.assertEqual(wanted - exports, set())

    def test_the_binary_tells_where_lines_are(self):
        exports = exported()
        told = {"v8dbg_class_Script__line_ends__Object", "v8dbg_type_Script__SCRIPT_TYPE",
                "v8dbg_type_FixedArray__FIXED_ARRAY_TYPE"}
        self.assertEqual(told - exports, set())
        self.assertEqual(len({"v8dbg_class_SharedFunctionInfo__script__Tagged_HeapObject_",
                              "v8dbg_class_SharedFunctionInfo__script_or_debug_info__HeapObject"} & exports), 1)
