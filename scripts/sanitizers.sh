#!/usr/bin/env bash
# Builds the tests with the thread sanitizer and with the address sanitizer, each in a folder of its own, and runs suites under it.
# What is found fails the run, except what scripts/sanitizers/thread.supp names with the reason.
#
#   scripts/sanitizers.sh [thread|address|all [REGULAR EXPRESSION]]      all, and the suites below
#
# A build takes as long as the first one (CONTRIBUTING.md); the suites take about five times as long as without.
set -uo pipefail
cd "$(dirname "$0")/.."

which=${1:-all}
# Where threads and memory of C's meet: engines, stores, contexts, transfers. The rest is Swift without pointers.
suites=${2:-'^(CoreDataInterfaceTests|CurlAccessTests|FoundationGapsTests|PostgresAccessTests|RecordEngineTests|RecordStorageTests|SQLiteAccessTests|StratusCoreDataTests)[.]'}
export SWIFT_DETERMINISTIC_HASHING=1
# Everything is slow; many tests at once starve each other's timers.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=3
here=$PWD/scripts/sanitizers
# Reports go to files, since many lines of tests come between them on the terminal.
reports=$(mktemp -d -t stratus-sanitizers.XXXXXX)
# Memory of libraries that lives as long as the process is no leak, and Swift's runtime has much of it.
export ASAN_OPTIONS="detect_leaks=0 log_path=$reports/address"
export TSAN_OPTIONS="suppressions=$here/thread.supp history_size=4 log_path=$reports/thread"

# sanitize NAME FOLDER [PRELOADED]: builds the tests, runs the suites, and says what was found.
sanitize() {
    local status=0 found=0
    echo "== the $1 sanitizer"
    swift build --product stratusPackageTests --sanitize "$1" --scratch-path "$2" -Xswiftc -gline-tables-only || return 1
    env ${3:+LD_PRELOAD="$3"} "$2/debug/stratusPackageTests.xctest" --testing-library swift-testing --filter "$suites" \
        >"$reports/$1.log" 2>&1 || status=$?
    tail -n 1 "$reports/$1.log"
    found=$(cat "$reports/$1".[0-9]* 2>/dev/null | grep -cE 'WARNING: ThreadSanitizer|ERROR: AddressSanitizer')
    [ "$found" -ne 0 ] || [ "$status" -ne 0 ] || return 0
    cat "$reports/$1".[0-9]* 2>/dev/null | grep -E '^SUMMARY' | sort | uniq -c | sort -rn | head -n 40
    grep -A 2 -E 'recorded an issue|[Ff]atal error' "$reports/$1.log" | cut -c 1-300 | head -n 20
    echo "FAILED: the $1 sanitizer found $found faults, and the tests ended with $status; all of it is in $reports." >&2
    return 1
}

failed=0
ulimit -n 65536 2>/dev/null || true
if [ "$which" = thread ] || [ "$which" = all ]; then
    clang -O1 -Wall -Werror -shared -fPIC "$here/mutex.c" -o "$reports/mutex.so" || exit 1
    sanitize thread .build-tsan "$reports/mutex.so" || failed=1
fi
if [ "$which" = address ] || [ "$which" = all ]; then
    sanitize address .build-asan || failed=1
fi
[ $failed -ne 0 ] || rm -rf "$reports"
exit $failed
