#!/bin/sh
# fetch-nginx.sh [DIR]: unpacks the distribution's own nginx into DIR/nginx, once. Not installed, for that would start a
# service. apt verifies what it downloads. DIR is ${OTELPROF_CACHE:-$HOME/.cache/otelprof} unless it is given.
set -eu

directory=${1:-${OTELPROF_CACHE:-$HOME/.cache/otelprof}}
mkdir -p "$directory"
[ ! -x "$directory/nginx/usr/sbin/nginx" ] || exit 0
work=$(mktemp -d "$directory/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
(cd "$work" && apt-get download -qq nginx)
dpkg -x "$work"/nginx_*.deb "$work/root"
rm -rf "$directory/nginx"
mv "$work/root" "$directory/nginx"
