#!/usr/bin/env python3
"""The service does what its OpenAPI description says: schemathesis sends what the description allows, and what it does not.

Held against each answer: it is not a failure of the service, its status and content type are described, and its body is what the
description promises, to the last key. The description's own examples are held against its schemas first. Streams of events
(`records/live` and what is below it) are left out: they do not end.

    scripts/tests/openapi.py [--seconds 120] [--seed 1]
"""

import argparse
import collections
import http.client
import json
import os
import re
import subprocess
import sys

from support import ROOT, TOKEN, Client, Failure, Workplace, add_user, expect, free_port, get, main

FOLDER = ROOT / ".build/venv"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
# Fewer endpoints than this were never called in a run that went well.
LEAST_ROUTES = 12

try:
    import jsonschema_rs
    import schemathesis  # noqa: F401  it is run as a program
except ImportError:
    if not (FOLDER / "bin/schemathesis").exists():
        subprocess.run([sys.executable, "-m", "venv", FOLDER], check=True)
        subprocess.run([FOLDER / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                        "schemathesis>=4,<5", "hypothesis"], check=True)
    os.execv(FOLDER / "bin/python", [FOLDER / "bin/python", *sys.argv])


def examples(node, place=""):
    """Each schema that has an example beside it."""
    if isinstance(node, dict):
        if "schema" in node and "example" in node:
            yield place, node["schema"], node["example"]
        for key, child in node.items():
            yield from examples(child, f"{place}/{key}")
    elif isinstance(node, list):
        for index, child in enumerate(node):
            yield from examples(child, f"{place}/{index}")


def check_examples(description):
    """The description's examples fit its schemas."""
    count, wrong = 0, []
    for place, schema, example in examples(description):
        count += 1
        whole = {
            "$schema": "https://json-schema.org/draft/2020-12/schema", "components": description["components"],
            "allOf": [schema],
        }
        wrong += [f"{place}: {error.message}" for error in jsonschema_rs.validator_for(whole).iter_errors(example)]
    expect(not wrong, "Examples do not fit their schemas:\n" + "\n".join(wrong))
    print(f"{count} examples of the description fit their schemas")


def post(port, path, body):
    """The answer of a request outside of a database, which has to succeed."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", path, body)
        answer = connection.getresponse()
        data = answer.read()
        expect(answer.status == 200, f"{path.split('?')[0]} answered {answer.status}: {data[:500]!r}")
        return json.loads(data or b"{}")
    finally:
        connection.close()


def furnish(port, container, tokens):
    """What addresses of the description lead to: a zone, a receiver that is kept, and a file with a record; the two last addresses."""
    private, public = (Client(port, container, database, *tokens) for database in ("private", "public"))
    private.ask("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Notes"}}}]})
    device = f"/device/1/{container}/development/tokens"
    receiver = post(port, f"{device}/create{private.query}", json.dumps({"apnsEnvironment": "development"}))["apnsToken"]
    post(port, f"{device}/register{private.query}",
         json.dumps({"apnsEnvironment": "development", "apnsToken": receiver}))
    [place] = public.ask("assets/upload", {
        "tokens": [{"recordName": "photo-1", "recordType": "Photo", "fieldName": "file"}]})["tokens"]
    upload = place["url"].rpartition("/assets/upload/")[2]
    file = post(port, f"/assets/upload/{upload}", b"a file of the tests")["singleFile"]
    [saved] = public.ask("records/modify", {"operations": [{"operationType": "create", "record": {
        "recordName": "photo-1", "recordType": "Photo", "fields": {"file": {"value": file}}}}]})["records"]
    address = saved["fields"]["file"]["value"]["downloadURL"]
    return upload, re.search(r"/assets/get/([A-Za-z0-9_-]*)", address).group(1)


def count_answers(text):
    """A description that only ever met errors would prove little: each endpoint has to have answered well, too."""
    answers = collections.defaultdict(collections.Counter)
    for line in text.splitlines():
        if line.startswith("{") and '"route"' in line:
            entry = json.loads(line)
            answers[entry["route"]][entry["status"]] += 1
    for route, statuses in sorted(answers.items()):
        print(f"  {route:18}", ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items())))
    poor = [route for route, statuses in answers.items() if "/" in route and not statuses[200]]
    expect(not poor, f"Not answered with 200 even once: {', '.join(poor)}")
    expect(len(answers) >= LEAST_ROUTES, f"Only {len(answers)} endpoints were called.")


def test():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with Workplace("openapi") as workplace:
        port = free_port()
        server = workplace.start("demo", "data", port, "--players", "200", "--restaurants", "20")
        server.wait_until_ready()
        # The container is the one of demo's own lines; the user, and an app that may ask for people, are made here.
        named = re.search(r"/database/1/([^/\s]+)/development/", server.text)
        expect(named and TOKEN.search(server.text), f"demo prints no container and token:\n{server.text[-2000:]}")
        container = named.group(1)
        tokens = add_user(server.data, container, "schemathesis", "--people")
        upload, download = furnish(port, container, tokens)
        status, served = get(port, "/openapi.json")
        expect(status == 200 and served == (ROOT / "Sources/RecordServer/Resources/openapi.json").read_bytes(),
               "The served description is not the checked-in one.")
        check_examples(json.loads(served))
        (workplace.path / "openapi.json").write_bytes(served)
        (workplace.path / "schemathesis.toml").write_text(
            f'[parameters]\n"path.container" = "{container}"\n"path.environment" = "development"\n'
            f'"query.ckAPIToken" = "{tokens[0]}"\n"query.ckWebAuthToken" = "{tokens[1]}"\n'
            f'"path.token" = "{upload}"\n"path.name" = "{download}"\n')
        done = subprocess.run([
            FOLDER / "bin/schemathesis", "--config-file", workplace.path / "schemathesis.toml", "--no-color", "run",
            workplace.path / "openapi.json", "--exclude-path-regex", "/records/live", "--url", f"http://127.0.0.1:{port}",
            "--max-time", str(options.seconds), "--seed", str(options.seed), "--phases", "examples,coverage,fuzzing",
            "--request-timeout", "15", "--continue-on-failure", "--max-failures", "20", "--suppress-health-check", "all",
            "--warnings", "off", "--checks", CHECKS])
        if server.process.poll() is not None:
            raise Failure(f"The server did not survive:\n{server.text[-4000:]}")
        count_answers(server.text)
        expect(done.returncode == 0, f"schemathesis ended with {done.returncode}; what it found is above.")


if __name__ == "__main__":
    main(test)
