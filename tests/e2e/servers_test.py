# SPDX-License-Identifier: Apache-2.0
"""Redis, nginx and PostgreSQL under load, with every process of theirs profiled at 1 kHz: the same answers, a clean end,
and the CPU time that the kernel counted. Throughput is printed."""
import glob
import http.client
import os
import pwd
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../native"))

from profiled_case import LIBRARY, ProfiledCase, Run, cumulative, report, total  # noqa: E402

CACHE = os.environ.get("OTELPROF_CACHE") or os.path.expanduser("~/.cache/otelprof")
NGINX = os.path.join(CACHE, "nginx", "usr", "sbin", "nginx")
LIMIT = 120
FILE = "".join(f"line {i}\n" for i in range(2000))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Servers(ProfiledCase):
    def setUp(self):
        super().setUp()
        os.mkdir(self.profile_dir())
        os.chmod(self.profile_dir(), 0o777)
        self.port = free_port()
        self.user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []

    def serve(self, command, profiled, **options):
        env = self.plain_environment()
        if profiled:
            env.update(LD_PRELOAD=LIBRARY, OTEL_PROFILING_INCLUDE="redis-server,redis-check-rdb,nginx,postgres",
                       OTEL_PROFILES_EXPORTER="file", OTEL_PROFILING_FILE_DIR=self.profile_dir(),
                       OTEL_PROFILING_CPU_SAMPLING_INTERVAL_MICROS="1000", OTEL_PROFILING_EXIT_TIMEOUT_MS="10000")
        self.log = open(os.path.join(self.directory, "log"), "w+")
        self.addCleanup(self.log.close)
        server = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, **options)
        self.addCleanup(lambda: server.poll() is None and (server.kill(), server.wait()))
        deadline = time.monotonic() + LIMIT
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return server
            except OSError:
                self.assertIsNone(server.poll(), self.logged())
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)

    def logged(self):
        self.log.seek(0)
        return self.log.read()

    def both(self, run):
        """What |run| answers without us and with us; the profiles, and the CPU time (ns) that the kernel counted."""
        outcomes = []
        for profiled in (False, True):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            answers, rate, ours = run(profiled)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e9 - ours
            outcomes.append((answers, rate, cpu))
        self.assertEqual(outcomes[1][0], outcomes[0][0])
        self.assertNotIn("otelprof[", self.logged())
        profiles = Run(0, "", "", self.profile_dir(), 0).profiles
        (_, plain, _), (_, with_us, cpu) = outcomes
        report(f"{with_us:.0f} a second with us, {plain:.0f} without ({with_us / plain:.2f}); "
               f"profiles of {len({p.pid for p in profiles})} processes hold {total(profiles) / cpu:.1%} of {cpu / 1e9:.2f} s")
        return profiles, cpu

    def spent(self, command, **options):
        """Runs a client; its output and its own CPU time in ns."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run([str(word) for word in command], env=self.plain_environment(), capture_output=True, text=True,
                             timeout=LIMIT, check=True, **options)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return run.stdout, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e9

    def test_redis(self):
        def run(profiled):
            # Debian's package of the tools has the server in it, under the name of a checker that is the same program.
            server = self.serve(["bash", "-c", f"exec -a redis-server $(command -v redis-check-rdb) --port {self.port} "
                                 "--save '' --appendonly no"], profiled, cwd=self.directory)
            out, ours = self.spent(["redis-benchmark", "-p", self.port, "-n", 60000, "-c", 20, "-r", 1000, "-q", "-t",
                                    "set,get,lpush,zadd"])
            rates = [float(r) for r in re.findall(r"([\d.]+) requests per second", out)]
            self.assertEqual(len(rates), 4, out)
            answers = []
            for words in (["SET", "a", "1"], ["INCR", "a"], ["EVAL", "return redis.call('GET', KEYS[1]) .. '!'", "1", "a"],
                          ["LLEN", "mylist"]):
                text, cpu = self.spent(["redis-cli", "-p", self.port, *words])
                answers.append(text)
                ours += cpu
            subprocess.run(["redis-cli", "-p", str(self.port), "SHUTDOWN", "NOSAVE"], check=False, capture_output=True)
            answers.append(server.wait(timeout=LIMIT))
            return answers, sum(rates) / 4, ours

        profiles, cpu = self.both(run)
        self.assertAlmostEqual(total(profiles) / cpu, 1, delta=0.03)
        self.assertGreater(cumulative(profiles, "processCommand"), 0.03 * total(profiles))
        self.assertGreater(cumulative(profiles, "aeMain"), 0.7 * total(profiles))

    def get(self, count, bodies):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        for i in range(count):
            connection.request("GET", f"/file.txt?{i}", headers={"Accept-Encoding": "gzip"})
            answer = connection.getresponse()
            bodies.add((answer.status, answer.headers["Content-Encoding"], answer.read()))
        connection.close()

    def test_nginx(self):
        root = os.path.join(self.directory, "root")
        os.mkdir(root)
        with open(os.path.join(root, "file.txt"), "w") as file:
            file.write(FILE)
        config = os.path.join(self.directory, "nginx.conf")
        with open(config, "w") as file:
            file.write(f"daemon off; worker_processes 2; error_log {self.directory}/error.log; pid {self.directory}/pid;\n"
                       f"{'user nobody nogroup;' if not os.getuid() else ''} events {{}} http {{ access_log off; gzip on;\n"
                       f"gzip_min_length 1; gzip_types text/plain; {self.temporary()}\n"
                       f"server {{ listen 127.0.0.1:{self.port}; root {root}; keepalive_requests 100000; }} }}\n")

        def run(profiled):
            server = self.serve([NGINX, "-p", self.directory, "-c", config, "-e", os.path.join(self.directory, "error.log")],
                                profiled, cwd=self.directory)
            bodies, started = set(), time.monotonic()
            clients = [threading.Thread(target=self.get, args=(1500, bodies)) for _ in range(4)]
            for client in clients:
                client.start()
            for client in clients:
                client.join()
            rate = 6000 / (time.monotonic() - started)
            server.send_signal(signal.SIGQUIT)
            return (server.wait(timeout=LIMIT), bodies), rate, 0

        profiles, cpu = self.both(run)
        self.assertAlmostEqual(total(profiles) / cpu, 1, delta=0.1)
        self.assertGreater(cumulative(profiles, "deflate"), 0.2 * total(profiles))

    def temporary(self):
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        return " ".join(f"{kind}_temp_path {self.directory}/{kind};" for kind in kinds)

    def test_postgresql(self):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]

        def run(profiled):
            data = os.path.join(self.directory, f"data{profiled}")
            os.mkdir(data)
            if self.user:
                os.chown(data, pwd.getpwnam("postgres").pw_uid, -1)
            _, ours = self.spent([*self.user, f"{programs}/initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"],
                                 cwd="/")
            server = self.serve([*self.user, f"{programs}/postgres", "-D", data, "-p", str(self.port), "-k", data, "-h",
                                 "127.0.0.1", "-F"], profiled, cwd="/")
            client = ["-h", "127.0.0.1", "-p", self.port, "-U", "postgres"]
            deadline = time.monotonic() + LIMIT
            while subprocess.run([f"{programs}/pg_isready", "-q", *map(str, client[:4])], cwd="/").returncode:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)
            for words in (["-i", "-q", "-s", 2], ["-c", 4, "-j", 1, "-t", 1000]):
                out, cpu = self.spent([f"{programs}/pgbench", *client, *words, "postgres"], cwd="/")
                ours += cpu
            sql = "select count(*) from pgbench_history"
            text, cpu = self.spent(["psql", *client, "-Atc", sql], cwd="/")
            with open(os.path.join(data, "postmaster.pid")) as file:
                os.kill(int(file.readline()), signal.SIGINT)
            code = server.wait(timeout=LIMIT)
            failed = re.search(r"number of failed transactions: (\d+)", out)[1]
            return (code, text, failed), float(re.search(r"tps = ([\d.]+)", out)[1]), ours + cpu

        profiles, cpu = self.both(run)
        self.assertGreater(len({p.pid for p in profiles}), 4)
        self.assertAlmostEqual(total(profiles) / cpu, 1, delta=0.15)
        self.assertGreater(cumulative(profiles, "PostgresMain"), 0.4 * total(profiles))


if __name__ == "__main__":
    unittest.main()
