#!/usr/bin/env python3
"""`make demo` runs two programs as one, as the person at the terminal sees it.

- both answer, and the guide names the address of the other one;
- SIGTERM and Ctrl-C end both, with exit status 0;
- when one of them ends, so does the other, with a sentence that says which;
- on PostgreSQL, a second node started with the printed command sees the first one's writes, and has every
  acknowledged one after the first was killed; the cluster ends with the demo.
"""

import hashlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import threading
import time
import urllib.request

from support import ROOT, Workplace, expect, free_port, main, stratus

PATIENCE = 120


class Demo:
    def __init__(self, workplace, **environment):
        # Courses takes the next one.
        self.port = free_port(following=1)
        self.output = open(workplace.path / "output", "w+b")
        data = workplace.path / "data"
        self.process = subprocess.Popen(
            [str(ROOT / "scripts/demo.sh"), "--data", str(data), "--port", str(self.port), "--players", "100",
             "--restaurants", "5"],
            env=os.environ | {"BIN": str(pathlib.Path(stratus()).parent)} | environment, stdin=subprocess.DEVNULL,
            stdout=self.output, stderr=subprocess.STDOUT, start_new_session=True)

    @property
    def text(self):
        self.output.seek(0)
        return self.output.read().decode(errors="replace")

    def wait_until_ready(self):
        start = time.monotonic()
        left = {f"http://127.0.0.1:{self.port}/readyz", f"http://127.0.0.1:{self.port + 1}/"}
        while left:
            expect(self.process.poll() is None, f"The demo ended by itself:\n{self.text}")
            expect(time.monotonic() - start < PATIENCE, f"No answer from {left}:\n{self.text}")
            for url in list(left):
                try:
                    urllib.request.urlopen(url, timeout=5).close()
                    left.discard(url)
                except OSError:
                    pass
            time.sleep(0.1)
        while "Ctrl-C stops it." not in self.text:
            time.sleep(0.1)

    def children(self):
        """The programs it runs: their names with their process ids."""
        lines = subprocess.run(
            ["ps", "-o", "pid=,comm=", "--ppid", str(self.process.pid)], capture_output=True, text=True).stdout
        return {name: int(pid) for pid, name in (line.split() for line in lines.splitlines())}

    def end(self):
        status = self.process.wait(60)
        for name in ("stratus", "Courses"):
            expect(name not in self.children(), f"{name} goes on running")
        return status

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.output.close()


def run(name, body, **environment):
    with Workplace("demo") as workplace:
        demo = Demo(workplace, **environment)
        try:
            demo.wait_until_ready()
            body(demo)
        finally:
            demo.close()
    print(f"  {name}")


def guide(demo):
    expect(re.search(rf"Courses +http://127\.0\.0\.1:{demo.port + 1}\b", demo.text), f"No address:\n{demo.text}")
    demo.process.send_signal(signal.SIGTERM)
    expect(demo.end() == 0, f"After SIGTERM the status is {demo.process.returncode}:\n{demo.text}")


def interrupt(demo):
    # A terminal sends it to all programs that run in it.
    os.killpg(demo.process.pid, signal.SIGINT)
    expect(demo.end() == 0, f"After Ctrl-C the status is {demo.process.returncode}:\n{demo.text}")


def loss(victim, other):
    def body(demo):
        os.kill(demo.children()[victim], signal.SIGKILL)
        expect(demo.end() != 0, f"The status tells nothing:\n{demo.text}")
        sentence = f"{victim} has ended by itself; stopping {other} as well"
        expect(sentence in demo.text, f"No '{sentence}':\n{demo.text}")
    return body


def post(url, body):
    with urllib.request.urlopen(url, json.dumps(body).encode(), timeout=30) as answer:
        return json.load(answer)


class Writer(threading.Thread):
    """Makes records one after the other until the server is gone; `acknowledged` has the names of those that are there."""

    def __init__(self, url):
        super().__init__()
        self.url = url
        self.acknowledged = []
        self.refusal = None

    def run(self):
        number = 0
        while True:
            number += 1
            record = {"recordName": f"w{number}", "recordType": "Trial", "fields": {"n": {"value": number}}}
            try:
                answer = post(self.url, {"operations": [{"operationType": "create", "record": record}]})
            except OSError:
                return
            if "serverErrorCode" in str(answer):
                self.refusal = answer
                return
            self.acknowledged.append(record["recordName"])


def missing(url, names):
    """Those of the records that a node does not have."""
    gone = []
    for start in range(0, len(names), 100):
        some = names[start:start + 100]
        found = post(url, {"records": [{"recordName": name} for name in some]})["records"]
        there = {record["recordName"] for record in found if "fields" in record}
        gone += [name for name in some if name not in there]
    return gone


def second_node(demo):
    command = re.search(r"^ +(\S*stratus serve .*)$", demo.text, re.MULTILINE)
    expect(command, f"No command for a second node:\n{demo.text}")
    query = re.search(r"curl -s '([^']*)/records/query([^']*)'", demo.text)
    expect(query, f"No address to ask:\n{demo.text}")
    # The demo's tokens are made from fixed texts; the guide shows only the app's.
    user = hashlib.sha256(b"stratus demo web auth token").hexdigest()
    first = f"{query[1]}/records/modify{query[2]}&ckWebAuthToken={user}"
    words = shlex.split(command[1])
    port = words[words.index("--port") + 1]
    second = first.replace("modify", "lookup").replace(f":{demo.port}/", f":{port}/")
    socket_folder = re.search(r"host=(\S+)/socket", command[1])[1]
    writer = Writer(first)
    node = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=demo.output, stderr=subprocess.STDOUT)
    try:
        start = time.monotonic()
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5).close()
                break
            except OSError:
                expect(node.poll() is None, f"The second node ended:\n{demo.text}")
                expect(time.monotonic() - start < PATIENCE, f"The second node does not answer:\n{demo.text}")
                time.sleep(0.1)
        writer.start()
        while len(writer.acknowledged) < 20:
            expect(writer.is_alive(), f"A write was refused: {writer.refusal}\n{demo.text}")
            time.sleep(0.02)
        expect(not missing(second, writer.acknowledged[:20]), "The second node does not see the first one's writes.")
        os.kill(demo.children()["stratus"], signal.SIGKILL)
        writer.join(60)
        expect(writer.refusal is None, f"A write was refused: {writer.refusal}")
        gone = missing(second, writer.acknowledged)
        expect(not gone, f"Of {len(writer.acknowledged)} acknowledged writes these are gone: {gone}")
        more = post(second.replace("lookup", "modify"), {"operations": [
            {"operationType": "create", "record": {"recordName": "after", "recordType": "Trial", "fields": {}}}]})
        expect("serverErrorCode" not in str(more), f"The second node takes no writes: {more}")
    finally:
        node.terminate()
        node.wait(60)
    start = time.monotonic()
    while "goes on for a second node" not in demo.text:
        expect(time.monotonic() - start < 20, f"Nothing says that PostgreSQL goes on:\n{demo.text}")
        time.sleep(0.1)
    demo.process.send_signal(signal.SIGTERM)
    demo.end()
    expect(not pathlib.Path(socket_folder).exists(), f"The cluster left {socket_folder}")


def test():
    run("the guide names both; SIGTERM ends both", guide)
    run("Ctrl-C ends both", interrupt)
    run("Courses takes stratus with it", loss("Courses", "stratus"))
    run("stratus takes Courses with it", loss("stratus", "Courses"))
    run("on PostgreSQL a second node has what the first one acknowledged", second_node, STORE="postgres")


if __name__ == "__main__":
    main(test)
