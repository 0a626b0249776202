#!/usr/bin/env bash
# The manifests of Documentation/Deploy are what Kubernetes' own schemas ask for, an old and a new version's.
set -euo pipefail
cd "$(dirname "$0")/../.."

venv=.build/kubernetes-venv
if ! "$venv/bin/kubernetes-validate" --version >/dev/null 2>&1; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check 'kubernetes-validate>=1.37,<2'
fi
for version in 1.29 1.37; do
    "$venv/bin/kubernetes-validate" --strict --kubernetes-version "$version" Documentation/Deploy/kubernetes.yaml
done
# The check can fail: a setting that there is not is found.
wrong=$(mktemp)
trap 'rm -f "$wrong"' EXIT
sed 's/readOnlyRootFilesystem/readOnlyRootFileSystem/' Documentation/Deploy/kubernetes.yaml >"$wrong"
if "$venv/bin/kubernetes-validate" --strict --kubernetes-version 1.37 "$wrong" >/dev/null 2>&1; then
    echo "FAILED: a misspelt setting is not found"
    exit 1
fi
