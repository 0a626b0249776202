"""The service of an installed package: started as its unit says, where no systemd runs."""

import json
import pathlib
import re
import signal
import sys
import time
import urllib.error
import urllib.request

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tests"))

from support import free_port  # noqa: E402


def expect(truth, sentence):
    if not truth:
        sys.exit(f"FAILED: {sentence}")


def say(what, value, unit="s"):
    print(f"  {what}: {value:.2f} {unit}", flush=True)


class Service:
    def __init__(self, root, unit):
        text = (root.path / unit.lstrip("/")).read_text()
        self.root = root
        self.command = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE).group(1).split()
        self.user = re.search(r"^User=(.*)$", text, re.MULTILINE).group(1)
        self.output = root.path / "tmp/stratus.log"
        # The unit's own port may be taken on this machine.
        self.port = free_port()
        self.process = None

    def start(self):
        """Starts the service; gives the seconds until it answers."""
        with open(self.output, "ab") as output:
            begun = time.monotonic()
            self.process = self.root.start(
                *self.command, user=f"{self.user}:{self.user}", output=output,
                environment={"STRATUS_PORT": str(self.port)})
        while time.monotonic() - begun < 30:
            try:
                self.get("/readyz")
                return time.monotonic() - begun
            except OSError:
                expect(self.process.poll() is None, f"the service ended with {self.process.returncode}:\n{self.log()}")
                time.sleep(0.002)
        sys.exit(f"FAILED: the service does not answer:\n{self.log()}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        expect(self.process.wait(30) == 0, f"the service ends with {self.process.returncode}:\n{self.log()[-2000:]}")

    def log(self):
        return self.output.read_text(errors="replace")

    def get(self, path):
        # As a browser asks: others get no start page.
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers={"Accept": "text/html"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.read().decode()

    def resident_megabytes(self):
        text = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text).group(1)) / 1_000

    def token(self, container, user=None):
        """A token as the operator makes it: by a command as root, which finds the data by the settings."""
        if user:
            self.root.run("stratus", "user", "add", user, "--container", container)
        more = ["--user", user] if user else []
        said = self.root.run("stratus", "token", "create", "--container", container, *more).stdout
        return re.search(r"\b[0-9a-f]{64}\b", said).group()

    def ask(self, container, endpoint, tokens, body):
        address = (f"http://127.0.0.1:{self.port}/database/1/{container}/development/public/{endpoint}"
                   f"?ckAPIToken={tokens[0]}&ckWebAuthToken={tokens[1]}")
        try:
            with urllib.request.urlopen(address, data=json.dumps(body).encode(), timeout=10) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            sys.exit(f"FAILED: {endpoint} was answered with {error.code}: {error.read().decode()[:500]}")

    def save(self, container, tokens, name):
        record = {"recordName": name, "recordType": "Note", "fields": {"text": {"value": "Grüße"}}}
        answer = self.ask(container, "records/modify", tokens, {
            "operations": [{"operationType": "create", "record": record}]})
        expect("recordChangeTag" in answer["records"][0], f"the record was not saved: {answer}")

    def names(self, container, tokens):
        answer = self.ask(container, "records/query", tokens, {"query": {"recordType": "Note"}})
        return sorted(record["recordName"] for record in answer["records"])
