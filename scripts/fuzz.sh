#!/usr/bin/env bash
# Tries very many inputs at each door that strangers stand before: tokens, signatures, ID tokens, mails, addresses that people are
# sent to, notes of proxies, live queries. libFuzzer looks at what code each input reaches, and goes on from those that reach more.
#
#   scripts/fuzz.sh [INPUTS [DOOR…]]      1,000,000 of each by default, from a random seed or from STRATUS_SEED
#
# What the fuzz targets are, where they begin and what must hold is in Tests/FuzzTests/Targets; make test tries a few thousand there. An
# input that breaks a promise is kept in .build-fuzz/found, and joins those of FuzzTests.swift: its Base64 is printed.
set -euo pipefail
cd "$(dirname "$0")/.."

inputs=${1:-1000000}
shift || true
seed=${STRATUS_SEED:-$((RANDOM * 32768 + RANDOM + 1))}
build=.build-fuzz
toolchain=$(dirname "$(dirname "$(realpath "$(command -v swift)")")")
library=$(find "$toolchain/lib" -name 'libclang_rt.fuzzer_no_main*.a' | grep -m1 -e "$(uname -m)" -e linux/ || true)
if [ -z "$library" ]; then
    echo "fuzz: this toolchain has no libFuzzer (libclang_rt.fuzzer_no_main)." >&2
    exit 1
fi
# With optimization, for many inputs, and with the asserts that release builds lack.
STRATUS_FUZZER=$library swift build -c release --build-path "$build" --product FuzzTests \
    -Xswiftc -assert-config -Xswiftc Debug
program=$build/release/FuzzTests
# Swift's own handler of crashes would keep libFuzzer from saving the input.
export SWIFT_BACKTRACE=enable=no
mkdir -p "$build/found"
[ $# -gt 0 ] || mapfile -t doors < <("$program")
[ $# -eq 0 ] || doors=("$@")
failed=0
for door in "${doors[@]}"; do
    work=$build/doors/$door
    rm -rf "$work"
    "$program" "$door" --seeds "$work"
    echo "fuzz: $door: $inputs inputs from seed $seed"
    "$program" "$door" "$work/corpus" -runs="$inputs" -seed="$seed" -dict="$work/words.dict" -max_len=2048 -timeout=10 \
        -rss_limit_mb=2048 -artifact_prefix="$build/found/$door-" -print_final_stats=1 >"$work/log" 2>&1 || failed=1
    grep -E '^#[0-9]+[[:space:]]+DONE|Done |stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)|Fatal error|SUMMARY|Base64:' \
        "$work/log" | sed "s/^/fuzz: $door: /"
done
exit $failed
