"""Clients without a token that send large bodies slowly: they get no memory, and nobody else notices them.

100 connections send all but the end of a body of 16 MiB as fast as it is taken, then one byte a second."""

import time

from common import MIB, MemoryWatch, NormalClient, at_most, idle_client, in_threads, main, row

CLIENTS = 100
BODY = 16 * MIB


def drip(server, path, seconds, answers):
    """Sends a body that never ends; remembers the status of the answer, 0 for a closed connection."""
    over = time.monotonic() + seconds
    status = None
    with server.connect() as client:
        try:
            client.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {BODY}\r\n\r\n".encode())
            piece, rest = b" " * 65_536, BODY - 1_000
            client.settimeout(0.5)
            while time.monotonic() < over:
                try:
                    if rest > 0:
                        rest -= client.send(piece[:rest])
                        continue
                    client.send(b" ")
                except TimeoutError:
                    pass
                try:
                    got = client.recv(4096)
                    status = int(got.split()[1]) if got else 0
                    break
                except TimeoutError:
                    pass
        except OSError:
            try:
                got = client.recv(4096)
                status = int(got.split()[1]) if got else 0
            except (OSError, ValueError):
                status = 0
    answers.append(status)


def attack(server, path, seconds, name, allowed):
    idle = idle_client(server)
    answers = []
    with MemoryWatch(server) as memory, NormalClient(server) as normal:
        threads = in_threads(CLIENTS, lambda _: drip(server, path, seconds, answers))
        for thread in threads:
            thread.join(seconds + 30)
    return answers, [
        at_most(f"{CLIENTS} slow bodies {name}: memory", memory.first + allowed, memory.peak, "MiB"),
        at_most(f"{CLIENTS} slow bodies {name}: p99 of a create, others", max(50, 5 * idle.create_p99),
                normal.create_p99, "ms"),
        row(f"{CLIENTS} slow bodies {name}: failures of others", "0", str(len(normal.failures)), not normal.failures),
    ]


def run(server, seconds):
    without = server.path("records/modify").replace(server.api_token, "f" * 64)
    answers, rows = attack(server, without, seconds, "without a token", 48)
    refused = sum(status == 401 for status in answers)
    rows.append(row("slow bodies without a token: answered 401 before they end", f"{CLIENTS}", str(refused),
                    refused == CLIENTS))
    budget = (server.limit("heldBodyBytes") or 0) / MIB
    _, more = attack(server, server.path("records/modify"), seconds, "with an app's token", budget + 64)
    return rows + more


if __name__ == "__main__":
    main(run, seconds=15)
