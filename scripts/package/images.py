"""Tries the container image with tools of others: skopeo reads it, umoci unpacks it, runc runs it."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import urllib.request

from service import expect, free_port, say


def tool(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    expect(done.returncode == 0, f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def check_image(image):
    with tempfile.TemporaryDirectory(prefix="stratus-image-") as folder:
        work = pathlib.Path(folder)
        told = json.loads(tool("skopeo", "inspect", "--config", f"oci-archive:{image}"))
        expect(told["config"]["User"] == "65532:65532", "the image runs as root")
        tool("skopeo", "copy", "--insecure-policy", f"oci-archive:{image}", f"oci:{work}/layout:v1")
        tool("umoci", "unpack", "--image", f"{work}/layout:v1", work / "bundle")
        run_bundle(work / "bundle", f"stratus-{os.getpid()}")


def configure(bundle, port):
    """What an engine would set: no terminal, a read-only root, a folder for the data; the host's network."""
    path = bundle / "config.json"
    config = json.loads(path.read_text())
    expect(config["process"]["args"] == ["/usr/bin/stratus", "serve"], "the image starts something else")
    config["process"]["terminal"] = False
    config["process"]["env"] = [
        value for value in config["process"]["env"] if not re.match("STRATUS_(PORT|HOST)=", value)
    ] + [f"STRATUS_PORT={port}", "STRATUS_HOST=127.0.0.1"]
    config["root"]["readonly"] = True
    # Limits and groups of this machine may not be ours to set.
    config["process"].pop("rlimits", None)
    config["linux"].pop("resources", None)
    config["linux"]["namespaces"] = [
        space for space in config["linux"]["namespaces"] if space["type"] not in ("network", "cgroup", "user")]
    data = bundle / "data"
    data.mkdir(mode=0o700)
    os.chown(data, 65532, 65532)
    config["mounts"] = [mount for mount in config["mounts"] if "cgroup" not in mount["type"]] + [
        {"destination": "/data", "type": "bind", "source": str(data), "options": ["rbind", "rw"]}]
    path.write_text(json.dumps(config))


def run_bundle(bundle, name):
    port = free_port()
    configure(bundle, port)
    with open(bundle / "log", "wb") as log:
        start = time.monotonic()
        process = subprocess.Popen(
            ["runc", "run", "--bundle", str(bundle), name], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
                    told = json.loads(answer.read())
                break
            except OSError:
                expect(process.poll() is None and time.monotonic() - start < 30,
                       f"the image does not serve:\n{(bundle / 'log').read_text(errors='replace')}")
                time.sleep(0.005)
        say(f"the image by runc, read-only, as user 65532: first answer ({told['version']})", time.monotonic() - start)
        # `podman exec`: the way to the first link.
        link = tool("runc", "exec", "--user", "65532:65532", name, "/usr/bin/stratus", "operator", "link", "admin")
        expect("/console/enter/" in link, f"the image's command prints no link: {link}")
        tool("runc", "kill", name, "TERM")
        expect(process.wait(30) == 0, f"the image's program ends with {process.returncode}")
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            subprocess.run(["runc", "delete", "--force", name], capture_output=True)
