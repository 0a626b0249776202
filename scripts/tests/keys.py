#!/usr/bin/env python3
"""Server-to-server keys and security roles over real HTTP, as a program and its operator use them.

- `stratus key create` takes in the public half of a pair that openssl made, and makes pairs itself;
- a request that openssl signed reads and writes; the four texts that clients sign are all good;
- `stratus key sign` prints a curl line that works when it is pasted, and only once;
- a wrong body, a wrong date, another container and a revoked key are refused;
- a key may do what its user's roles are granted.
"""

import base64
import datetime
import hashlib
import http.client
import json
import re
import subprocess
import time

from support import Workplace, expect, free_port, main, run

CONTAINER = "iCloud.keys"
PATH = f"/database/1/{CONTAINER}/development/public/"
SCHEMA = """DEFINE SCHEMA
    CREATE ROLE Importer;
    RECORD TYPE Note (
        "___recordID" REFERENCE QUERYABLE,
        n INT64 QUERYABLE SORTABLE,
        GRANT READ TO "_creator",
        GRANT READ, CREATE, WRITE TO Importer
    );
"""


def openssl(*arguments, data=None):
    done = subprocess.run(["openssl", *arguments], input=data, capture_output=True, timeout=30)
    expect(done.returncode == 0, f"openssl {arguments[0]}: {done.stderr.decode()}")
    return done.stdout


class Signer:
    def __init__(self, port, key, key_id):
        self.port, self.key, self.key_id = port, key, key_id

    def send(self, endpoint, body, *, query="", signs_query=True, hashes_nothing=True, date=None, sent=None,
             path=PATH, headers=None):
        """The answer to a request whose text `openssl` signed; `sent` replaces the body after that."""
        data = b"" if body is None else json.dumps(body).encode()
        date = date or datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode() if data or hashes_nothing else ""
        target = path + endpoint + query
        text = f"{date}:{digest}:{target if signs_query else path + endpoint}"
        signature = openssl("dgst", "-sha256", "-sign", str(self.key), data=text.encode())
        fields = {
            "X-Apple-CloudKit-Request-KeyID": self.key_id,
            "X-Apple-CloudKit-Request-ISO8601Date": date,
            "X-Apple-CloudKit-Request-SignatureV1": base64.b64encode(signature).decode(),
            "Content-Type": "text/plain",
        }
        fields.update(headers or {})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET" if body is None else "POST", target, sent or data or None, fields)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()


def check_texts(signer):
    """Reads and writes by each of the four texts."""
    for query in ("", "?ckjsBuildVersion=2.6.4&clientId=a%2Fb"):
        for signs_query in (True, False):
            status, answer = signer.send(
                "records/query", {"query": {"recordType": "Note"}}, query=query, signs_query=signs_query)
            expect(status == 200, f"A signed query was answered {status}: {answer}")
            for hashes_nothing in (True, False):
                status, answer = signer.send(
                    "users/caller", None, query=query, signs_query=signs_query, hashes_nothing=hashes_nothing)
                expect(status == 200 and "userRecordName" in answer, f"users/caller: {status} {answer}")


def check_refusals(signer):
    query = {"query": {"recordType": "Note"}}
    now = datetime.datetime.now(datetime.timezone.utc)
    late = (now - datetime.timedelta(minutes=11)).strftime("%Y-%m-%dT%H:%M:%SZ")
    early = (now + datetime.timedelta(minutes=11)).strftime("%Y-%m-%dT%H:%M:%SZ")
    for what, answer in {
        "another body": signer.send("records/query", query, sent=b'{"query":{"recordType":"Other"}}'),
        "an old date": signer.send("records/query", query, date=late),
        "a date to come": signer.send("records/query", query, date=early),
        "another container": signer.send("records/query", query, path=PATH.replace("keys", "other")),
        "production": signer.send("records/query", query, path=PATH.replace("development", "production")),
        "no signature": signer.send(
            "records/query", query, headers={"X-Apple-CloudKit-Request-SignatureV1": "x"}),
        "a long id": signer.send("records/query", query, headers={"X-Apple-CloudKit-Request-KeyID": "a" * 5000}),
    }.items():
        expect(answer[0] == 401 and answer[1]["serverErrorCode"] == "AUTHENTICATION_FAILED", f"{what}: {answer}")
    status, answer = signer.send("records/query", query, path=PATH.replace("public", "private"))
    expect(answer.get("serverErrorCode") == "ACCESS_DENIED", f"the private database: {status} {answer}")


