#!/usr/bin/env bash
# Installs what Stratus needs from the system and is not installed yet.
#
#   scripts/setup.sh [build|test|postgres|package|package-test|bench]…      default: build
#
# Uses apt; sudo only when not root; `apt-get update` only when something is missing.
set -euo pipefail

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "setup: $1"
    shift
    for line in "$@"; do say "       $line"; done
    exit 1
}

check_swift() {
    command -v swift >/dev/null || fail "Swift is not installed; Stratus needs 6.2 or newer." \
        "Install it from https://www.swift.org/install/linux/ and put its bin directory on PATH."
    local version major minor
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    major=${version%%.*}
    minor=${version#*.}
    [ -n "$version" ] || fail "'swift --version' prints no version; is the toolchain complete?"
    if [ "$major" -lt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -lt 2 ]; }; then
        fail "Swift $version is too old; Stratus needs 6.2 or newer." \
            "Install a newer one from https://www.swift.org/install/linux/."
    fi
}

missing=()

# need PACKAGE COMMAND…: the package is missing when the command fails.
need() {
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}

has_header() {
    local path
    for path in /usr/include/"$1" /usr/local/include/"$1" /usr/include/*/"$1"; do
        if [ -f "$path" ]; then return 0; fi
    done
    return 1
}

has_node() {
    local version
    version=$(node --version) && version=${version#v} && [ "${version%%.*}" -ge 18 ]
}

has_postgres() {
    local path
    for path in /usr/lib/postgresql/*/bin/initdb; do
        if [ -x "$path" ]; then return 0; fi
    done
    return 1
}

for purpose in "${@:-build}"; do
    case $purpose in
    build)
        need git command -v git
        need libsqlite3-dev has_header sqlite3.h
        need zlib1g-dev has_header zlib.h
        need libpq-dev has_header postgresql/libpq-fe.h
        need libcurl4-openssl-dev has_header curl/curl.h
        need libgd-dev has_header gd.h
        ;;
    test)
        need curl command -v curl
        need python3 command -v python3
        need python3-venv python3 -c 'import venv, ensurepip'
        need nodejs has_node
        need node-typescript command -v tsc
        need chromium command -v chromium
        need chromium-driver command -v chromedriver
        need postgresql has_postgres
        need openssl command -v openssl
        # A provider of OpenID Connect, for people to sign in with.
        need glewlwyd command -v glewlwyd
        need sqlite3 command -v sqlite3
        need systemd command -v systemd-analyze
        need binutils command -v objcopy
        need dpkg-dev command -v dpkg-shlibdeps
        need gcc command -v cc
        ;;
    postgres) need postgresql has_postgres ;;
    package)
        need binutils command -v objcopy
        need dpkg-dev command -v dpkg-shlibdeps
        need xz-utils command -v xz
        need ca-certificates test -s /etc/ssl/certs/ca-certificates.crt
        ;;
    package-test)
        need debootstrap command -v debootstrap
        need skopeo command -v skopeo
        need umoci command -v umoci
        need runc command -v runc
        ;;
    bench)
        need python3 command -v python3
        need wrk command -v wrk
        ;;
    *) fail "there is nothing to set up for '$purpose'; build, test, postgres, package, package-test and bench are known" ;;
    esac
done

if [ ${#missing[@]} -gt 0 ]; then
    command -v apt-get >/dev/null || fail "these packages are missing, and there is no apt-get: ${missing[*]}" \
        "Install them (the names are Debian's) with your system's package manager, then try again."
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "these packages are missing: ${missing[*]}" \
            "Install them as root: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    say "setup: installing ${missing[*]}"
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    if ! { "${as_root[@]}" apt-get update -qq &&
        "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        fail "apt-get could not install ${missing[*]}; its last lines are above"
    fi
    rm -f "$log"
fi

check_swift
