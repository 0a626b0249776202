#!/usr/bin/env python3
"""Webhooks of a server that is killed miss nothing, and what they deliver is in the order of the commits.

The receiver is the one of Documentation/Webhooks.md. Each round lets several clients write to several zones over HTTP;
server or receiver are killed with SIGKILL at a random moment and started again. In the end each acknowledged change was
delivered with a good signature, and each zone's changes came for the first time in the order of the commits. Then come
receivers that misbehave: slow ones, endless answers, redirections, and addresses that are refused.
"""

import http.client
import json
import os
import random
import re
import socketserver
import subprocess
import sys
import threading
import time
import urllib.request

from support import (
    ROOT, Client, Workplace, crash_options, expect, free_port, join_all, main, make_token, run,
    wait_for)

CONTAINER = "iCloud.org.stratus.webhooks"
TYPE = "Entry"
ZONES = ["A", "B", "C"]


class Receiver:
    """The program of the documentation, as a process whose output is kept."""

    def __init__(self, folder, port, secret):
        text = (ROOT / "Documentation/Webhooks.md").read_text()
        blocks = re.findall(r"```python\n(.*?)```", text, re.S)
        expect(len(blocks) == 1, "Documentation/Webhooks.md has not one program in Python")
        self.program, self.log, self.port = folder / "receiver.py", folder / "received.log", port
        self.program.write_text(blocks[0])
        self.secret = secret
        self.start()

    def start(self):
        with open(self.log, "ab") as log, open(f"{self.log}.errors", "ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, self.program, str(self.port)], env=os.environ | {"SECRET": self.secret}, stdout=log,
                stderr=errors)

    def kill(self):
        self.process.kill()
        self.process.wait()

    @property
    def deliveries(self):
        lines = self.log.read_text().splitlines()
        expect("refused" not in lines, "The receiver found a signature that is not good")
        # One that was killed may have printed half a line.
        found = []
        for line in lines:
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return found


class Writer(threading.Thread):
    """Writes until the server goes away."""

    def __init__(self, number, client, source, acknowledged, values):
        super().__init__(daemon=True)
        self.number, self.client, self.source = number, client, source
        self.acknowledged, self.values = acknowledged, values

    def run(self):
        try:
            while True:
                zone = self.source.choice(ZONES)
                name = f"r{self.number}-{self.source.randrange(6)}"
                value = self.values[zone, name] = self.values.get((zone, name), 0) + 1
                answer = self.client.ask("records/modify", {"zoneID": {"zoneName": zone}, "operations": [{
                    "operationType": "forceUpdate",
                    "record": {"recordName": name, "recordType": TYPE, "fields": {"number": {"value": value}}}}]})
                expect("serverErrorCode" not in answer["records"][0], json.dumps(answer))
                self.acknowledged.append((zone, name, value))
        except (OSError, http.client.HTTPException):
            return


def key(delivery):
    record = delivery["record"]
    return delivery["zoneID"]["zoneName"], record["recordName"], record["fields"]["number"]["value"]


def check(deliveries, acknowledged):
    """Compares what arrived with what was acknowledged."""
    delivered = {key(delivery) for delivery in deliveries}
    missing = [change for change in acknowledged if change not in delivered]
    expect(not missing, f"{len(missing)} of {len(acknowledged)} acknowledged changes did not arrive: {missing[:5]}")
    last, bodies, values = {}, {}, {}
    for delivery in deliveries:
        zone, name, value = key(delivery)
        if delivery["id"] in bodies:
            expect(bodies[delivery["id"]] == delivery, f"{delivery['id']} came with another body the second time")
            continue
        bodies[delivery["id"]] = delivery
        expect(delivery["change"] > last.get(zone, 0), f"{zone} got {delivery['change']} after {last.get(zone)}")
        expect(value > values.get((zone, name), 0), f"{name} came as {value} after {values.get((zone, name))}")
        last[zone], values[zone, name] = delivery["change"], value
    return len(bodies)