def check_curl(port, data, key):
    """What `key sign` prints works once."""
    line = run(
        "key", "sign", "records/query", '{"query":{"recordType":"Note"}}', "--private-key", str(key),
        "--container", CONTAINER, "--url", f"http://127.0.0.1:{port}").stdout.strip()
    for code in (None, "AUTHENTICATION_FAILED"):
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=30)
        answer = json.loads(done.stdout)
        expect(answer.get("serverErrorCode") == code, f"{line}\n{answer}")


def check():
    with Workplace("keys") as place:
        port = free_port()
        server = place.start("serve", "data", port)
        # A signature is good where it is dated after the server's start.
        server.wait_until_ready()
        time.sleep(1.1)
        data = ["--data", str(place.path / "data"), "--container", CONTAINER]
        schema = place.path / "schema.ckdb"
        schema.write_text(SCHEMA)
        run("schema", "import", "--file", str(schema), *data)

        key, public = place.path / "eckey.pem", place.path / "public.pem"
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(key))
        openssl("ec", "-in", str(key), "-pubout", "-out", str(public))
        run("user", "add", "robot", *data)
        key_id = run(
            "key", "create", "--name", "nightly", "--user", "robot", "--public-key", str(public), *data).stdout.strip()
        expect(re.fullmatch("[0-9a-f]{64}", key_id), f"'stratus key create' printed {key_id!r}")
        signer = Signer(port, key, key_id)

        create = {"operations": [{
            "operationType": "create",
            "record": {"recordName": "a", "recordType": "Note", "fields": {"n": {"value": 1}}}}]}
        status, answer = signer.send("records/modify", create)
        expect(answer["records"][0].get("serverErrorCode") == "ACCESS_DENIED", f"without the role: {answer}")
        run("role", "give", "Importer", "--user", "robot", *data)
        expect("robot" in run("role", "list", *data).stdout, "'stratus role list' does not show who has a role")
        time.sleep(5.5)
        status, answer = signer.send("records/modify", create)
        expect("serverErrorCode" not in answer["records"][0], f"with the role: {answer}")
        status, answer = signer.send("records/query", {"query": {"recordType": "Note"}})
        expect([r["recordName"] for r in answer["records"]] == ["a"], f"the query found {answer}")
        status, answer = signer.send("users/caller", None)
        expect(answer.get("roles") == ["Importer"], f"users/caller: {answer}")

        check_texts(signer)
        check_refusals(signer)
        check_curl(port, data, key)

        made = place.path / "made.pem"
        made_id = run("key", "create", "--name", "made", "--out", str(made), *data).stdout.strip()
        expect(made.stat().st_mode & 0o777 == 0o600, "others may read the private half")
        status, answer = Signer(port, made, made_id).send("users/caller", None)
        expect(status == 200, f"a pair that stratus made: {status} {answer}")
        again = run("key", "create", "--name", "again", "--out", str(made), *data, check=False)
        expect(again.returncode != 0, "a private half was written over another")

        keys = {k["keyID"]: k for k in json.loads(run("key", "list", "--json", *data).stdout)}
        expect(set(keys) == {key_id, made_id}, f"'stratus key list' shows {keys}")
        expect(keys[key_id].get("usedAt"), "the last use of a key is not noted")
        run("key", "revoke", key_id, *data)
        time.sleep(5.5)
        status, answer = signer.send("users/caller", None)
        expect(status == 401, f"A revoked key was answered {status}: {answer}")
        print("  four texts, seven refusals, a role, a curl line, a revocation")


if __name__ == "__main__":
    main(check)
