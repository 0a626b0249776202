#!/usr/bin/env bash
# Says which public declarations of the products that apps depend on are gone or changed since the last release. Breaks that were
# made on purpose are named in scripts/api_breaks.txt, with the reason, and told in CHANGELOG.md; others fail the check.
#
#   scripts/api.sh [COMMIT]      the newest tag of a release unless named; builds that one once, too, which takes minutes
set -uo pipefail
cd "$(dirname "$0")/.."

# Released before there were tags: 0.1.0.
untagged=ec91cfbd
base=${1:-$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null || echo $untagged)}
# What an app names in its Package.swift.
products=${STRATUS_API_PRODUCTS:-CloudKit StratusCloudKit CloudKitTesting CoreData StratusCoreData CoreDataTesting Predicates PhotoScaling}
echo "Comparing with $base: $products"
log=$(mktemp -t stratus-api.XXXXXX)
# It fails for each break; which ones count is decided below, since its own list cannot hold a sentence that ends with a space.
# shellcheck disable=SC2086  # words are products
swift package diagnose-api-breaking-changes "$base" --products $products --baseline-dir .build/api >"$log" 2>&1
if ! grep -qE 'breaking changes? detected' "$log"; then
    tail -n 20 "$log"
    echo "FAILED: nothing was compared; the log is $log." >&2
    exit 1
fi
found=$(sed -n 's/.*\(API breakage: .*\)/\1/p' "$log" | sed 's/ \[#api-digester.*//; s/ *$//' | LC_ALL=C sort -u)
known=$(grep '^API breakage' scripts/api_breaks.txt | sed 's/ *$//' | LC_ALL=C sort -u)
new=$(LC_ALL=C comm -23 <(printf '%s\n' "$found") <(printf '%s\n' "$known"))
if [ -n "$new" ]; then
    printf '%s\n' "$new"
    echo "FAILED: these break apps. Take them back, or add them to scripts/api_breaks.txt with the reason and tell of them in CHANGELOG.md." >&2
    exit 1
fi
rm -f "$log"
# Each reason of the file, with how many of the breaks below it were found: those that are gone can be taken out of it.
awk -v found="$found" '
    BEGIN { split(found, lines, "\n"); for (i in lines) isFound[lines[i]] = 1 }
    /^\/\/ / { if (begun && !counting) { reason = substr($0, 4); counting = 1; order[++sections] = reason } ; next }
    /^API breakage/ { sub(/ *$/, ""); total[reason]++; if ($0 in isFound) seen[reason]++; next }
    /^$/ { begun = 1; counting = 0 }
    END {
        for (i = 1; i <= sections; i++) {
            printf "  %d of %d: %s\n", seen[order[i]], total[order[i]], order[i]
        }
    }' scripts/api_breaks.txt
echo "  $(printf '%s\n' "$found" | grep -c .) changes since $base, all made on purpose"
