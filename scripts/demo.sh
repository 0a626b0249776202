#!/usr/bin/env bash
# Runs `stratus demo` and the Courses app side by side until Ctrl-C or SIGTERM ends both; when one of them ends
# by itself, so does the other.
#
#   scripts/demo.sh [options of `stratus demo`]
#
# BIN is where the programs are (default .build/release); COURSES_PORT where Courses listens (default: the port
# after the demo's). With STORE=postgres the records are in a PostgreSQL of the demo's own, in a temporary folder, and go
# with it when the demo ends; STORE=postgres://… names another one. Ends with 0 when it was asked to.
set -uo pipefail
cd "$(dirname "$0")/.."

bin=${BIN:-.build/release}
data=./demo-data
port=${STRATUS_PORT:-8080}
previous=
for argument in "$@"; do
    case $previous in
    --data) data=$argument ;;
    --port) port=$argument ;;
    esac
    case $argument in
    --data=*) data=${argument#*=} ;;
    --port=*) port=${argument#*=} ;;
    -h | --help) exec "$bin/stratus" demo --help ;;
    esac
    previous=$argument
done

say() { printf 'demo: %s\n' "$*" >&2; }

for program in stratus Courses; do
    if [ ! -x "$bin/$program" ]; then
        say "there is no program $bin/$program; 'make demo' builds it"
        exit 1
    fi
done
courses_port=${COURSES_PORT:-}
if [ -z "$courses_port" ]; then
    case $port in
    '' | *[!0-9]*) courses_port=8081 ;;
    *) courses_port=$((port + 1)) ;;
    esac
fi
mkdir -p "$data" || exit 1

told=
trap 'told=yes' INT TERM

store=()
case ${STORE:-} in
'' | sqlite) ;;
postgres)
    say "starting a PostgreSQL of the demo's own"
    # It ends when nobody holds its standard input any more, however this script ends. A session of its own keeps Ctrl-C
    # from it until the programs have stopped; a socket's path is short, so its folder is.
    coproc cluster { TMPDIR=/tmp exec setsid scripts/postgres.sh run; }
    read -r url <&"${cluster[0]}" || exit 1
    store=(--store "$url")
    ;;
postgres://* | postgresql://*) store=(--store "$STORE") ;;
*)
    say "STORE is '$STORE'; name postgres, or an address postgres://…"
    exit 1
    ;;
esac

"$bin/Courses" serve --port "$courses_port" --store "$data/courses.sqlite" &
courses=$!
"$bin/stratus" demo --courses-url "http://127.0.0.1:$courses_port" ${store[@]+"${store[@]}"} "$@" &
stratus=$!
if [ ${#store[@]} -gt 0 ]; then
    case $port in
    '' | *[!0-9]*) second_port=8082 ;;
    *) second_port=$((port + 2)) ;;
    esac
    # The folder is the same, so the secret and the files are: a marker of one node is good on the other.
    printf 'A second node on the same records, in another terminal; then kill the first one:\n\n  %s\n\n' \
        "$bin/stratus serve --data $(printf %q "$data") --store $(printf %q "${store[1]}") --port $second_port"
fi

# Wakes up when one of them ends, and when a signal comes.
wait -n "$courses" "$stratus"
# Ctrl-C reaches all of them, and a program may have ended before this shell hears of it. One that ends well was asked to.
[ $? -ne 0 ] || told=yes
[ -n "$told" ] || sleep 0.5

if [ -z "$told" ] && [ -n "${cluster_PID:-}" ] && ! kill -0 "$stratus" 2>/dev/null; then
    # What a second node is for.
    say "stratus has ended by itself; PostgreSQL goes on for a second node until Ctrl-C"
    while [ -z "$told" ] && kill -0 "$courses" 2>/dev/null; do wait "$courses"; done
fi
if [ -z "$told" ]; then
    if kill -0 "$stratus" 2>/dev/null; then
        say "Courses has ended by itself; stopping stratus as well"
    else
        say "stratus has ended by itself; stopping Courses as well"
    fi
fi
kill -TERM "$courses" "$stratus" 2>/dev/null
# A second Ctrl-C interrupts a wait, not the programs' own stopping.
for program in "$stratus" "$courses"; do
    while kill -0 "$program" 2>/dev/null; do wait "$program"; done
    wait "$program"
    status=$?
    # 143: it ended by the signal before it could listen to it.
    if [ $status -ne 0 ] && [ $status -ne 143 ]; then told=; fi
done
if [ -n "${cluster_PID:-}" ]; then
    cluster_process=$cluster_PID
    exec {cluster[1]}>&-
    while kill -0 "$cluster_process" 2>/dev/null; do wait "$cluster_process"; done
fi
[ -n "$told" ]
