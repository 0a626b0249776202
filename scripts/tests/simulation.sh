#!/usr/bin/env bash
# Simulates the service with faults and crashes, by seeds (Documentation/Testing.md, 'The simulation'): so many find nothing, and each
# error that is planted on purpose is found by one.
#
#   scripts/tests/simulation.sh [COUNT [FIRST]]      500 from 1 on; a seed that finds something is printed with its command
set -euo pipefail
cd "$(dirname "$0")/../.."
simulation=$(dirname "${STRATUS:-$PWD/.build/debug/stratus}")/simulation
[ -x "$simulation" ] || { echo "ERROR: $simulation is not built: swift build --product simulation" >&2; exit 1; }
"$simulation" --seeds "${1:-500}" --first "${2:-1}"
"$simulation" --flaws
