#!/usr/bin/env bash
# Everything that has to hold before a change goes in; CI runs just this. Goes on after a failure, and ends
# with a summary that repeats what went wrong, since a long log is often seen only by its end.
#
# Each file in scripts/tests/ that can be executed is one test: it is run from the repository's root with
# STRATUS naming the built command, has fifteen minutes (companions.py forty), and fails by its exit status. It can be run alone, too.
set -uo pipefail
cd "$(dirname "$0")/.."

# A seed is the same run each time only where dictionaries of values have the same order each time.
export SWIFT_DETERMINISTIC_HASHING=1
export STRATUS=${STRATUS:-$PWD/.build/debug/stratus}
summary=()
complaints=()
failed=0
# All temporary files of a run in one folder, so that none stays when a test is killed; kept when something failed.
# Its name is short, since sockets lie in it.
scratch=$(mktemp -d -t stratus-run.XXXXXX)
log=$scratch/step.log
trap '[ $failed -gt 0 ] || rm -rf "$scratch"' EXIT

# step NAME SECONDS COMMAND…
step() {
    local name=$1 limit=$2 start=$SECONDS status=0
    shift 2
    printf '\n== %s\n' "$name"
    # No pipe: a server that a test forgot would hold its end open, and the step would never be over.
    timeout --kill-after=20 "$limit" "$@" > >(tee "$log") 2>&1 || status=$?
    local word=ok
    if [ $status -eq 124 ] || [ $status -eq 137 ]; then
        word="FAILED: more than $limit s"
    elif [ $status -ne 0 ]; then
        word="FAILED: exit $status"
    fi
    if [ $status -ne 0 ]; then
        failed=$((failed + 1))
        sleep 1  # for tee to write the last lines
        complaints+=("$(printf -- '-- %s' "$name")" "$(complaint)")
    fi
    summary+=("$(printf '%-34s %5s s   %s' "$name" $((SECONDS - start)) "$word")")
    return $status
}

# The lines of the step's log that say what is wrong, or its end where none is known for that.
complaint() {
    local said
    said=$(grep -A 2 -E 'recorded an issue|[Ff]atal error|error:|^(ERROR|FAIL|not ok)|Error:' "$log" | cut -c 1-400 | head -n 20)
    [ -n "$said" ] || said=$(tail -n 12 "$log" | cut -c 1-400)
    printf '%s' "$said"
}

finish() {
    printf '\n== Summary\n'
    printf '%s\n' "${summary[@]}"
    if [ $failed -gt 0 ]; then
        printf '\n== What failed\n'
        printf '%s\n' "${complaints[@]}"
        printf '%s\n' "$failed of ${#summary[@]} steps failed. Their temporary files are in $scratch."
        exit 1
    fi
    printf '%s\n' "All ${#summary[@]} steps passed."
    exit 0
}

step "packages" 600 scripts/setup.sh build test || finish
# One debug build for all: the tests of modules and the command that the scripts below start.
step "build" 2400 swift build --build-tests || finish
export TMPDIR=$scratch
# Those that talk to servers come alone: the laws of the others keep all threads of the process busy for half a
# minute at times, which a server in the same process takes for a client that is too slow.
servers='^(CoursesTests|RecordConsoleTests|RecordEngineTests|RecordServerTests|RecordStorageTests|ServiceTests|StratusCloudKitTests|StratusTests)[.]'
step "swift test, with servers" 1200 swift test --skip-build --filter "$servers"
step "swift test, the others" 1200 swift test --skip-build --skip "$servers"
for script in scripts/tests/*; do
    if [ -f "$script" ] && [ -x "$script" ]; then
        limit=900
        # Builds a whole app from nothing, BoringSSL the first time, too.
        [ "$(basename "$script")" != companions.py ] || limit=2400
        step "$(basename "$script")" $limit "$script"
    fi
done
finish
