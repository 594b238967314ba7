#!/bin/sh
# Installs, builds, runs the demo service under the profiler for about ten seconds and prints where its time went.
set -eu
cd "$(dirname "$0")/.."
sh packaging/dependencies.sh
cmake --preset release >/dev/null
cmake --build build -j "$(nproc)" --target otelprof otelprof_preload
exec sh packaging/demo/run.sh build
