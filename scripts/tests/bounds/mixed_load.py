"""An hour of mixed load, or as long as there is: the memory is flat after the fifth minute.

Six clients create, change, query, follow changes and delete, with pauses."""

import random
import threading
import time

from common import MemoryWatch, create, in_threads, main, page, row

CLIENTS = 6
# Until then the caches fill.
SETTLING_SECONDS = 300
# A shorter run cannot tell growth from the filling of caches, and says so.
LEAST_SECONDS = 2 * SETTLING_SECONDS
# What a soak gives it, however many attacks share the soak's time.
SOAK_SECONDS = 900
GROWTH_PERCENT = 5


def work(server, number, over, failures):
    chance = random.Random(number)
    public, private = server.client(), server.client("private")
    names = []
    while not over.is_set():
        try:
            name = f"mixed-{number}-{time.monotonic_ns()}"
            public.ask("records/modify", {"operations": [
                create(name, text="x" * chance.randrange(10, 2_000), rank=chance.randrange(1_000))]})
            names.append(name)
            public.ask("records/query", page(chance.choice((1, 20, 200)), sortBy=[{"fieldName": "rank"}]))
            private.ask("records/query", page(20))
            public.ask("records/lookup", {"records": [{"recordName": chance.choice(names)}]})
            if len(names) > 300:
                old, names = names[:100], names[100:]
                public.ask("records/modify", {"operations": [
                    {"operationType": "forceDelete", "record": {"recordName": name}} for name in old]})
        except Exception as error:
            failures.append(str(error)[:200])
            time.sleep(0.2)
        over.wait(0.02)


def median(values):
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def run(server, seconds):
    over, failures = threading.Event(), []
    with MemoryWatch(server, interval=0.5) as memory:
        threads = in_threads(CLIENTS, lambda number: work(server, number, over, failures))
        time.sleep(seconds)
        over.set()
        for thread in threads:
            thread.join(60)
    start = SETTLING_SECONDS if seconds >= LEAST_SECONDS else seconds / 2
    settled = [(when, rss) for when, rss in memory.samples if when >= start]
    part = max(1, len(settled) // 5)
    first, last = median([rss for _, rss in settled[:part]]), median([rss for _, rss in settled[-part:]])
    steps = [f"{when:.0f} s {rss:.0f}" for when, rss in memory.samples[::max(1, len(memory.samples) // 12)]]
    growth = (last / first - 1) * 100
    is_long = seconds >= LEAST_SECONDS
    seen = f"{growth:.1f} % ({', '.join(steps)} MiB)" if is_long else "not measured: the run is too short"
    return [
        row(f"{seconds:.0f} s of mixed load: growth of memory after {start:.0f} s", f"<= {GROWTH_PERCENT} %",
            seen, growth <= GROWTH_PERCENT if is_long else None),
        row(f"{seconds:.0f} s of mixed load: failures", "0", str(len(failures)) + "".join(failures[:1]), not failures),
    ]


if __name__ == "__main__":
    main(run, seconds=900)
