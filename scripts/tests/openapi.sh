#!/usr/bin/env bash
# The service does what its OpenAPI description says: schemathesis sends what the description allows, and what
# it does not, for two minutes at most.
#
# Streams of events (`records/live` and what is below it) are left out: they do not end.
#
# Held against each answer: it is not a failure of the service, its status and content type are described, and
# its body is what the description promises, to the last key. The description's own examples are held against
# its schemas first.
set -euo pipefail
cd "$(dirname "$0")/../.."

stratus=${STRATUS:-$PWD/.build/debug/stratus}
venv=.build/venv
if ! "$venv/bin/schemathesis" --version >/dev/null 2>&1; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check 'schemathesis>=4,<5' hypothesis
fi

work=$(mktemp -d)
server=
cleanup() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap cleanup EXIT

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$stratus" demo --players 200 --restaurants 20 --port "$port" --data "$work/data" >"$work/output" 2>&1 &
server=$!
for _ in $(seq 150); do
    if curl -fs "http://127.0.0.1:$port/readyz" >/dev/null 2>&1 && grep -q 'ckAPIToken=' "$work/output"; then break; fi
    if ! kill -0 "$server" 2>/dev/null; then tail -n 20 "$work/output"; exit 1; fi
    sleep 0.2
done

# The container and the app's token are those of demo's own lines; the user is made here.
container=$(sed -n 's|.*/database/1/\([^/]*\)/development/.*|\1|p' "$work/output" | head -n 1)
api_token=$(sed -n 's/.*ckAPIToken=\([0-9a-f]\{64\}\).*/\1/p' "$work/output" | head -n 1)
[ -n "$container" ] && [ -n "$api_token" ] || 
    { echo "demo prints no container and token:"; head -n 40 "$work/output"; exit 1; }
"$stratus" user add schemathesis --data "$work/data" --container "$container" >/dev/null
web_token=$("$stratus" token create --user schemathesis --data "$work/data" --container "$container" |
    grep -oE '[0-9a-f]{64}' | head -n 1)
api_token=$("$stratus" token create --people --data "$work/data" --container "$container" |
    grep -oE '[0-9a-f]{64}' | head -n 1)

# The zone of the description's examples.
curl -fs "http://127.0.0.1:$port/database/1/$container/development/private/zones/modify?ckAPIToken=$api_token&ckWebAuthToken=$web_token" \
    -d '{"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Notes"}}}]}' >/dev/null

# A receiver of notifications that is kept: no token that is made up can be.
device="http://127.0.0.1:$port/device/1/$container/development/tokens"
receiver=$(curl -fs "$device/create?ckAPIToken=$api_token&ckWebAuthToken=$web_token" \
    -d '{"apnsEnvironment": "development"}' | sed -n 's/.*"apnsToken":"\([0-9a-f]*\)".*/\1/p')
curl -fs "$device/register?ckAPIToken=$api_token&ckWebAuthToken=$web_token" \
    -d '{"apnsEnvironment": "development", "apnsToken": "'"$receiver"'"}' >/dev/null

# A file, so that the addresses of an upload and of a download lead somewhere.
database="http://127.0.0.1:$port/database/1/$container/development/public"
tokens="ckAPIToken=$api_token&ckWebAuthToken=$web_token"
upload=$(curl -fs "$database/assets/upload?$tokens" \
    -d '{"tokens": [{"recordName": "photo-1", "recordType": "Photo", "fieldName": "file"}]}' |
    sed -n 's|.*/assets/upload/\([A-Za-z0-9_-]*\).*|\1|p')
file=$(curl -fs --data-binary 'a file of the tests' "http://127.0.0.1:$port/assets/upload/$upload" |
    sed 's/^{"singleFile"://; s/}$//')
download=$(curl -fs "$database/records/modify?$tokens" \
    -d '{"operations": [{"operationType": "create", "record": {"recordName": "photo-1", "recordType": "Photo",
        "fields": {"file": {"value": '"$file"'}}}}]}' |
    sed -n 's|.*/assets/get/\([A-Za-z0-9_-]*\).*|\1|p')
[ -n "$upload" ] && [ -n "$download" ] || { echo "No file could be uploaded and saved."; exit 1; }

curl -fs "http://127.0.0.1:$port/openapi.json" >"$work/openapi.json"
cmp "$work/openapi.json" Sources/RecordServer/Resources/openapi.json ||
    { echo "The served description is not the checked-in one."; exit 1; }
"$venv/bin/python" scripts/tests/openapi_examples.py "$work/openapi.json"

cat >"$work/schemathesis.toml" <<TOML
[parameters]
"path.container" = "$container"
"path.environment" = "development"
"query.ckAPIToken" = "$api_token"
"query.ckWebAuthToken" = "$web_token"
"path.token" = "$upload"
"path.name" = "$download"
TOML

status=0
"$venv/bin/schemathesis" --config-file "$work/schemathesis.toml" --no-color run "$work/openapi.json" \
    --exclude-path-regex '/records/live' --url "http://127.0.0.1:$port" --max-time "${SECONDS_MAX:-120}" --seed "${SEED:-1}" \
    --phases examples,coverage,fuzzing --request-timeout 15 --continue-on-failure --max-failures 20 \
    --suppress-health-check all --warnings off \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance ||
    status=$?

kill -0 "$server" 2>/dev/null || { echo "The server did not survive:"; tail -n 40 "$work/output"; exit 1; }

# A description that only ever met errors would prove little: each endpoint has to have answered well, too.
"$venv/bin/python" - "$work/output" <<'PYTHON'
import collections, json, sys

answers = collections.defaultdict(collections.Counter)
for line in open(sys.argv[1], errors="replace"):
    if line.startswith("{") and '"route"' in line:
        entry = json.loads(line)
        answers[entry["route"]][entry["status"]] += 1
for route, statuses in sorted(answers.items()):
    print(f"  {route:18}", ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items())))
poor = [route for route, statuses in answers.items() if "/" in route and not statuses[200]]
if poor or len(answers) < 12:
    sys.exit(f"Not answered with 200 even once: {', '.join(poor) or 'some endpoints were not called'}")
PYTHON
exit $status
