#!/bin/sh
# fetch-apps.sh [DIR]: puts the packages of apps/package-lock.json into DIR/apps-HASH/node_modules, once, and prints that
# directory. HASH is of the lock, whose integrity values npm checks. DIR is ${OTELPROF_CACHE:-$HOME/.cache/otelprof} unless
# it is given. Scripts of packages are not run.
set -eu

project=$(cd "$(dirname "$0")" && pwd)/apps
cache=${1:-${OTELPROF_CACHE:-$HOME/.cache/otelprof}}
directory=$cache/apps-$(sha256sum "$project/package-lock.json" | cut -c 1-16)

if [ ! -d "$directory" ]; then
    mkdir -p "$cache"
    work=$(mktemp -d "$cache/fetch.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    cp "$project/package.json" "$project/package-lock.json" "$work"
    (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund >&2)
    chmod 755 "$work"
    mv "$work" "$directory"
    trap - EXIT
fi
echo "$directory"
