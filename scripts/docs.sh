#!/usr/bin/env bash
# Writes the documentation of the given modules to docs-build/<module>, as pages that any web server can serve.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p docs-build
for module in "$@"; do
    swift package --allow-writing-to-directory docs-build \
        generate-documentation --target "$module" --disable-indexing \
        --transform-for-static-hosting --hosting-base-path "$module" \
        --output-path "docs-build/$module"
done
echo "The documentation is in docs-build/. To read it: python3 -m http.server -d docs-build"
for module in "$@"; do
    echo "  http://localhost:8000/$module/documentation/$(printf '%s' "$module" | tr '[:upper:]' '[:lower:]')/"
done
