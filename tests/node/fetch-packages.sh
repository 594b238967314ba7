#!/bin/sh
# fetch-packages.sh [DIR]: puts the npm packages that the tests run into DIR/packages-HASH/node_modules, once. DIR is
# ${OTELPROF_CACHE:-$HOME/.cache/otelprof} unless it is given; HASH is of packages/package-lock.json, which has the sha512
# that each of them must have (npm ci compares). Their own install scripts are not run.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${1:-${OTELPROF_CACHE:-$HOME/.cache/otelprof}}
hash=$(openssl dgst -sha256 -r "$here/packages/package-lock.json" | cut -c 1-16)
target=$cache/packages-$hash
[ ! -d "$target" ] || exit 0

mkdir -p "$cache"
work=$(mktemp -d "$cache/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp "$here/packages/package.json" "$here/packages/package-lock.json" "$work"
(cd "$work" && npm ci --ignore-scripts --omit=optional --no-audit --no-fund --silent) || {
    echo "fetch-packages.sh: npm ci failed: is npm installed and its registry reachable?" >&2
    exit 1
}
mv "$work" "$target"
trap - EXIT
