"""More idle connections than the server takes: new clients are served at once, in the place of the oldest."""

import resource
import socket
import time

from common import MemoryWatch, NormalClient, at_most, idle_client, main, row

BEYOND = 500


def run(server, seconds):
    count = server.limit("connections") + BEYOND
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + 200
    if soft < wanted and (hard == resource.RLIM_INFINITY or hard >= wanted):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    idle = idle_client(server)
    clients = []
    with MemoryWatch(server) as memory:
        for number in range(count):
            client = socket.socket()
            # One address has only so many ports.
            client.bind((f"127.0.0.{2 + number % 8}", 0))
            client.settimeout(10)
            client.connect(("127.0.0.1", server.port))
            clients.append(client)
        with NormalClient(server) as normal:
            time.sleep(min(seconds, 10))
    for client in clients:
        client.close()
    what = f"{count} idle connections"
    return [
        at_most(f"{what}: longest create of a new client", max(1_000, 5 * idle.create_p99), normal.create_max, "ms"),
        row(f"{what}: failures of a new client", "0", str(len(normal.failures)), not normal.failures),
        at_most(f"{what}: memory", memory.first + 200, memory.peak, "MiB"),
    ]


if __name__ == "__main__":
    main(run, seconds=5)
