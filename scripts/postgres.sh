#!/usr/bin/env bash
# A PostgreSQL of one's own, in a folder, listening on a socket there and nowhere else.
#
#   scripts/postgres.sh run [FOLDER]     starts it, prints its URL, and stops it when standard input ends
#   scripts/postgres.sh start FOLDER     starts it in the background and prints its URL
#   scripts/postgres.sh stop FOLDER
#
# Without a FOLDER it lies in a temporary one that goes with it. PostgreSQL does not run as root; started by root, it
# runs as 'postgres', whom Debian's package makes. Settings for the server in POSTGRES_OPTIONS, such as '-c fsync=off'.
set -euo pipefail

fail() {
    printf 'postgres.sh: %s\n' "$@" >&2
    exit 1
}

find_programs() {
    local folder
    for folder in /usr/lib/postgresql/*/bin; do
        if [ -x "$folder/initdb" ]; then bin=$folder; fi
    done
    [ -n "${bin:-}" ] || fail "PostgreSQL is not installed." "help: scripts/setup.sh test, or: apt install postgresql"
}

as_server() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=postgres --regid=postgres --clear-groups -- "$@"
    else
        "$@"
    fi
}

start() {
    folder=$(cd "$1" && pwd)
    # The path of a socket has 107 bytes at most.
    [ ${#folder} -le 80 ] || fail "The path $folder is too long for a socket." "help: name a folder nearer to /"
    if [ ! -f "$folder/data/PG_VERSION" ]; then
        mkdir -p "$folder/data" "$folder/socket"
        chmod 700 "$folder/data" "$folder/socket"
        if [ "$(id -u)" -eq 0 ]; then
            chmod 755 "$folder"
            chown postgres:postgres "$folder/data" "$folder/socket"
        fi
        as_server "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync \
            >"$folder/initdb.log" || { cat "$folder/initdb.log" >&2; fail "initdb failed."; }
    fi
    # shellcheck disable=SC2086
    as_server "$bin/pg_ctl" -s -w -D "$folder/data" -l "$folder/data/server.log" \
        -o "-c listen_addresses='' -k $folder/socket -c max_connections=900 ${POSTGRES_OPTIONS:-}" start >&2 \
        || { cat "$folder/data/server.log" >&2; fail "PostgreSQL did not start."; }
    printf 'postgres://postgres@/postgres?host=%s\n' "$folder/socket"
}

stop() {
    as_server "$bin/pg_ctl" -s -w -m "${2:-fast}" -D "$(cd "$1" && pwd)/data" stop >&2
}

[ $# -ge 1 ] || fail "usage: postgres.sh run [FOLDER] | start FOLDER | stop FOLDER"
bin=
find_programs
case $1 in
run)
    if [ $# -ge 2 ]; then
        mkdir -p "$2"
        folder=$2
    else
        folder=$(mktemp -d -t pg.XXXXXX)
        trap 'rm -rf "$folder"' EXIT
    fi
    trap 'exit 0' TERM INT
    start "$folder"
    while read -r _; do :; done || true
    stop "$folder" immediate || true
    ;;
start)
    [ $# -eq 2 ] || fail "start takes a folder"
    mkdir -p "$2"
    start "$2"
    ;;
stop)
    [ $# -eq 2 ] || fail "stop takes a folder"
    stop "$2"
    ;;
*) fail "'$1' is not known: run, start, stop" ;;
esac
