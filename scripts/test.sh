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
# Lines of a run that say nothing but that it goes on, or that a stopped server's connections were cancelled.
passing='^(◇|✔ (Test|Suite) [^r]|CoreData: Core Data met an error|\[[0-9]+/[0-9]+\] )|Waiting on child channel: CancellationError'
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

# What is still to run: steps that work, two at a time, and beside them one of those that mostly wait.
busy=()
quiet=()
declare -A lane=()

# later QUEUE SECONDS NAME COMMAND…: puts a step into the queue.
later() {
    local -n queue=$1
    shift
    queue+=("$(printf '%q ' "$@")")
}

# begin QUEUE SECONDS NAME COMMAND…: runs a step beside others, its output in a file of its own.
begin() {
    local queue=$1 limit=$2 name=$3
    shift 3
    printf '\n.. %s begins\n' "$name"
    {
        local start=$SECONDS status=0
        timeout --kill-after=20 "$limit" "$@" >"$scratch/$name.log" 2>&1 || status=$?
        printf '%s %s %s\n' $status $((SECONDS - start)) "$limit" >"$scratch/$name.end"
    } &
    lane[$!]=$queue
}

# fill QUEUE STEPS: begins steps of the queue until so many of it run.
fill() {
    local -n queue=$1
    local pid count=0
    for pid in "${!lane[@]}"; do [ "${lane[$pid]}" != "$1" ] || count=$((count + 1)); done
    while [ $count -lt "$2" ] && [ ${#queue[@]} -gt 0 ]; do
        eval "begin $1 ${queue[0]}"
        queue=("${queue[@]:1}")
        count=$((count + 1))
    done
}

# run_all: runs both queues to their ends.
run_all() {
    local pid
    while fill busy 2 && fill quiet 1 && [ ${#lane[@]} -gt 0 ]; do
        wait -n "${!lane[@]}" || true
        for pid in "${!lane[@]}"; do kill -0 "$pid" 2>/dev/null || unset "lane[$pid]"; done
        collect
    done
}

# collect: notes the steps that have ended since it was last called, and shows what failed ones said, and the end of
# what others did.
collect() {
    local end name status seconds limit
    for end in "$scratch"/*.end; do
        [ -f "$end" ] || continue
        read -r status seconds limit <"$end"
        name=$(basename "$end" .end)
        printf '\n== %s\n' "$name"
        if [ "$status" -eq 0 ]; then tail -n 8 "$scratch/$name.log"; else grep -vE "$passing" "$scratch/$name.log"; fi
        note "$name" "$status" "$seconds" "$limit" "$scratch/$name.log"
        rm "$end"
    done
}

# The lines of the step's log that say what is wrong, or its end where none is known for that; and the tests that began
# and did not end, which a step that hung or crashed does not name.
complaint() {
    local said
    said=$(grep -vE "$passing" "$1" |
        grep -A 2 -E 'recorded an issue|[Ff]atal error|error:|^(ERROR|FAIL|not ok)|Error:|Assertion failed' |
        cut -c 1-400 | head -n 20)
    [ -n "$said" ] || said=$(tail -n 12 "$1" | cut -c 1-400)
    printf '%s\n' "$said"
    unfinished "$1"
}

# The Swift tests of a log that began and did not end.
unfinished() {
    sed -nE 's/^◇ Test (.*) started\.$/\1/p' "$1" | sort -u >"$1.begun"
    sed -nE 's/^(✔|✘|➜) Test (.*) (passed|failed|skipped).*$/\2/p' "$1" |
        sed -E "s, with [0-9]+ test cases?\$,," | sort -u >"$1.ended"
    comm -23 "$1.begun" "$1.ended" | grep -vx run | head -n 8 | sed 's/^/did not end: /'
}

finish() {
    printf '\n== Summary\n'
    printf '%s\n' "${summary[@]}"
    printf '%-34s %5s s\n' "in all" "$SECONDS"
    if [ $failed -gt 0 ]; then
        printf '\n== What failed\n'
        printf '%s\n' "${complaints[@]}"
        printf '%s\n' "$failed of ${#summary[@]} steps failed. Their temporary files are in $scratch."
        exit 1
    fi
    printf '%s\n' "All ${#summary[@]} steps passed."
    exit 0
}

# The tests among the scripts that are in no queue yet.
remaining() {
    local script name
    for script in scripts/tests/*; do
        [ -f "$script" ] && [ -x "$script" ] || continue
        name=$(basename "$script")
        case " $named " in *" $name "*) ;; *) printf '%s\n' "$name" ;; esac
    done
}

# scripts QUEUE NAME…: puts tests among the scripts into the queue.
scripts() {
    local queue=$1 name
    shift
    for name in "$@"; do
        named+=" $name"
        [ ! -x "scripts/tests/$name" ] || later "$queue" 1500 "$name" "scripts/tests/$name"
    done
}

# suites NAME SECONDS COMMAND…: puts Swift tests into the queue; the command ends with the options that choose them. The built
# program is run itself: two of 'swift test' would wait for each other.
suites() {
    local name="swift test, $1" limit=$2
    shift 2
    later busy "$limit" "$name" "$@"
}

step "packages" 600 scripts/setup.sh build test || finish
# One debug build for all: the tests of modules and the command that the scripts below start.
# shellcheck disable=SC2086  # words are options
step "build" 2400 swift build --build-tests || finish
export TMPDIR=$scratch
tests=("$PWD/.build/debug/stratusPackageTests.xctest" --testing-library swift-testing)
# Those that talk to servers are a process of their own: the laws of the others keep all threads of theirs busy for half a
# minute at times, which a server in the same process takes for a client that is too slow.
servers='^(CoursesTests|RecordConsoleTests|RecordEngineTests|RecordServerTests|RecordStorageTests|ServiceTests|StratusCloudKitTests|StratusTests)[.]'
# All at once, a thousand tests starve each other's servers and timers.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4
# The engine's laws again, with the records in a PostgreSQL that the tests start.
laws='^RecordEngineTests[.](BackwardPaging|Batch|ChangeFeed|ChangeFeedLaw|FilterLaw|ForgottenDeletion|Idempotency|Intake|Limit|Live(Count|Query)|MarkerLaw|Notification|ParentTag|PredicateLaw|Query|Reference|Removed(ByReset|Part)|SchemaImport|SortLaw|StorageQuota|VersionLaw|WebPush|Webhook|Zone)Tests'
# What goes through a server to the store; what HTTP itself does with limits and hostile clients knows no engine.
service='^ServiceTests[.](AccountClient|AppleStyle|AssetClient|Asset|CancelledRequest|Conformance|DiscoveryClient|Document|NotificationClient|RepeatedRequest|Server|StoppedServer|SyncEngine)Tests'

# Most steps wait more than they work: for browsers, for servers that were killed, for tries that come again. What only works
# gives way (nice) to those that look at the time. The long ones come first, so that none runs alone in the end.
named=""
suites "with servers" 1500 "${tests[@]}" --filter "$servers"
# It builds whole apps from nothing, BoringSSL the first time, too. The other one uses what it compiled, so it comes last.
named+=" foreign.py generator.sh"
later busy 2400 foreign.py nice -n 5 scripts/tests/foreign.py
scripts busy browser.sh
suites "laws on PostgreSQL" 900 env STRATUS_TEST_STORE=postgres "${tests[@]}" --filter "$laws"
suites "the others" 1500 nice -n 10 "${tests[@]}" --skip "$servers"
scripts busy openapi.py bounds.py
# The attacks that restart their server or fill a disk cannot be beside others; judged by what no slow machine changes.
later busy 900 "bounds, doctor and a full disk" scripts/tests/bounds.py --only doctor full_disk --exact --seconds 10
later busy 900 "bounds, log and removals" scripts/tests/bounds.py --only log deletions indexes --exact --seconds 35
suites "the service on PostgreSQL" 600 env STRATUS_TEST_STORE=postgres "${tests[@]}" --filter "$service"
later quiet 600 lint nice -n 10 make --no-print-directory lint
# Less than a third of a processor each, measured: copy_from.py waits for the next try nine tenths of its time.
scripts quiet copy_from.py http2.py s3.py subscriptions.py subscriptions_postgres.py webhooks.py nodes.py story.py departure.py proxies.py oidc.py
for name in $(remaining); do scripts busy "$name"; done
scripts busy generator.sh
run_all
finish
