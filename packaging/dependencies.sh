#!/bin/sh
# Installs what building needs from Debian's or Ubuntu's packages; with the word "tests" also what the tests need.
# Uses sudo unless it already runs as root. Installs nothing that is there.
set -eu

build="gcc g++ make cmake pkg-config zlib1g-dev libiberty-dev libjansson-dev
    protobuf-compiler nanopb libnanopb-dev libmbedtls-dev libnghttp2-dev libunwind-dev check"
tests="python3 python3-protobuf openssl ca-certificates binutils libc6-dbg strace procps util-linux libjemalloc2
    perl git postgresql musl-tools libcap2-bin ruby php-cli ripgrep sqlite3 curl openssh-client bzip2
    xz-utils libtcmalloc-minimal4 libmimalloc2.0 libfaketime torsocks dnsmasq-base
    redis-tools"

wanted=$build
[ "${1:-}" != tests ] || wanted="$wanted $tests"
command -v node >/dev/null 2>&1 || wanted="$wanted nodejs"
if [ "${1:-}" = tests ]; then
    command -v npm >/dev/null 2>&1 || wanted="$wanted npm"
    command -v go >/dev/null 2>&1 || wanted="$wanted golang-go"
    command -v java >/dev/null 2>&1 || wanted="$wanted default-jre-headless"
    python=$(apt-cache policy python3 2>/dev/null | sed -n 's/^ *Candidate: \(3\.[0-9]*\).*/\1/p')
    wanted="$wanted libpython${python:-3.11}-testsuite"
fi

missing=
for package in $wanted; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
$as_root apt-get update -qq
# shellcheck disable=SC2086 # words are packages
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing
