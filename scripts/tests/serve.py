#!/usr/bin/env python3
"""How the server starts and stops, as its operator sees it.

- the curl lines that `stratus demo` prints work when they are pasted;
- SIGTERM and Ctrl-C let a request that is under way end, and the exit status is 0;
- a marker that was taken before a restart works after it, and goes on where the page ended;
- a second server on the same directory, or on the same port, is refused with a sentence that says why.
"""

import json
import re
import signal
import socket
import subprocess
import time
import urllib.parse

from support import Client, Failure, Workplace, expect, free_port, get, main, stratus


def curl_lines(text):
    """The commands in what demo prints, with their continuation lines."""
    lines, command = [], None
    for line in text.splitlines():
        line = line.strip().removeprefix("$ ")
        if command is not None:
            command += " " + line
        elif re.match(r"([A-Z]+=\S*)?curl ", line):
            command = line
        else:
            continue
        if command.endswith("\\"):
            command = command[:-1].rstrip()
        else:
            lines.append(command)
            command = None
    return lines


def wait_for_lines(server, count):
    start = time.monotonic()
    while time.monotonic() - start < 120:
        lines = curl_lines(server.text)
        if len(lines) >= count:
            return lines
        expect(server.process.poll() is None, f"demo ended by itself:\n{server.text}")
        time.sleep(0.1)
    raise Failure(f"demo printed fewer than {count} curl lines in two minutes:\n{server.text[:2000]}")


def check_pasting(lines):
    for line in lines:
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=30)
        expect(done.returncode == 0, f"This line ended with {done.returncode}: {line}\n{done.stderr}")
        answer = json.loads(done.stdout)
        expect("serverErrorCode" not in answer, f"This line was answered with an error: {line}\n{done.stdout}")
        expect(answer.get("records") or answer.get("count"), f"This line found nothing: {line}\n{done.stdout}")
        print(f"  {len(done.stdout)} characters for: {line[:90]}…")


def client_of(lines, port):
    """A client with the address and the tokens of demo's own lines."""
    url = urllib.parse.urlsplit(re.search(r"http://[^\s'\"]+", lines[0]).group())
    query = urllib.parse.parse_qs(url.query)
    _, _, _, container, environment, database, *_ = url.path.split("/")
    web = query.get("ckWebAuthToken", [None])[0]
    return Client(port, container, database, query["ckAPIToken"][0], web, environment)


def stop_with_request_under_way(server, client, number):
    """Sends half a request, tells the server to stop, sends the rest: it is answered, and the server ends well."""
    body = json.dumps(QUERY).encode()
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        head = (
            f"POST {client.prefix}records/query{client.query} HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n")
        connection.sendall(head.encode() + body[:10])
        time.sleep(0.3)
        server.send(number)
        time.sleep(0.5)
        connection.sendall(body[10:])
        answer = b""
        while part := connection.recv(65536):
            answer += part
    expect(answer.startswith(b"HTTP/1.1 200"), f"The request under way was answered with {answer[:200]!r}")
    status = server.wait()
    expect(status == 0, f"After {signal.Signals(number).name} the exit status is {status}:\n{server.text[-1000:]}")
    print(f"  {signal.Signals(number).name}: answered what was under way, exit 0")


QUERY = {"query": {"recordType": "Player", "sortBy": [{"fieldName": "rating", "ascending": False}]}, "resultsLimit": 20}


def names(answer):
    return [record["recordName"] for record in answer["records"]]


def refused(arguments, *words):
    done = subprocess.run(
        [stratus(), *arguments], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    text = done.stdout + done.stderr
    expect(done.returncode != 0, f"'stratus {' '.join(arguments)}' was not refused:\n{text}")
    for word in words:
        expect(word in text, f"'{word}' is not in what 'stratus {' '.join(arguments)}' says:\n{text}")
    expect("Fatal error" not in text, f"'stratus {' '.join(arguments)}' crashed:\n{text[:2000]}")
    print(f"  refused: {text.strip().splitlines()[-1][:110]}")


def test():
    port = free_port()
    with Workplace("serve") as workplace:
        demo = ("demo", "data", port, "--players", "3000", "--restaurants", "20")
        print("The lines that demo prints")
        server = workplace.start(*demo)
        lines = wait_for_lines(server, 3)
        server.wait_until_ready()
        expect(any("continuationMarker" in line for line in lines), "No line of demo uses a continuation marker")
        check_pasting(lines)

        print("A second server")
        data = str(workplace.path / "data")
        refused(["serve", "--data", data, "--port", str(free_port())], "Another stratus server is using")
        refused(["serve", "--data", str(workplace.path / "other"), "--port", str(port)], str(port))

        print("Stopping")
        client = client_of(lines, port)
        first = client.ask("records/query", QUERY)
        second = client.ask("records/query", QUERY | {"continuationMarker": first["continuationMarker"]})
        client.close()
        stop_with_request_under_way(server, client, signal.SIGTERM)
        server = workplace.start(*demo)
        server.wait_until_ready()
        again = client_of(lines, port)
        page = again.ask("records/query", QUERY | {"continuationMarker": first["continuationMarker"]})
        expect(names(page) == names(second), "The marker leads elsewhere after a restart")
        expect(not set(names(page)) & set(names(first)), "The marker repeats records of the page before")
        again.close()
        print("  a marker of before the restart goes on where its page ended")
        stop_with_request_under_way(server, again, signal.SIGINT)

        print("An idle connection")
        server = workplace.start("serve", "data", port)
        server.wait_until_ready()
        with socket.create_connection(("127.0.0.1", port)):
            expect(get(port, "/healthz")[0] == 200, "/healthz is not well")
            server.send(signal.SIGTERM)
            status = server.wait()
        expect(status == 0, f"With an idle connection the exit status is {status}")
        print("  does not keep the server from stopping")


if __name__ == "__main__":
    main(test)
