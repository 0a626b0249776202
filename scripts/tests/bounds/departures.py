"""Clients that leave: what is done for them ends at once, and clients that only stopped sending get their answers."""

import socket
import struct
import time

from common import at_most, main, row

CLIENTS = 30


def send_half(server):
    """A client that says that it sends no more, as `nc -N` does."""
    body = b'{"query":{"recordType":"Note"}}'
    with server.connect() as client:
        client.sendall(f"POST {server.path('records/query')} HTTP/1.1\r\nHost: localhost\r\n"
                       f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        client.shutdown(socket.SHUT_WR)
        answer = b""
        while got := client.recv(65_536):
            answer += got
    return b" 200 OK" in answer and answer.rstrip().endswith(b"}")


def leave(server, breaking):
    """Sends the head of a large body and some of it, and goes."""
    client = server.connect()
    client.sendall(f"POST {server.path('records/query')} HTTP/1.1\r\nHost: localhost\r\n"
                   "Content-Length: 10000000\r\n\r\n".encode() + b" " * 1_000_000)
    if breaking:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def run(server, seconds):
    answered = sum(send_half(server) for _ in range(CLIENTS))
    rows = [row(f"{CLIENTS} clients that stopped sending: answered", str(CLIENTS), str(answered), answered == CLIENTS)]
    for breaking in (False, True):
        for _ in range(CLIENTS):
            leave(server, breaking)
        start = time.monotonic()
        while server.metric("stratus_incoming_body_bytes") > 0 and time.monotonic() - start < 30:
            time.sleep(0.01)
        word = "broke" if breaking else "closed"
        rows.append(at_most(f"{CLIENTS} clients that {word} their connections in a body: time to let go of it", 1_000,
                            (time.monotonic() - start) * 1000, "ms"))
    return rows


if __name__ == "__main__":
    main(run)
