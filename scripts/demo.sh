#!/usr/bin/env bash
# Runs `stratus demo` and the Courses app side by side until Ctrl-C or SIGTERM ends both; when one of them ends
# by itself, so does the other.
#
#   scripts/demo.sh [options of `stratus demo`]
#
# BIN is where the programs are (default .build/release); COURSES_PORT where Courses listens (default: the port
# after the demo's). Ends with 0 when it was asked to.
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

"$bin/Courses" serve --port "$courses_port" --store "$data/courses.sqlite" &
courses=$!
"$bin/stratus" demo --courses-url "http://127.0.0.1:$courses_port" "$@" &
stratus=$!

# Wakes up when one of them ends, and when a signal comes.
wait -n "$courses" "$stratus"
# Ctrl-C reaches all of them, and a program may have ended before this shell hears of it.
[ -n "$told" ] || sleep 0.5

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
[ -n "$told" ]
