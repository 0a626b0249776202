#!/usr/bin/env bash
# Runs every test that takes seeds with random ones, STRATUS_SOAK (10) times as many as `make test`, and ends with the
# seeds that failed and what to do with them. The tests have to be built: swift build --build-tests.
#
#   scripts/laws.sh [REGULAR EXPRESSION]      only suites whose names match; STRATUS_SOAK=1000 for a night
set -uo pipefail
cd "$(dirname "$0")/.."

export STRATUS_SOAK=${STRATUS_SOAK:-10}
wanted=${1:-.}
suites=$(grep -rlE 'Seed\.(some|one)|StoreRule\.all' Tests --include='*.swift' | grep -v '^Tests/TestSeeds/' | sort \
    | xargs sed -nE 's/.*struct ([A-Za-z0-9]+(Tests|Laws?)) .*/\1/p' | sort -u | grep -E "$wanted" | paste -sd '|' -)
if [ -z "$suites" ]; then
    echo "laws: no suite with seeds matches '$wanted'" >&2
    exit 2
fi
log=$(mktemp -t stratus-laws.XXXXXX)
echo "laws: STRATUS_SOAK=$STRATUS_SOAK, ${suites//|/ }"
status=0
swift test --skip-build --filter "[.](${suites})/" > >(tee "$log") 2>&1 || status=$?
sleep 1  # for tee to write the last lines
if [ $status -ne 0 ]; then
    echo
    echo "== What failed: add each seed to the 'failed' seeds of its law, where make test runs it from then on"
    grep -E 'recorded an issue|[Ff]atal error' "$log" | cut -c 1-300 | head -n 40
    echo "The log is $log."
    exit 1
fi
rm -f "$log"
