#!/bin/sh
# run.sh [BUILD-DIRECTORY [SECONDS]]: runs the demo service under the profiler, drives it, stops it, and shows where its CPU
# time went. The profiles stay in DEMO_PROFILES, or in a new directory that is named at the end.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build}" && pwd)
seconds=${2:-10}
node=${NODE:-node}
profiles=${DEMO_PROFILES:-$(mktemp -d "${TMPDIR:-/tmp}/otelprof-demo.XXXXXX")}
work=$(mktemp -d "${TMPDIR:-/tmp}/otelprof-demo-work.XXXXXX")
service=
: >"$work/log"

finish()
{
    [ -z "$service" ] || kill "$service" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

port_of_service()
{
    sed -n 's/^listening on //p' "$work/log"
}

echo "Starting packaging/demo/server.js under the profiler."
OTEL_SERVICE_NAME=${OTEL_SERVICE_NAME:-demo-shop} \
    "$build/otelprof" run --dir "$profiles" -- "$node" "$here/server.js" >"$work/log" 2>"$work/errors" &
service=$!
tries=0
until [ -n "$(port_of_service)" ]; do
    tries=$((tries + 1))
    if [ $tries -gt 100 ] || ! kill -0 "$service" 2>/dev/null; then
        cat "$work/errors" >&2
        echo "run.sh: the demo service did not start within 10 s" >&2
        exit 1
    fi
    sleep 0.1
done

echo "Driving it for $seconds s:"
"$node" "$here/load.js" "$(port_of_service)" "$seconds"

kill -TERM "$service"
code=0
wait "$service" || code=$?
service=
if [ $code -ne 0 ]; then
    cat "$work/errors" >&2
    echo "run.sh: the demo service ended with exit code $code" >&2
    exit 1
fi

echo
echo "otelprof top $profiles"
"$build/otelprof" top --top 15 "$profiles"
