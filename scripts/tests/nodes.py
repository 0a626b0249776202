#!/usr/bin/env python3
"""Several nodes on one PostgreSQL are one service, whatever dies.

Clients write to two nodes, each request with a key; a web courier polls a third one, and a live query and two live counts are
followed there. In each round a node is killed with SIGKILL, or PostgreSQL is stopped at once and started again. Whoever has
no answer repeats its request at another node, with the same key. In the end:

- each acknowledged change was told by the node that did not make it, once, in order, with the value that it had, also to a
  poll that waited there when the subscription was made at another node;
- the live query's list is what a query answers, and was never sent again as a whole, and the live counts are what a count
  answers at each node;
- each request that was repeated took effect once: nothing is refused as there already, and every value is one more than
  the one before;
- all nodes answer the same.

Before that, it measures how long a change at one node takes to a client of another: 100 ms at most are promised. The
median is printed; with `--delays`, as at night, it fails above four times that.
"""

import http.client
import json
import random
import threading
import time

from clusters import cluster_of_nodes, start_nodes
from delays import TimedLive, describe, measure_delays
from notifications import CONTAINER, TYPE, check, check_counts, follow_counts, receive, subscribe, wait_until_told
from support import Client, add_user, crash_options, expect, free_ports, join_all, main

# A node that no hint reaches looks once a second: the median would be half a second then.
MOST_MILLISECONDS = 400
# Whoever stopped PostgreSQL may have to wait for it; nobody waits for longer.
PATIENCE = 60


class Writer(threading.Thread):
    """Writes with keys until it is told to stop; who has no answer asks another node the same."""

    def __init__(self, number, ports, tokens, seed):
        super().__init__(daemon=True)
        self.number, self.ports, self.tokens = number, ports, tokens
        self.random = random.Random(f"{seed}/{number}")
        self.stopping = threading.Event()
        self.acknowledged, self.values, self.repeats, self.failure, self.client = [], {}, 0, None, None

    def run(self):
        count = 0
        while not self.stopping.is_set() and not self.failure:
            count += 1
            name = f"r{self.number}-{self.random.randrange(6)}"
            value = self.values.get(name, 0) + 1
            # A create that took effect twice would be refused the second time.
            kind = "create" if value == 1 else "forceUpdate"
            answer = self.ask({"idempotencyKey": f"{self.number}-{count}", "operations": [{
                "operationType": kind,
                "record": {"recordName": name, "recordType": TYPE, "fields": {"number": {"value": value}}}}]})
            if answer is None:
                return
            if "serverErrorCode" in answer["records"][0]:
                self.failure = f"A request was refused: {json.dumps(answer)}"
                return
            self.values[name] = value
            self.acknowledged.append((name, value))

    def ask(self, body):
        """The answer of one of the nodes; asks until there is one."""
        deadline = time.monotonic() + PATIENCE
        said = ""
        while time.monotonic() < deadline:
            try:
                if self.client is None:
                    self.client = Client(self.random.choice(self.ports), CONTAINER, "private", *self.tokens)
                status, answer = self.client.post("records/modify", body)
                if status == 200 and answer["records"][0].get("serverErrorCode") != "TRY_AGAIN_LATER":
                    return answer
                said = f"{status}: {answer}"
                if status < 429:
                    break
            except (OSError, http.client.HTTPException, ValueError) as error:
                said = repr(error)
            self.client, self.repeats = None, self.repeats + 1
            time.sleep(0.05)
        self.failure = f"No node answered within {PATIENCE} s; the last said {said[:500]}"
        return None


def test():
    options = crash_options(__doc__, rounds=5, clients=4, switches=("--delays",))
    with cluster_of_nodes("nodes") as (workplace, cluster):
        rounds(options, random.Random(options.seed), workplace, cluster)


def rounds(options, source, workplace, cluster):
    ports = free_ports(3)
    nodes = start_nodes(workplace, cluster, ports)
    writing, following = ports[:2], ports[2]
    tokens = add_user(nodes[0].data, CONTAINER, "ada", "--store", cluster.url)
    first = Client(writing[0], CONTAINER, "private", *tokens)
    first.ask("records/modify", {"operations": [{"operationType": "create", "record": {
        "recordName": "first", "recordType": TYPE, "fields": {"number": {"value": 0}}}}]})
    # Its poll waits at one node before anything is subscribed, which then happens at another.
    early = receive(following, tokens)
    live, counts = TimedLive(following, tokens), follow_counts(following, tokens)
    live.start()
    # All numbers are below those that the writers make.
    sending, _ = measure_delays([first], [[], [live]], 40, first=-40)
    print(f"from one node to a client of another: {describe(sending)}")
    expect(not options.delays or sending[len(sending) // 2] < MOST_MILLISECONDS, f"A change takes too long to another node: {describe(sending)}")
    courier = subscribe(first, following, tokens)
    writers = [Writer(number, writing, tokens, options.seed) for number in range(options.clients)]
    for writer in writers:
        writer.start()
    kills = {"node": 0, "PostgreSQL": 0}
    for number in range(options.rounds):
        time.sleep(source.uniform(0.5, 1.5))
        if number % 5 == 3:
            cluster.crash()
            kills["PostgreSQL"] += 1
            continue
        index = source.randrange(2)
        nodes[index].kill()
        nodes[index], = start_nodes(workplace, cluster, [ports[index]])
        kills["node"] += 1
    time.sleep(1)
    for writer in writers:
        writer.stopping.set()
    join_all(writers)
    for writer in writers:
        expect(not writer.failure, writer.failure)
        told = [value for name, value in writer.acknowledged if name == f"r{writer.number}-0"]
        expect(told == list(range(1, len(told) + 1)), "A writer lost count")
    acknowledged = [change for writer in writers for change in writer.acknowledged]
    for receiver in (courier, early):
        wait_until_told(receiver, acknowledged)
    told = [(name, value) for _, name, value in courier.told]
    expect(len(told) == len(set(told)), "A request that was repeated took effect twice")
    for port in ports:
        client = Client(port, CONTAINER, "private", *tokens)
        check(courier, live, acknowledged, client)
        check(early, live, acknowledged, client)
        check_counts(counts, client)
    for receiver in (courier, early, live, *counts):
        receiver.isOver = True
    for node in nodes:
        node.process.terminate()
    for node in nodes:
        expect(node.wait(20) == 0, "A node did not end well")
    print(f"{len(acknowledged)} changes acknowledged and told in order by another node, "
          f"{sum(writer.repeats for writer in writers)} requests repeated; "
          + ", ".join(f"{count} kills of {what}" for what, count in kills.items()))


if __name__ == "__main__":
    main(test)
