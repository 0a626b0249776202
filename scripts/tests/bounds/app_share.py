"""Whoever has the API token that is in every copy of an app tries to use up what the app may have: 2,400 requests from
machines of several networks, whose bodies never come.

The app's visitors and its signed-in users are answered meanwhile."""

import resource
import socket
import time

from common import main, page, row

# Beside it, others would have no connections.
ALONE = True
REQUESTS = 2_400
NETWORKS = 10


def slow_requests(server):
    """Connections with a request each, of which the body is to come."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, REQUESTS + 256)), hard))
    path, clients = server.path("records/query"), []
    for number in range(REQUESTS):
        # Each address within its share.
        client = f"2001:db8:{number % NETWORKS:x}:{number // 240 % 4:x}::1"
        connection = socket.create_connection(("127.0.0.1", server.port), 30)
        connection.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: {client}\r\n"
                           f"Content-Length: 100\r\n\r\n{{".encode())
        clients.append(connection)
    return clients


def run(server, seconds):
    visitor, user = server.reader(), server.client()
    statuses, clients = [], slow_requests(server)
    try:
        for _ in range(10):
            statuses += [visitor.post("records/query", page(1))[0], user.post("records/query", page(1))[0]]
            time.sleep(min(1, seconds / 20))
    finally:
        for connection in clients:
            connection.close()
    visitor.close()
    user.close()
    good = statuses.count(200)
    return [row(f"queries of the app's visitors and users beside {REQUESTS} requests without their bodies: answered",
                str(len(statuses)), f"{good} ({sorted(set(statuses))})", good == len(statuses), exact=True)]


if __name__ == "__main__":
    main(run, seconds=10)
