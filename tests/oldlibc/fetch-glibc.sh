#!/bin/sh
# fetch-glibc.sh [DIR]: unpacks Debian 11's glibc 2.31, a shell and a few tools into DIR/glibc-2.31, once; nothing is
# installed. DIR is ${OTELPROF_CACHE:-$HOME/.cache/otelprof} unless it is given. apt compares what it gets with
# Debian's signed lists.
set -eu

cache=${1:-${OTELPROF_CACHE:-$HOME/.cache/otelprof}}
target=$cache/glibc-2.31
[ ! -d "$target" ] || exit 0

fail()
{
    echo "fetch-glibc.sh: $*" >&2
    exit 1
}

mkdir -p "$cache"
work=$(mktemp -d "$cache/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
site=$(apt-get indextargets --format '$(SITE)|$(CODENAME)' 'Created-By: Packages' | sed -n 's/|bookworm$//p' | head -n 1)
[ -n "$site" ] || fail "apt does not know Debian 12's main archive"
mkdir -p lists/partial archives/partial
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site bullseye main" >sources.list
set -- -qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists" \
    -o "Dir::Cache=$work" -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
    -o APT::Sandbox::User=
apt-get "$@" update || fail "apt cannot get the lists of Debian 11"
for package in libc6 libstdc++6 libgcc-s1 coreutils dash libselinux1 libpcre2-8-0; do
    apt-get "$@" download "$package/bullseye" || fail "apt cannot get Debian 11's $package"
done
mkdir root
for package in *.deb; do
    dpkg -x "$package" root
done
chmod 755 root
mv root "$target"
