#!/usr/bin/env bash
# Makes the pictures of the READMEs, in Documentation/images, with the programs beside the one that STRATUS names.
set -euo pipefail
cd "$(dirname "$0")/.."

export STRATUS=${STRATUS:-$PWD/.build/debug/stratus}
python=$(scripts/browser-venv.sh)
"$python" -c 'import PIL' 2>/dev/null || "$python" -m pip install --quiet --disable-pip-version-check 'pillow>=11' >&2
cd Tests/Browser
exec "$python" -m unittest screenshots -v