def hooks(data):
    return {hook["label"]: hook for hook in json.loads(
        run("webhook", "list", "--json", "--data", str(data), "--container", CONTAINER).stdout)}


def add(data, url, label, *more):
    return json.loads(run(
        "webhook", "add", url, "--label", label, "--data", str(data), "--container", CONTAINER, "--json", *more).stdout)


class Crooked(socketserver.ThreadingTCPServer):
    """A receiver that does with each path what no receiver should."""

    daemon_threads = allow_reuse_address = True

    def __init__(self, port):
        self.seen = []
        super().__init__(("127.0.0.1", port), CrookedHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class CrookedHandler(socketserver.StreamRequestHandler):
    def handle(self):
        path = self.rfile.readline().decode().split(" ")[1]
        self.server.seen.append(path)
        length = 0
        while line := self.rfile.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        self.rfile.read(length)
        try:
            if path == "/endless":
                self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
                while True:
                    self.wfile.write(b"x" * 65536)
            elif path == "/redirect":
                self.wfile.write(b"HTTP/1.1 307 Go\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
            elif path == "/silent":
                time.sleep(60)
            else:
                self.wfile.write(b"HTTP/1.1 204 Yes\r\n\r\n")
        except OSError:
            return


def misbehave(data, client):
    """Each receiver goes wrong in its own way, and none keeps another from its deliveries."""
    server = Crooked(free_port())
    base = f"http://127.0.0.1:{server.server_address[1]}"
    for name in ("silent", "redirect", "endless", "good"):
        add(data, f"{base}/{name}", name, "--user", "ada")
    time.sleep(2)
    client.ask("records/modify", {"operations": [{"operationType": "create", "record": {
        "recordName": "crooked", "recordType": TYPE, "fields": {"number": {"value": 1}}}}]})
    wait_for("A good receiver is not told", lambda: "/good" in server.seen, 60)
    wait_for("An endless answer was not taken by its status", lambda: hooks(data)["endless"]["taken"] == 1, 60)
    wait_for("A redirection counts as taken", lambda: hooks(data)["redirect"]["held"], 60)
    expect("307" in hooks(data)["redirect"]["held"][0]["answer"], "The answer of a redirection is not kept")
    expect("/elsewhere" not in server.seen, "A redirection was followed")
    wait_for("A silent receiver was not given up", lambda: hooks(data)["silent"]["held"], 120)
    expect(hooks(data)["good"]["taken"] == 1, "A delivery came again that was taken")
    run("webhook", "send", hooks(data)["good"]["id"], "--test", "--webhook-targets", "any", "--data", str(data),
        "--container", CONTAINER)
    # Retries of the others come in between.
    wait_for("The test did not arrive", lambda: server.seen.count("/good") == 2, 10)
    refused = run("webhook", "send", hooks(data)["good"]["id"], "--test", "--data", str(data), "--container", CONTAINER,
                  check=False)
    expect(refused.returncode != 0 and "public internet" in refused.stderr, refused.stderr)
    for hook in hooks(data).values():
        run("webhook", "remove", hook["id"], "--data", str(data), "--container", CONTAINER)


def refuse(workplace, data, port, tokens):
    """Without the setting nothing goes to this machine, by whatever name."""
    server = workplace.start("serve", "data", port)
    server.wait_until_ready()
    receiver = Crooked(free_port())
    target = receiver.server_address[1]
    hosts = ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]", "2130706433", "0.0.0.0"]
    for host in hosts:
        add(data, f"http://{host}:{target}/", host, "--user", "ada")
    time.sleep(2)
    Client(port, CONTAINER, "private", *tokens).ask("records/modify", {"operations": [{
        "operationType": "create", "record": {
            "recordName": "refused", "recordType": TYPE, "fields": {"number": {"value": 1}}}}]})
    wait_for("A delivery to this machine was not held back",
             lambda: all(hooks(data)[host]["held"] for host in hosts))
    for host in hosts:
        answer = hooks(data)[host]["held"][0]["answer"]
        expect("public internet" in answer, f"{host} was refused for another reason: {answer}")
    expect(not receiver.seen, f"Deliveries went to this machine: {receiver.seen}")
    server.process.terminate()
    expect(server.wait(20) == 0, "The server did not end well")


def test():
    options = crash_options(__doc__, rounds=6, clients=4)
    source = random.Random(options.seed)
    port = free_port()
    with Workplace("webhooks") as workplace:
        def serve():
            server = workplace.start("serve", "data", port, "--webhook-targets", "any")
            server.wait_until_ready()
            return server

        server = serve()
        data = server.data
        run("user", "add", "ada", "--data", str(data), "--container", CONTAINER)
        tokens = make_token(data, CONTAINER), make_token(data, CONTAINER, "--user", "ada")
        first = Client(port, CONTAINER, "private", *tokens)
        first.ask("records/modify", {"operations": [{"operationType": "create", "record": {
            "recordName": "first", "recordType": TYPE, "fields": {"number": {"value": 0}}}}]})
        first.ask("zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": zone}}} for zone in ZONES]})
        misbehave(data, first)
        target = free_port()
        hook = add(data, f"http://127.0.0.1:{target}/", "main", "--user", "ada", "--type", TYPE)
        receiver = Receiver(workplace.path, target, hook["secret"])
        try:
            acknowledged, values = [], {}
            for number in range(options.rounds):
                writers = [
                    Writer(index, Client(port, CONTAINER, "private", *tokens),
                           random.Random(f"{options.seed}/{number}/{index}"), acknowledged,
                           values.setdefault(index, {})) for index in range(options.clients)]
                for writer in writers:
                    writer.start()
                time.sleep(source.uniform(0.3, 1.5))
                if source.random() < 0.5:
                    receiver.kill()
                    time.sleep(source.uniform(0, 1))
                server.kill()
                join_all(writers)
                if receiver.process.poll() is not None and source.random() < 0.7:
                    receiver.start()
                server = serve()
            if receiver.process.poll() is not None:
                receiver.start()
            expect(acknowledged, "No client was acknowledged anything")
            run("webhook", "send", hook["id"], "--data", str(data), "--container", CONTAINER)
            wait_for("Not everything acknowledged arrived", lambda: {
                key(delivery) for delivery in receiver.deliveries}.issuperset(acknowledged), 120)
            count = check(receiver.deliveries, acknowledged)
            wait_for("A zone is held back though all was taken", lambda: not hooks(data)["main"]["held"])
            # Old and new secret both sign: the receiver still has the old one.
            before = len(receiver.deliveries)
            run("webhook", "rotate", hook["id"], "--data", str(data), "--container", CONTAINER)
            time.sleep(1.5)
            Client(port, CONTAINER, "private", *tokens).ask("records/modify", {
                "zoneID": {"zoneName": "A"}, "operations": [{"operationType": "create", "record": {
                    "recordName": "rotated", "recordType": TYPE, "fields": {"number": {"value": 1}}}}]})
            wait_for("Nothing arrived after the secret was changed", lambda: len(receiver.deliveries) > before)
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                figures = dict(line.split() for line in answer.read().decode().splitlines()
                               if line.startswith("stratus_webhook_"))
            expect(float(figures["stratus_webhook_deliveries_total"]) > 0, f"/metrics says {figures}")
            expect("stratus_webhook_failed_attempts_total" in figures, f"/metrics says {figures}")
            server.process.terminate()
            expect(server.wait(20) == 0, "The server did not end well")
            run("webhook", "remove", hook["id"], "--data", str(data), "--container", CONTAINER)
        finally:
            receiver.kill()
        refuse(workplace, data, port, tokens)
        print(f"{len(acknowledged)} changes acknowledged, {count} delivered in order, {options.rounds} kills")


if __name__ == "__main__":
    main(test)
