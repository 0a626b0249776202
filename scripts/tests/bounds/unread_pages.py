"""Clients that ask for pages which need no token, again and again, and read nothing of them.

Such pages take no room from answers: all are sent from the same memory. Record requests of others are answered."""

import socket

from common import NormalClient, main, row

# Beside it, nothing else takes room for answers.
ALONE = True
CONNECTIONS = 200
PAGES = ["/openapi.json", "/cloudkit.js", "/ck/2/cloudkit.js", "/limits", "/metrics", "/console/static/console.js",
         "/sign-in/static/sign-in.css"]


def unread(server, path):
    """A connection with as many requests as may be unanswered, and little room for answers."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    client.settimeout(30)
    client.connect(("127.0.0.1", server.port))
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 32)
    return client


def run(server, seconds):
    most, clients = 0.0, []
    with NormalClient(server) as normal:
        for number in range(CONNECTIONS):
            clients.append(unread(server, PAGES[number % len(PAGES)] if number % 2 else PAGES[0]))
            if number % 20 == 19:
                most = max(most, server.metric("stratus_outgoing_answer_bytes"))
        reader = server.reader()
        statuses = [reader.post("records/query", {"query": {"recordType": "Note"}, "resultsLimit": 1})[0]
                    for _ in range(10)]
        reader.close()
        most = max(most, server.metric("stratus_outgoing_answer_bytes"))
    for client in clients:
        client.close()
    what = f"{CONNECTIONS} connections with 32 unread pages each"
    return [
        # The normal client's own page may be among them for a moment.
        row(f"{what}: room that they take among answers", "none", f"{most / 1024:.0f} KiB", most < 2**20, exact=True),
        row(f"{what}: queries of others that are answered", "10", str(statuses.count(200)), statuses.count(200) == 10,
            exact=True),
        row(f"{what}: requests of the normal client that failed", "0", str(len(normal.failures)), not normal.failures,
            exact=True),
    ]


if __name__ == "__main__":
    main(run, seconds=10)
