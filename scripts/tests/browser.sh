#!/usr/bin/env bash
# Pages in a real Chromium against a real server (Tests/Browser). A failing test leaves pictures in
# .build/screenshots/.
#
#   scripts/tests/browser.sh [test_players …]      default: all
set -euo pipefail
cd "$(dirname "$0")/../.."

python=$(scripts/browser-venv.sh)
cd Tests/Browser
if [ $# -eq 0 ]; then set -- discover -p 'test_*.py'; fi
exec "$python" -m unittest "$@" -v
