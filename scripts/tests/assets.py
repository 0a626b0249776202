#!/usr/bin/env python3
"""What an operator and curl do with files: uploads that wait to be asked for, and the commands that look after files."""

import hashlib
import json
import pathlib
import random
import subprocess
import urllib.parse

from support import Client, Workplace, expect, free_port, main, make_token, run

CONTAINER = "iCloud.com.example.files"
SIZES = [10, 70_000, 2_000_000, 3_000_000]


def content(number):
    return random.Random(number).randbytes(SIZES[number])


def curl(url, path, *more):
    """Uploads a file with curl, which waits for a minute to be asked for the body; gives the status and bytes sent.

    Were it not asked for, curl would reach its time limit before it sends anything.
    """
    done = subprocess.run(
        ["curl", "-sS", "--max-time", "30", "--expect100-timeout", "60", "-H", "Expect: 100-continue",
         "-o", str(path) + ".answer", "-w", "%{http_code} %{size_upload}", *more, url],
        capture_output=True, text=True, stdin=subprocess.DEVNULL)
    expect(done.returncode in (0, 55, 56), f"curl ended with {done.returncode}: {done.stderr}")
    status, sent = done.stdout.split()
    return int(status), int(float(sent))


def test_curl(home, url_for):
    file = home / "photo"
    for number in range(len(SIZES)):
        file.write_bytes(content(number))
        for how in (["-T", str(file)], ["--data-binary", f"@{file}"], ["-F", f"files=@{file}"]):
            status, _ = curl(url_for(number), file, *how)
            expect(status == 200, f"{how[0]} was answered with {status}: {(home / 'photo.answer').read_text()[:300]}")
    file.write_bytes(bytes(60_000_000))
    for name, url, code in (("too large", url_for(0), 413), ("of no address", url_for(0) + "A", 403)):
        if code == 403:
            file.write_bytes(bytes(40_000_000))
        status, sent = curl(url, file, "-T", str(file))
        expect(status == code, f"An upload {name} was answered with {status}")
        expect(sent == 0, f"curl sent {sent} bytes of an upload {name}")
    print("curl is asked for what it may send, and sends nothing of what is refused")


def path_of(data, number):
    digest = hashlib.sha256(content(number)).hexdigest()
    return data / "assets" / digest[:2] / digest[2:4] / digest


def verify(data, *more):
    done = run("assets", "verify", "--json", "--data", str(data), *more, check=False)
    report = json.loads(done.stdout)
    expect(done.returncode == (1 if report["faults"] else 0), f"verify ended with {done.returncode}: {done.stderr}")
    return report, done.stderr


def test_verify(data, save):
    for number in range(len(SIZES)):
        save(number)
    report, _ = verify(data)
    expect(report["files"] >= len(SIZES) and not report["faults"], f"{report}")
    rotten = bytearray(content(1))
    rotten[40_000] ^= 1
    path_of(data, 1).write_bytes(rotten)
    path_of(data, 2).write_bytes(content(2)[:-1])
    path_of(data, 3).unlink()
    report, help_ = verify(data)
    found = {fault["records"][0]["recordName"]: fault["fault"] for fault in report["faults"]}
    expect(found == {"r1": "damaged", "r2": "damaged", "r3": "missing"}, f"{report}")
    for fault in report["faults"]:
        number = int(fault["records"][0]["recordName"][1:])
        expect(data / fault["path"] == path_of(data, number), f"{fault['path']} is no path below the data directory")
        expect(fault["records"][0]["container"] == CONTAINER and fault["uses"] == 1, f"{fault}")
    expect("backup" in help_ and "upload" in help_.lower(), f"The help is {help_!r}")
    quick, _ = verify(data, "--quick")
    expect({fault["records"][0]["recordName"] for fault in quick["faults"]} == {"r2", "r3"}, f"{quick}")
    doctor = run("doctor", "--thorough", "--data", str(data), check=False)
    expect(doctor.returncode == 1 and "stratus assets verify" in doctor.stdout, f"{doctor.stdout}")
    text = run("assets", "verify", "--data", str(data), check=False).stdout
    expect("record r1, field file" in text and "3 of " in text, f"{text}")
    # What the help says.
    for number in (1, 2):
        save(number)
    path_of(data, 3).write_bytes(content(3))
    report, _ = verify(data)
    expect(not report["faults"], f"{report}")
    print("verify names what is missing and damaged, and what it says to do helps")


