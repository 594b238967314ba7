# SPDX-License-Identifier: Apache-2.0
"""Names to addresses: dnsmasq is the server; one that we script, for what a good server does not do."""
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from measured import MeasuredCase

BUILD = os.path.abspath(os.environ.get("OTELPROF_BUILD_DIR", "build"))
PROBE = os.path.join(BUILD, "tests", "net", "resolve_probe")
RECORDS = ["--address=/four.example/10.1.2.3", "--host-record=both.example,10.0.0.1,2001:db8::1",
           "--host-record=many.example,10.0.0.1", "--host-record=many.example,10.0.0.2", "--host-record=six.example,2001:db8::6",
           "--cname=alias.example,both.example", "--host-record=otel.monitoring.svc.cluster.test,10.9.9.9",
           "--host-record=short,10.7.7.7"]


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class ResolveCase(MeasuredCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="otelprof-net-")
        self.addCleanup(shutil.rmtree, self.directory)
        self.port = free_port()

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def resolve(self, *names, conf="nameserver 127.0.0.1\n", hosts="", millis=5000):
        """[(addresses, ms)] of |names|."""
        run = subprocess.run([PROBE, self.write("hosts", hosts), self.write("conf", conf), str(self.port), str(millis), *names],
                             capture_output=True, text=True, check=True, timeout=60)
        lines = run.stdout.splitlines()
        return [(a.split()[1:], int(b)) for a, b in zip(lines[::2], lines[1::2])]

    def addresses(self, *names, **options):
        return [found for found, _ in self.resolve(*names, **options)]


class Dnsmasq(ResolveCase):
    def setUp(self):
        super().setUp()
        self.server = subprocess.Popen(["dnsmasq", "-k", "-C", "/dev/null", "-R", "-h", "-p", str(self.port), "-a", "127.0.0.1",
                                        "-z", "--local=/example/", "--local=/test/", "--local=/a/", "--local=/monitoring/",
                                        "--log-facility=/dev/null", "--pid-file=", "--user=", *RECORDS],
                                       stderr=subprocess.PIPE)
        self.addCleanup(self.stop)
        for _ in range(100):
            if self.addresses("four.example", millis=100) == [["10.1.2.3"]]:
                return
            time.sleep(0.05)
        self.fail(f"dnsmasq does not answer: {self.server.poll()}")

    def stop(self):
        self.server.terminate()
        self.server.wait()
        self.server.stderr.close()

    def test_both_kinds_and_aliases(self):
        found = self.addresses("four.example", "both.example", "BOTH.example.", "six.example", "alias.example", "none.example")
        self.assertEqual(found, [["10.1.2.3"], ["10.0.0.1", "2001:db8::1"], ["10.0.0.1", "2001:db8::1"], ["2001:db8::6"],
                                 ["10.0.0.1", "2001:db8::1"], ["ENOENT"]])
        (many,) = self.addresses("many.example")
        self.assertEqual(sorted(many), ["10.0.0.1", "10.0.0.2"])

    def test_the_search_list(self):
        kubernetes = ("nameserver 127.0.0.1\nsearch shop.svc.cluster.test svc.cluster.test cluster.test\n"
                      "options ndots:5 edns0\n")
        names = ["otel.monitoring", "otel.monitoring.svc", "otel.monitoring.svc.cluster.test", "both.example", "short", "nobody.example"]
        self.assertEqual(self.addresses(*names, conf=kubernetes),
                         [["10.9.9.9"]] * 3 + [["10.0.0.1", "2001:db8::1"], ["10.7.7.7"], ["ENOENT"]])
        self.assertEqual(self.addresses("otel.monitoring.", "otel.monitoring", conf="search a\nsearch svc.cluster.test\n"),
                         [["ENOENT"], ["10.9.9.9"]])

    def test_a_server_that_is_down_is_passed_over(self):
        ((found, took),) = self.resolve("four.example", conf="nameserver 127.0.0.2\nnameserver 127.0.0.1\n")
        self.assertEqual(found, ["10.1.2.3"])
        self.assertLess(took, 1000)

    def test_hosts_come_first(self):
        hosts = "# comment\n10.5.5.5\tFour.example other # x\nbad four.example\n::5 four.example\r\n"
        self.assertEqual(self.addresses("four.example", "other", "both.example", hosts=hosts),
                         [["10.5.5.5", "::5"], ["10.5.5.5"], ["10.0.0.1", "2001:db8::1"]])


class Local(ResolveCase):
    def test_addresses_and_localhost_need_no_server(self):
        found = self.resolve("127.0.0.1", "::1", "localhost", "LocalHost.", "a.localhost", conf="nameserver 127.0.0.9\n")
        self.assertEqual([a for a, _ in found], [["127.0.0.1"], ["::1"], *[["127.0.0.1", "::1"]] * 3])

    def test_no_server_and_no_file(self):
        self.assertEqual(self.addresses("a.example"), [["EAGAIN"]])
        run = subprocess.run([PROBE, "/nonexistent", "/nonexistent", str(self.port), "1000", "a.example"], capture_output=True,
                             text=True, check=True, timeout=30)
        self.assertEqual(run.stdout.splitlines()[0], "a.example EAGAIN")


class Odd(ResolveCase):
    """A server that does what |self.answers| say for each question, in turn."""

    def serve(self, answer):
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", self.port))
        self.asked = []

        def run():
            while True:
                question, sender = server.recvfrom(4096)
                if question == b"stop":
                    return
                self.asked.append(question)
                for message in answer(question, struct.unpack(">H", question[-4:-2])[0]):
                    server.sendto(message, sender)

        thread = threading.Thread(target=run)
        thread.start()

        def stop():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
                one.sendto(b"stop", ("127.0.0.1", self.port))
            thread.join()
            server.close()

        self.addCleanup(stop)

    @staticmethod
    def good(question, address=bytes([10, 3, 3, 3])):
        head = question[:2] + b"\x81\x80\0\1\0\1\0\0\0\0"
        return head + question[12:] + b"\xc0\x0c\0\1\0\1\0\0\0\1" + struct.pack(">H", len(address)) + address

    @staticmethod
    def code(question, code):
        return question[:2] + bytes([0x81, 0x80 | code]) + b"\0\1\0\0\0\0\0\0" + question[12:]

    def test_one_kind_is_never_answered(self):
        self.serve(lambda question, kind: [self.good(question)] if kind == 1 else [])
        ((found, took),) = self.resolve("a.example")
        self.assertEqual(found, ["10.3.3.3"])
        self.assertLess(took, 2000)

    def test_garbage_and_others_answers_do_not_count(self):
        def answer(question, kind):
            forged = bytes([question[0] ^ 1]) + self.good(question, bytes([6, 6, 6, 6]))[1:]
            yield from (b"", b"\0", b"x" * 600, forged, question)
            yield self.good(question) if kind == 1 else self.code(question, 0)

        self.serve(answer)
        self.assertEqual(self.addresses("a.example"), [["10.3.3.3"]])

    def test_a_server_that_fails_is_asked_again(self):
        self.serve(lambda question, kind: [self.code(question, 2) if len(self.asked) <= 2 else
                                           self.good(question) if kind == 1 else self.code(question, 0)])
        self.assertEqual(self.addresses("a.example"), [["10.3.3.3"]])

    def test_silence_ends_at_the_deadline(self):
        self.serve(lambda question, kind: [])
        ((found, took),) = self.resolve("a.example", millis=700)
        self.assertEqual(found, ["ETIMEDOUT"])
        self.assertGreaterEqual(took, 700)
        self.assertLess(took, 2000)


if __name__ == "__main__":
    unittest.main()
