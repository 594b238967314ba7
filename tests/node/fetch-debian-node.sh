#!/bin/sh
# fetch-debian-node.sh [DIR]: unpacks Debian 12's nodejs and the libraries that it needs into DIR/debian-nodejs-VERSION,
# once; nothing is installed. DIR is ${OTELPROF_CACHE:-$HOME/.cache/otelprof} unless it is given. apt compares what it
# gets with Debian's signed lists. The revision is Debian's newest: its servers keep no older one.
set -eu

upstream=18.20.4
cache=${1:-${OTELPROF_CACHE:-$HOME/.cache/otelprof}}
target=$cache/debian-nodejs-$upstream
[ ! -d "$target" ] || exit 0

fail()
{
    echo "fetch-debian-node.sh: $*" >&2
    exit 1
}

version=$(apt-cache madison libnode108 | sed -n "s/.*| *\($upstream+[^ ]*~deb12u[0-9]*\) .*/\1/p" | sort -V | tail -n 1)
[ -n "$version" ] || fail "apt does not know libnode108 $upstream: is this Debian 12, with its lists (apt-get update)?"

mkdir -p "$cache"
work=$(mktemp -d "$cache/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download -qq "nodejs=$version" "libnode108=$version" node-acorn node-cjs-module-lexer node-undici libbrotli1 \
    libc-ares2 libicu72 libnghttp2-14 libuv1 || fail "apt-get download failed: are Debian's servers reachable?"
mkdir root
for package in *.deb; do
    dpkg -x "$package" root
done
chmod 755 root
mv root "$target"