def test_sweep(data, server):
    stray = data / "assets/ab/ab" / ("ab" * 32)
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_bytes(b"x")
    refused = run("assets", "sweep", "--data", str(data), check=False)
    expect(refused.returncode == 1 and "--dry-run" in refused.stderr, f"{refused}")
    dry = ["assets", "sweep", "--dry-run", "--grace", "0", "--data", str(data)]
    report = json.loads(run(*dry, "--json").stdout)
    expect(report["unknown"]["files"] == 1 and report["dryRun"] is True, f"{report}")
    expect("Would remove 1 file that the database does not know" in run(*dry).stdout, run(*dry).stdout)
    expect("There is nothing to remove." in run("assets", "sweep", "--dry-run", "--data", str(data)).stdout, "grace")
    server.send(15)
    server.wait()
    half = data / "assets/uploads/half"
    half.write_bytes(b"half")
    text = run("assets", "sweep", "--grace", "0", "--data", str(data)).stdout
    expect("Removed 1 file that the database does not know" in text and "not finished" in text, text)
    expect(not stray.exists() and not half.exists(), "What was to go is there")
    expect(run("assets", "sweep", "--grace", "soon", "--data", str(data), check=False).returncode == 64, "a wrong time")
    expect(run("assets", "sweep", "--data", str(data.parent), check=False).returncode == 64, "a directory without a database")
    expect(not (data.parent / "stratus.sqlite").exists(), "A command made a database where there was none")
    # Another database than the one of the files: nothing goes unasked.
    kept = sorted(path for path in (data / "assets").rglob("*") if path.is_file())
    for path in data.glob("stratus.sqlite*"):
        path.rename(data.parent / path.name)
    other = json.loads(run("doctor", "--json", "--data", str(data), check=False).stdout)
    expect(other["worst"] == "problem", f"{other}")
    expect(run("assets", "sweep", "--data", str(data), check=False).returncode == 64, "no database at all")
    run("user", "add", "ada", "--data", str(data), "--container", CONTAINER)
    done = run("assets", "sweep", "--grace", "0", "--data", str(data))
    expect("Left alone" in done.stdout and "--foreign" in done.stderr, f"{done.stdout}{done.stderr}")
    expect(sorted(path for path in (data / "assets").rglob("*") if path.is_file()) == kept, "Files of another database went")
    print("sweep removes what nothing needs, and leaves the rest alone")


def test():
    port = free_port()
    with Workplace("assets") as workplace:
        data = workplace.path / "data"
        server = workplace.start("serve", "data", port)
        server.wait_until_ready()
        run("user", "add", "ada", "--data", str(data), "--container", CONTAINER)
        client = Client(
            port, CONTAINER, "private", make_token(data, CONTAINER), make_token(data, CONTAINER, "--user", "ada"))

        def url_for(number):
            token = {"recordName": f"r{number}", "recordType": "Photo", "fieldName": "file"}
            url = client.ask("assets/upload", {"tokens": [token]})["tokens"][0]["url"]
            return f"http://127.0.0.1:{port}" + urllib.parse.urlsplit(url).path

        def save(number):
            file = workplace.path / "photo"
            file.write_bytes(content(number))
            status, _ = curl(url_for(number), file, "--data-binary", f"@{file}")
            expect(status == 200, f"An upload was answered with {status}")
            value = json.loads(pathlib.Path(str(file) + ".answer").read_text())["singleFile"]
            answer = client.ask("records/modify", {"operations": [{"operationType": "forceUpdate", "record": {
                "recordName": f"r{number}", "recordType": "Photo", "fields": {"file": {"value": value}}}}]})
            expect("serverErrorCode" not in answer["records"][0], f"{answer}")

        test_curl(workplace.path, url_for)
        test_verify(data, save)
        test_sweep(data, server)


if __name__ == "__main__":
    main(test)
