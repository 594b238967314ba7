#!/bin/sh
# Installs, builds and runs all tests. OTELPROF_SOAK=full runs the long ones at full length.
set -eu
cd "$(dirname "$0")/.."
sh packaging/dependencies.sh tests
sh tests/node/fetch-node.sh
cmake --preset release >/dev/null
cmake --build build -j "$(nproc)"
exec ctest --test-dir build --output-on-failure "$@"
