#!/usr/bin/env python3
"""cloudkit.js does under Node what it promises, against a real server (Tests/JavaScript)."""

import os
import re
import shutil
import subprocess

from support import ROOT, Workplace, expect, free_port, main, make_token, run

CONTAINER = "iCloud.javascript"


def test():
    node = shutil.which("node")
    expect(node is not None, "Node is missing; 'scripts/setup.sh test' installs it.")
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    major = int(re.match(r"v(\d+)", version).group(1))
    expect(major >= 18, f"cloudkit.js is for Node 18 and later; this is {version.strip()}.")
    with Workplace("cloudkitjs") as work:
        data = work.path / "data"
        port = free_port()
        work.start("serve", "data", port).wait_until_ready()
        run("user", "add", "ada", "--data", str(data), "--container", CONTAINER)
        settings = {
            "STRATUS_URL": f"http://127.0.0.1:{port}",
            "STRATUS_CONTAINER": CONTAINER,
            "STRATUS_API_TOKEN": make_token(data, CONTAINER),
            "STRATUS_WEB_AUTH_TOKEN": make_token(data, CONTAINER, "--user", "ada"),
        }
        done = subprocess.run(
            [node, "--test", str(ROOT / "Tests/JavaScript/cloudkit.test.mjs")], timeout=300,
            env={**os.environ, **settings}, cwd=ROOT)
        expect(done.returncode == 0, "The tests above failed.")


main(test)
