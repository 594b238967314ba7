# SPDX-License-Identifier: Apache-2.0
"""One stack from the program's entry through C++ and JavaScript down to the native leaf; start-up is in it."""
import os
import re

from node_case import INVENTED, NODE_START, PROGRAMS, NodeCase

NO_INLINING = "--max-inlined-bytecode-size=0"


class Stacks(NodeCase):
    def run_program(self, name, *arguments, flags=(), interval_micros=4000):
        result = self.profiled(*flags, os.path.join(PROGRAMS, name), *arguments, interval_micros=interval_micros)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result

    def test_stacks_go_from_start_through_javascript_to_native_code(self):
        profiles = self.run_program("native.js", flags=[NO_INLINING]).profiles
        path = os.path.join(PROGRAMS, "native.js")
        openssl = [s for s in profiles.stacks_of("hashInOpenSsl") if re.match(r"(sha512|SHA512|.*pbkdf2|.*hmac|HMAC|EVP)",
                                                                            s.stack[0].name, re.I)]
        self.assertGreater(sum(s.nanos for s in openssl), 0.6 * profiles.cumulative("hashInOpenSsl"))
        for sample in openssl:
            names = [f.name for f in sample.stack]
            if "[truncated]" in names:
                continue
            order = [names.index(n) for n in ("hashInOpenSsl", "handleRequest", "acceptRequests", "listOnTimeout",
                                              "node::SpinEventLoop(node::Environment*)") if n in names]
            self.assertEqual(order, sorted(order))
            self.assertGreaterEqual(len(order), 4, names)
            self.assertIn(NODE_START, names)
            self.assertEqual(names[-1], "_start")
        # The JavaScript callers have their file and the line of the call; a function that was compiled before V8 kept
        # positions has its first line.
        with open(path) as file:
            text = file.read().split("\n")
        for function, call in (("handleRequest", r"hashInOpenSsl\(400\)|parseInV8\(400\)"),
                               ("acceptRequests", r"handleRequest\(\)")):
            for frame in profiles.frames(function):
                self.assertEqual(frame.file, path)
                self.assertTrue(re.search(call, text[frame.line - 1]) or frame.line == frame.start_line, frame)
        self.assertTrue(profiles.has_chain("parseInV8", "handleRequest", "acceptRequests", NODE_START, "_start"))
        self.assert_named(profiles)

    def test_stacks_are_whole(self):
        result = self.profiled(NO_INLINING, os.path.join(PROGRAMS, "native.js"),
                               extra={"OTEL_PROFILING_COLLECTION_INTERVAL_MS": "300"}.items())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        # The first windows have samples from before there were unwind tables.
        windows = sorted(result.profiles.profiles, key=lambda p: p.time)
        windows = windows[len(windows) // 2:]
        main = [s for w in windows for s in w.samples if s.count and s.labels.get("thread.id") == result.pid]
        cut = [s for s in main if any(f.name == "[truncated]" for f in s.stack)]
        self.assertGreater(len(main), 0)
        self.assertLessEqual(sum(s.count for s in cut), 0.01 * sum(s.count for s in main) + 1,
                             [[f.name for f in s.stack] for s in cut])

    def test_a_deep_stack_keeps_its_leaf_and_its_root(self):
        profiles = self.run_program("deep.js", flags=[NO_INLINING]).profiles
        deep = profiles.stacks_of("bottom")
        # Others are from the first moments, before there are unwind tables.
        cut = [s for s in deep if len(s.stack) > 64 and any(f.name == "[truncated]" for f in s.stack)]
        self.assertGreater(sum(s.nanos for s in cut), 0.8 * sum(s.nanos for s in deep))
        for sample in cut:
            names = [f.name for f in sample.stack]
            self.assertLessEqual(len(names), 128 + 1)
            self.assertIn("bottom", names[:-32])
            self.assertIn("requestHandler", names[-32:])
            self.assertIn(NODE_START, names[-32:])
            self.assertEqual(names[-1], "_start")
        self.assertGreater(profiles.drops()["stacks_truncated_depth"], 0)

    def test_module_loading_is_in_the_first_profile(self):
        result = self.run_program("main.js", flags=[NO_INLINING])
        profiles = result.profiles
        self.assertEqual(len(profiles.paths), 1)
        for function, file in (("setUpFirst", "first.js"), ("setUpSecond", "second.js"), ("burn", "second.js"),
                               ("burnInApplication", "first.js")):
            frames = profiles.frames(function)
            self.assertTrue(frames, function)
            self.assertEqual({f.file for f in frames}, {os.path.join(PROGRAMS, "modules", file)})
        # Each module's top-level code has its 60 ms, below Node's own loader.
        for function in ("setUpFirst", "setUpSecond"):
            # By the process's clock, which has the other threads, too: V8's compilers, and ours, which makes the table of
            # the node binary just then.
            self.assertGreater(profiles.cumulative(function) / 60e6, 0.4, function)
            self.assertLess(profiles.cumulative(function) / 60e6, 1.35, function)
        # second.js is loaded by first.js, which main.js loads: three modules and the loader in one stack.
        second = profiles.stacks_of("setUpSecond")
        files = [os.path.basename(f.file) for s in second[:1] for f in s.stack]
        order = [files.index(name) for name in ("second.js", "first.js", "main.js")]
        self.assertEqual(order, sorted(order), files)
        self.assertTrue(any(f.file.startswith("node:internal/modules/cjs/loader") for f in second[0].stack))
        self.assert_named(profiles, 0.02)

    def test_an_es_module_application_is_named(self):
        path = os.path.join(PROGRAMS, "app.mjs")
        result = self.same_with_and_without(NO_INLINING, path)
        profiles = result.profiles
        self.assertEqual(result.returncode, 0)
        for function, file in (("burnInModule", "app.mjs"), ("burnImported", "imported.mjs")):
            # V8's own name for the file of an ES module is its URL.
            self.assertEqual({f.file for f in profiles.frames(function)}, {os.path.join(PROGRAMS, file)})
            self.assertGreater(profiles.cumulative(function), 0.7 * 400e6)
        self.assertTrue(profiles.has_chain("burnImported", "burnInModule", NODE_START))
        self.assert_named(profiles, 0.02)

    def test_the_own_work_of_the_profiler_is_small_and_named(self):
        result = self.run_program("native.js")
        own = result.profiles.self_time("[otelprof]")
        self.assertLess(own, 60e6)
        self.assertLess(sum(result.profiles.self_time(n) for n in INVENTED), 0.1 * result.profiles.total())
