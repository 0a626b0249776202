#!/usr/bin/env python3
"""Making, listing and deleting zones by the thousand in one database, while a normal client writes: 10,000 zones with 120
seconds and more, fewer below.
"""

import time

from common import NormalClient, at_most, idle_client, main, percentile, row
from deletions import left, wait_until_done

CREATE_P99_MILLISECONDS = 50
AT_ONCE = 100


def change(client, kind, names):
    """Makes or deletes zones, so many in a request; the milliseconds that each request took."""
    times = []
    for start in range(0, len(names), AT_ONCE):
        operations = [{"operationType": kind, "zone": {"zoneID": {"zoneName": name}}}
                      for name in names[start:start + AT_ONCE]]
        begin = time.monotonic()
        answer = client.ask("zones/modify", {"operations": operations})
        times.append((time.monotonic() - begin) * 1000)
        failed = [zone for zone in answer["zones"] if "serverErrorCode" in zone]
        if failed:
            raise AssertionError(f"A zone could not be changed: {failed[0]}")
    return times


def run(server, seconds):
    count = 9_900 if seconds >= 120 else 3_000 if seconds >= 30 else 1_000
    token = server.new_user(f"zones-{time.monotonic_ns()}")
    client = server.client("private", token)
    idle = idle_client(server, 2)
    names = [f"zone-{number}" for number in range(count)]
    with NormalClient(server) as normal:
        made = change(client, "create", names)
        begin = time.monotonic()
        listed = len(client.ask("zones/list", {})["zones"])
        listing = (time.monotonic() - begin) * 1000
        deleted = change(client, "delete", names)
        again = change(client, "create", names[:AT_ONCE])
        wait_until_done(server)
    tenth = max(1, len(made) // 10)
    first, last = percentile(made[:tenth + 1], 50), percentile(made[-tenth:], 50)
    rest = len(client.ask("zones/list", {})["zones"])
    client.close()
    return [
        at_most("create of a client that is alone, p99 (told)", 60_000, idle.create_p99, "ms"),
        at_most(f"{AT_ONCE} zones made beside {count:,} others, against the first ones", max(3 * first, first + 30), last,
                "ms"),
        at_most(f"{AT_ONCE} zones deleted, p99", max(3 * percentile(made, 99), 200), percentile(deleted, 99), "ms"),
        at_most(f"{AT_ONCE} zones made again", max(3 * first, first + 30), again[0], "ms"),
        at_most(f"a list of {count:,} zones", 2_000, listing, "ms"),
        row("zones in the list", f"{count + 1}, then {AT_ONCE + 1}", f"{listed}, then {rest}",
            listed == count + 1 and rest == AT_ONCE + 1, exact=True),
        at_most("create of others, p99", CREATE_P99_MILLISECONDS, normal.create_p99, "ms"),
        row("failures of others", "0", str(len(normal.failures)), not normal.failures),
        row("left to do in the end", "nothing", str(left(server) or "nothing"), not left(server)),
    ]


if __name__ == "__main__":
    main(run, 10)
