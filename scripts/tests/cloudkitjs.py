#!/usr/bin/env python3
"""cloudkit.js does under Node what it promises, against a real server (Tests/JavaScript)."""

import re
import shutil
import subprocess

from support import ROOT, Workplace, add_user, client_settings, expect, free_port, main, run, start_with_user

CONTAINER = "iCloud.javascript"


def test():
    node = shutil.which("node")
    expect(node is not None, "Node is missing; 'scripts/setup.sh test' installs it.")
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    major = int(re.match(r"v(\d+)", version).group(1))
    expect(major >= 18, f"cloudkit.js is for Node 18 and later; this is {version.strip()}.")
    with Workplace("cloudkitjs") as work:
        port = free_port()
        server, tokens = start_with_user(work, CONTAINER, port)
        _, guest = add_user(server.data, CONTAINER, "bob")
        # Links without an account are the operator's to allow.
        run("sign-in", "set", "--show-shares", "--data", str(server.data), "--container", CONTAINER)
        done = subprocess.run(
            [node, "--test", str(ROOT / "Tests/JavaScript/cloudkit.test.mjs")], timeout=300,
            env=client_settings(port, CONTAINER, tokens) | {"STRATUS_GUEST_TOKEN": guest}, cwd=ROOT)
        expect(done.returncode == 0, "The tests above failed.")


main(test)
