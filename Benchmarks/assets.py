#!/usr/bin/env python3
"""A thousand photos of 2 MiB go up and come down: the server's memory on the way, and its downloads beside nginx.

The same files are served by both servers in one run, one after the other, in turns: nginx gives the very files that
Stratus keeps, through links. wrk asks for all of them over and over, over a few connections that stay open. Both are
measured while the files are in the system's cache, so the disk is out of the comparison.

    swift build -c release --product stratus
    Benchmarks/assets.py
"""

import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts/tests"))
os.environ.setdefault("STRATUS", str(ROOT / ".build/release/stratus"))

from support import Client, Workplace, expect, free_port, main, make_token, run  # noqa: E402

CONTAINER = "iCloud.com.example.photos"
NGINX = """
worker_processes {workers};
daemon off;
pid {home}/nginx.pid;
error_log {home}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    client_body_temp_path {home}/body; proxy_temp_path {home}/proxy; fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi;
    server {{ listen 127.0.0.1:{port}; root {home}/root; default_type image/jpeg; }}
}}
"""


def memory(pid):
    """The resident memory of a process now, and the most that it ever had, in MiB."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    kib = {name: int(value) for name, value in re.findall(r"(VmRSS|VmHWM):\s+(\d+) kB", text)}
    return kib["VmRSS"] / 1024, kib["VmHWM"] / 1024


def photo(number, size):
    return b"\xff\xd8\xff\xe0" + random.Random(number).randbytes(size - 4)


def upload(port, tokens, numbers, size):
    """Uploads and saves photos one after the other; gives the paths of their addresses."""
    client = Client(port, CONTAINER, "public", *tokens)
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    paths = []
    for number in numbers:
        name = f"photo-{number}"
        answer = client.ask("assets/upload", {"tokens": [{"recordName": name, "recordType": "Photo", "fieldName": "file"}]})
        line.request("POST", urllib.parse.urlsplit(answer["tokens"][0]["url"]).path, body=photo(number, size))
        file = json.loads(line.getresponse().read())["singleFile"]
        answer = client.ask("records/modify", {"operations": [{"operationType": "create", "record": {
            "recordName": name, "recordType": "Photo", "fields": {"file": {"value": file}}}}]})
        address = answer["records"][0]["fields"]["file"]["value"]["downloadURL"]
        paths.append(urllib.parse.urlsplit(address.replace("${f}", name + ".jpg")).path)
    line.close()
    client.close()
    return paths


def wrk(port, script, seconds, connections):
    """The MiB and requests per second that a server gives."""
    text = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", str(script), f"http://127.0.0.1:{port}"],
        capture_output=True, text=True, check=True).stdout
    expect("Non-2xx" not in text, f"Some downloads failed:\n{text}")
    value, unit = re.search(r"Transfer/sec:\s+([\d.]+)(KB|MB|GB)", text).groups()
    requests = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
    return float(value) * {"KB": 1 / 1024, "MB": 1, "GB": 1024}[unit], requests


def script_for(paths, place):
    lines = ",\n".join(json.dumps(path) for path in paths)
    place.write_text(
        f"local paths = {{\n{lines}\n}}\nlocal n = 0\n"
        "request = function() n = n % #paths + 1; return wrk.format('GET', paths[n]) end\n")
    return place


def test():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--photos", type=int, default=1_000)
    parser.add_argument("--bytes", type=int, default=2_097_152)
    parser.add_argument("--uploaders", type=int, default=4)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=6)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    port, other = free_port(), free_port()
    with Workplace("assets-bench") as workplace:
        data = workplace.path / "data"
        server = workplace.start("serve", "data", port, "--log-level", "warning")
        server.wait_until_ready()
        run("user", "add", "ada", "--data", str(data), "--container", CONTAINER)
        tokens = (make_token(data, CONTAINER), make_token(data, CONTAINER, "--user", "ada"))
        pid = server.process.pid
        before, _ = memory(pid)
        start = time.monotonic()
        with concurrent.futures.ProcessPoolExecutor(options.uploaders) as pool:
            parts = [range(n, options.photos, options.uploaders) for n in range(options.uploaders)]
            paths = [
                path for part in pool.map(
                    upload, [port] * len(parts), [tokens] * len(parts), parts, [options.bytes] * len(parts))
                for path in part]
        took = time.monotonic() - start
        after, peak = memory(pid)
        total = options.photos * options.bytes / 1_048_576
        print(
            f"uploads    {options.photos} files of {options.bytes / 1_048_576:.2f} MiB in {took:.1f} s: "
            f"{options.photos / took:.0f}/s, {total / took:.0f} MiB/s, each on disk and saved in a record")
        print(f"memory     {before:.0f} MiB before, {peak:.0f} MiB at most, {after:.0f} MiB after", flush=True)

        home = workplace.path / "nginx"
        (home / "root").mkdir(parents=True)
        files = sorted(path for path in (data / "assets").rglob("*") if path.is_file())
        expect(len(files) == options.photos, f"{len(files)} files are there")
        for path in files:
            os.link(path, home / "root" / (path.name + ".jpg"))
            os.chmod(path, 0o644)
        for path in files:
            path.read_bytes()
        os.chmod(workplace.path, 0o755)
        (home / "nginx.conf").write_text(NGINX.format(workers=os.cpu_count(), home=home, port=other))
        nginx = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-c", str(home / "nginx.conf"), "-p", str(home)])
        try:
            time.sleep(0.5)
            ours = script_for(paths, workplace.path / "ours.lua")
            theirs = script_for([f"/{path.name}.jpg" for path in files], workplace.path / "theirs.lua")
            results = {"stratus": [], "nginx": []}
            for _ in range(options.turns):
                for name, where, script in (("nginx", other, theirs), ("stratus", port, ours)):
                    results[name].append(wrk(where, script, options.seconds, options.connections))
        finally:
            nginx.terminate()
            nginx.wait()
        now, peak = memory(pid)
        middle = {name: sorted(values)[len(values) // 2] for name, values in results.items()}
        for name, (rate, requests) in middle.items():
            turns = ", ".join(f"{rate:.0f}" for rate, _ in results[name])
            print(f"downloads  {name:8} {rate:7.0f} MiB/s, {requests:.0f} files/s (turns: {turns})")
        print(f"ratio      {middle['stratus'][0] / middle['nginx'][0]:.2f} of nginx")
        print(f"memory     {now:.0f} MiB after the downloads, {peak:.0f} MiB at most")


if __name__ == "__main__":
    main(test)
