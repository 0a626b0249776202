#!/usr/bin/env bash
# Everything that has to hold before a change goes in; CI runs just this. Goes on after a failure, and ends
# with a summary that repeats what went wrong, since a long log is often seen only by its end.
#
# Each file in scripts/tests/ that can be executed is one test: it is run from the repository's root with
# STRATUS naming the built command, has twenty-five minutes (foreign.py forty), and fails by its exit status. It can be run alone, too.
set -uo pipefail
cd "$(dirname "$0")/.."

# A seed is the same run each time only where dictionaries of values have the same order each time.
export SWIFT_DETERMINISTIC_HASHING=1
export STRATUS=${STRATUS:-$PWD/.build/debug/stratus}
# Lines of a run that say nothing but that it goes on.
passing='^(◇|✔ (Test|Suite) [^r]|CoreData: Core Data met an error|\[[0-9]+/[0-9]+\] )'
summary=()
complaints=()
failed=0
# All temporary files of a run in one folder, so that none stays when a test is killed; kept when something failed.
# Its name is short, since sockets lie in it.
scratch=$(mktemp -d -t stratus-run.XXXXXX)
# PostgreSQL runs as a user of its own where root runs the tests, and has to get to its folder.
chmod 711 "$scratch"
log=$scratch/step.log
trap '[ $failed -gt 0 ] || rm -rf "$scratch"' EXIT

# step NAME SECONDS COMMAND…: runs it, shows its output as it comes but for tests that pass, and notes how it ended.
step() {
    local name=$1 limit=$2 start=$SECONDS status=0
    shift 2
    printf '\n== %s\n' "$name"
    # No pipe: a server that a test forgot would hold its end open, and the step would never be over.
    timeout --kill-after=20 "$limit" "$@" > >(tee "$log" | grep --line-buffered -vE "$passing") 2>&1 || status=$?
    [ $status -eq 0 ] || sleep 1  # for tee to write the last lines
    note "$name" $status $((SECONDS - start)) "$limit" "$log"
    return $status
}

# note NAME STATUS SECONDS LIMIT LOG: a line of the summary, and what is wrong where something is.
note() {
    local word=ok
    if [ "$2" -eq 124 ] || [ "$2" -eq 137 ]; then
        word="FAILED: more than $4 s"
    elif [ "$2" -ne 0 ]; then
        word="FAILED: exit $2"
    fi
    if [ "$2" -ne 0 ]; then
        failed=$((failed + 1))
        complaints+=("$(printf -- '-- %s' "$1")" "$(complaint "$5")")
    fi
    summary+=("$(printf '%-34s %5s s   %s' "$1" "$3" "$word")")
}

# beside SECONDS SCRIPT: runs a script beside others, its output in a file of its own.
beside() {
    local name
    name=$(basename "$2")
    {
        local start=$SECONDS status=0
        timeout --kill-after=20 "$1" "$2" >"$scratch/$name.log" 2>&1 || status=$?
        printf '%s %s %s\n' $status $((SECONDS - start)) "$1" >"$scratch/$name.end"
    } &
}

# collect: notes the scripts that have ended since it was last called, and shows what failed ones said, and the end of
# what others did.
collect() {
    local end name status seconds limit
    for end in "$scratch"/*.end; do
        [ -f "$end" ] || continue
        read -r status seconds limit <"$end"
        name=$(basename "$end" .end)
        printf '\n== %s\n' "$name"
        if [ "$status" -eq 0 ]; then tail -n 8 "$scratch/$name.log"; else cat "$scratch/$name.log"; fi
        note "$name" "$status" "$seconds" "$limit" "$scratch/$name.log"
        rm "$end"
    done
}

# The lines of the step's log that say what is wrong, or its end where none is known for that.
complaint() {
    local said
    said=$(grep -A 2 -E 'recorded an issue|[Ff]atal error|error:|^(ERROR|FAIL|not ok)|Error:' "$1" | cut -c 1-400 | head -n 20)
    [ -n "$said" ] || said=$(tail -n 12 "$1" | cut -c 1-400)
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

# The tests among the scripts, those that take longest first.
in_order() {
    local first="foreign.py browser.sh generator.sh bounds.py openapi.sh" name script
    for name in $first; do
        [ ! -x "scripts/tests/$name" ] || printf '%s\n' "scripts/tests/$name"
    done
    for script in scripts/tests/*; do
        [ -f "$script" ] && [ -x "$script" ] || continue
        case " $first " in *" $(basename "$script") "*) ;; *) printf '%s\n' "$script" ;; esac
    done
}

step "packages" 600 scripts/setup.sh build test || finish
# One debug build for all: the tests of modules and the command that the scripts below start.
step "build" 2400 swift build --build-tests || finish
export TMPDIR=$scratch
# Those that talk to servers come alone: the laws of the others keep all threads of the process busy for half a
# minute at times, which a server in the same process takes for a client that is too slow.
servers='^(CoursesTests|RecordConsoleTests|RecordEngineTests|RecordServerTests|RecordStorageTests|ServiceTests|StratusCloudKitTests|StratusTests)[.]'
# All at once, a thousand tests starve each other's servers and timers.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4
step "swift test, with servers" 1200 swift test --skip-build --filter "$servers"
# The engine's laws again, with the records in a PostgreSQL that the tests start.
laws='^RecordEngineTests[.](BackwardPaging|Batch|ChangeFeed|ChangeFeedLaw|FilterLaw|ForgottenDeletion|Idempotency|Intake|Limit|MarkerLaw|ParentTag|PredicateLaw|Query|Reference|Removed(ByReset|Part)|SchemaImport|SortLaw|StorageQuota|VersionLaw|Zone)Tests'
step "swift test, laws on PostgreSQL" 900 env STRATUS_TEST_STORE=postgres swift test --skip-build --filter "$laws"
# What goes through a server to the store; what HTTP itself does with limits and hostile clients knows no engine.
service='^ServiceTests[.](AccountClient|AppleStyle|AssetClient|Asset|CancelledRequest|Conformance|DiscoveryClient|Document|NotificationClient|RepeatedRequest|Server|StoppedServer|SyncEngine)Tests'
step "swift test, the service on PostgreSQL" 600 env STRATUS_TEST_STORE=postgres swift test --skip-build --filter "$service"
step "swift test, the others" 1200 swift test --skip-build --skip "$servers"
# The scripts wait more than they work, for browsers, for servers that were killed: two go beside each other, the long
# ones first.
for script in $(in_order); do
    while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
        wait -n || true
        collect
    done
    limit=1500
    # Builds a whole app from nothing, BoringSSL the first time, too.
    [ "$(basename "$script")" != foreign.py ] || limit=2400
    printf '\n.. %s begins\n' "$(basename "$script")"
    beside $limit "$script"
done
wait
collect
finish
