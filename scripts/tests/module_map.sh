#!/usr/bin/env bash
# The drawing of the modules in ARCHITECTURE.md is what Package.swift says, and each module has a row in the table.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec scripts/module_map.py --check
