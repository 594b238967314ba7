# SPDX-License-Identifier: Apache-2.0
"""The demo of the README does what the README shows."""
import os
import re
import subprocess

from node_case import BUILD, NODE, ROOT, NodeCase, Profiles, clean_environment

DEMO = os.path.join(ROOT, "packaging", "demo")


class Demo(NodeCase):
    def test_the_demo_shows_where_the_time_of_its_routes_went(self):
        env = clean_environment(NODE=NODE, DEMO_PROFILES=self.profile_directory, OTEL_PROFILING_EXIT_TIMEOUT_MS="10000")
        result = subprocess.run(["sh", os.path.join(DEMO, "run.sh"), BUILD, "4"], capture_output=True, text=True, timeout=90,
                                env=env, cwd=self.directory)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        rates = {route: float(rate) for route, rate in re.findall(r"^  (/\w+) +([\d.]+) requests/s$", result.stdout, re.M)}
        self.assertEqual(set(rates), {"/report", "/login", "/search", "/route", "/page", "/export"})
        self.assertGreater(min(rates.values()), 1)
        for function in ("aggregateOrders", "planRoute"):
            self.assertRegex(result.stdout, rf"%  {function} +{re.escape(DEMO)}/server\.js:\d+\n")
        profiles = Profiles(self.profile_directory)
        self.assertEqual({p.resource()["service.name"] for p in profiles.profiles}, {"demo-shop"})
        for function in ("buildReport", "signToken", "searchArticles", "planRoute", "renderPage", "compressExport"):
            self.assertGreater(profiles.cumulative(function), 0, function)
        self.assertTrue(any("deflate" in name for name in profiles.names()))
        self.assert_named(profiles, 0.02)


