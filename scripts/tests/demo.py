#!/usr/bin/env python3
"""`make demo` runs two programs as one, as the person at the terminal sees it.

- both answer, and the guide names the address of the other one;
- SIGTERM and Ctrl-C end both, with exit status 0;
- when one of them ends, so does the other, with a sentence that says which.
"""

import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import urllib.request

from support import ROOT, Workplace, expect, free_port, main, stratus

PATIENCE = 120


def two_free_ports():
    """A port whose successor is free as well; Courses takes that one."""
    while True:
        port = free_port()
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port + 1))
                return port
            except (OSError, OverflowError):
                continue


class Demo:
    def __init__(self, workplace):
        self.port = two_free_ports()
        self.output = open(workplace.path / "output", "w+b")
        data = workplace.path / "data"
        self.process = subprocess.Popen(
            [str(ROOT / "scripts/demo.sh"), "--data", str(data), "--port", str(self.port), "--players", "100",
             "--restaurants", "5"],
            env=os.environ | {"BIN": str(pathlib.Path(stratus()).parent)}, stdin=subprocess.DEVNULL,
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


def run(name, body):
    with Workplace("demo") as workplace:
        demo = Demo(workplace)
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


def test():
    run("the guide names both; SIGTERM ends both", guide)
    run("Ctrl-C ends both", interrupt)
    run("Courses takes stratus with it", loss("Courses", "stratus"))
    run("stratus takes Courses with it", loss("stratus", "Courses"))


if __name__ == "__main__":
    main(test)
