#!/usr/bin/env python3
"""Answers over large records: how long they are, what they hold of memory, and that paging through them loses nothing."""

import json
import threading
import time

from common import MIB, MemoryWatch, at_most, in_threads, main, row

RECORDS, BYTES = 200, 1_000_000
# What a normal answer of the same page may take beside its bytes: the array's growth, the copy into a buffer.
COPIES = 4


def fill(server):
    """200 records of nearly 1 MiB each in the public database."""
    client = server.client(seconds=120)
    text = "x" * BYTES
    for start in range(0, RECORDS, 10):
        answer = client.ask("records/modify", {"operations": [
            {"operationType": "forceReplace", "record": {
                "recordType": "Large", "recordName": f"large-{number:03}",
                "fields": {"text": {"value": text}, "rank": {"value": number % 7}}}}
            for number in range(start, start + 10)]})
        assert all("serverErrorCode" not in record for record in answer["records"]), answer["records"][0]
    client.close()


def walk(client, body):
    """The names of all pages, the longest answer in bytes, and how many pages said why they are short."""
    names, longest, limited, marker = [], 0, 0, None
    while True:
        answer = client.ask("records/query", body | ({"continuationMarker": marker} if marker else {}))
        longest = max(longest, len(json.dumps(answer, separators=(",", ":"))))
        names += [record["recordName"] for record in answer["records"]]
        limited += answer.get("limitedBy") == "answerBytes"
        marker = answer.get("continuationMarker")
        if not marker:
            return names, longest, limited


def run(server, seconds):
    fill(server)
    most = server.limit("answerBytes") or 4 * MIB
    client = server.reader(seconds=120)
    rows = []
    for sort in ([], [{"fieldName": "rank", "ascending": False}]):
        body = {"query": {"recordType": "Large", "sortBy": sort}, "resultsLimit": RECORDS}
        names, longest, limited = walk(client, body)
        what = "sorted " if sort else ""
        rows.append(row(f"{what}pages over {RECORDS} records of 1 MB: each record once",
                        f"{RECORDS} of {RECORDS}", f"{len(set(names))} of {len(names)}",
                        len(names) == RECORDS == len(set(names)), exact=True))
        rows.append(at_most(f"{what}pages: longest answer", most, longest, "bytes", exact=True))
        rows.append(row(f"{what}pages: short ones say why", "at least 1", str(limited), limited, exact=True))
    answer = client.ask("records/lookup", {"records": [{"recordName": name} for name in names[:20]]})
    again = [record for record in answer["records"] if record.get("serverErrorCode") == "TRY_AGAIN_LATER"]
    rows.append(row("lookup of 20 such records: the rest is to be asked for again", "16 of 20",
                    f"{len(again)} of {len(answer['records'])}", 15 <= len(again) <= 17))
    client.close()

    # Readers that take their answers at once, all the time: what making answers costs.
    over = threading.Event()

    def read(number):
        reader = server.reader(seconds=120)
        while not over.is_set():
            reader.ask("records/query", {"query": {"recordType": "Large"}, "resultsLimit": RECORDS})
        reader.close()

    with MemoryWatch(server) as memory:
        threads = in_threads(8, read)
        time.sleep(max(2, seconds / 3))
        over.set()
        for thread in threads:
            thread.join(120)
    rows.append(at_most("8 readers of such pages: memory above the one before", COPIES * 8 * most / MIB,
                        memory.peak - memory.first, "MiB"))
    return rows


if __name__ == "__main__":
    main(run)
