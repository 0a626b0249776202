#!/usr/bin/env bash
# Prints the Python of a virtual environment with selenium, which drives Chromium in the browser tests; makes the
# environment in .build/ first where it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$PWD/.build/browser-venv/bin/python
if ! "$python" -c 'import selenium' >/dev/null 2>&1; then
    python3 -m venv .build/browser-venv >&2
    "$python" -m pip install --quiet --disable-pip-version-check 'selenium==4.*' >&2
fi
printf '%s\n' "$python"
