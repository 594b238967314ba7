#!/bin/sh
# fetch.sh [DIR]: installs the packages that the Node benches compare with and compile into DIR, pinned by
# package-lock.json, once, and prints DIR.
# DIR is ${OTELPROF_CACHE:-$HOME/.cache/otelprof}/bench-node unless given.
set -eu

here=$(dirname "$0")
directory=${1:-${OTELPROF_CACHE:-$HOME/.cache/otelprof}/bench-node}
if ! cmp -s "$here/package-lock.json" "$directory/installed-lock.json"; then
    mkdir -p "$directory"
    cp "$here/package.json" "$here/package-lock.json" "$directory"
    (cd "$directory" && npm ci --silent --no-audit --no-fund --ignore-scripts >&2)
    cp "$here/package-lock.json" "$directory/installed-lock.json"
fi
echo "$directory"
