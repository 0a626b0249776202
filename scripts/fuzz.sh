#!/usr/bin/env bash
# Tries very many broken inputs at each door that strangers stand before: tokens, signatures, ID tokens, mail headers, addresses
# that people are sent to. Each input has a seed of its own, which a failure prints: STRATUS_SEED=<that> scripts/fuzz.sh 1
#
#   scripts/fuzz.sh [INPUTS]      1,000,000 of each by default, from a random seed or from STRATUS_SEED
#
# The tests have to be built: swift build --build-tests.
set -euo pipefail
cd "$(dirname "$0")/.."

export STRATUS_FUZZ=${1:-1000000}
export STRATUS_SEED=${STRATUS_SEED:-$((RANDOM * 32768 + RANDOM))}
export SWIFT_DETERMINISTIC_HASHING=1
echo "fuzz: $STRATUS_FUZZ inputs of each kind from seed $STRATUS_SEED"
exec swift test --skip-build --filter '[.](TokenFuzz|RedirectFuzz|IDTokenFuzz|MailFuzz)Tests/'
