"""How long a change at one node takes to who is told of it by another."""

import time

from notifications import TYPE, Courier, Live
from support import expect

# After this many seconds nobody waits for a change any more.
PATIENCE = 20


class Timed:
    """Notes when it was told of which number."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.at = {}


class TimedLive(Timed, Live):
    def note(self, name, data):
        now = time.monotonic()
        super().note(name, data)
        for record in data["records"] if name == "page" else [data["record"]] if "record" in data else []:
            self.at[record["fields"]["number"]["value"]] = now


class TimedCourier(Timed, Courier):
    def note(self, name, number):
        self.at[number] = time.monotonic()
        super().note(name, number)


def measure_delays(clients, receivers, count, pause=0.0, first=1):
    """Changes one record as often, at each node in turn, and waits until all receivers were told.

    Clients and receivers are by node. Gives, for each change and each receiver of another node, the milliseconds from sending the
    change, and from its answer (below nothing where the receiver knew before the writer)."""
    sent, answered = {}, {}
    for number in range(first, first + count):
        node = number % len(clients)
        sent[number] = node, time.monotonic()
        answer = clients[node].ask("records/modify", {"operations": [{
            "operationType": "forceUpdate",
            "record": {"recordName": "first", "recordType": TYPE, "fields": {"number": {"value": number}}}}]})
        expect("serverErrorCode" not in answer["records"][0], f"A change was refused: {answer}")
        answered[number] = time.monotonic()
        for receiver in (one for some in receivers for one in some):
            while number not in receiver.at:
                expect(not receiver.failure, receiver.failure)
                expect(time.monotonic() - answered[number] < PATIENCE, f"A change was not told within {PATIENCE} s")
                time.sleep(0.000_5)
        time.sleep(pause)
    delays = [], []
    for number, (node, began) in sent.items():
        for other, some in enumerate(receivers):
            for receiver in some if other != node else ():
                delays[0].append(1_000 * (receiver.at[number] - began))
                delays[1].append(1_000 * (receiver.at[number] - answered[number]))
    return tuple(sorted(some) for some in delays)


def describe(delays):
    """Median, p99 and the most, as text."""
    return (f"median {delays[len(delays) // 2]:.1f} ms, p99 {delays[len(delays) * 99 // 100]:.1f} ms, "
            f"most {delays[-1]:.1f} ms")
