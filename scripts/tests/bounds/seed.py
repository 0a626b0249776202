"""Very many records within seconds: SQL into the file of a server that is stopped, in the layout that the server made."""

import contextlib
import json
import sqlite3

from common import CONTAINER, create  # noqa: F401  (also puts the folder of `support` on the path)
from support import expect


@contextlib.contextmanager
def stopped(server):
    """The store of a server that is stopped meanwhile, for plain SQL."""
    server.process.send(15)
    server.process.wait()
    store = sqlite3.connect(server.data / "stratus.sqlite", isolation_level=None)
    try:
        yield store
    finally:
        store.close()
        server._start()


def multiply(server, count, record_type, zone="_defaultZone", database="public", web_token=None, **fields):
    """Makes `count` records like one that is saved first: `bulk-<number>`, with `rank` going through all numbers."""
    client = server.client(database, web_token)
    model = create("bulk-model", record_type, rank=0, **fields)
    client.ask("records/modify", {"operations": [model], "zoneID": {"zoneName": zone}})
    client.close()
    with stopped(server) as store:
        (type_id,) = store.execute(
            "SELECT record_type.id FROM record_type JOIN tenant ON tenant.id = tenant"
            " WHERE name = ? AND environment = 'development'", [record_type]).fetchone()
        row_id, zone_id, tracked = store.execute(
            "SELECT id, zone, tracked FROM directory WHERE name = 'bulk-model' AND type = ? ORDER BY id DESC",
            [type_id]).fetchone()
        (sequence,) = store.execute("SELECT value FROM meta WHERE key = 'sequence'").fetchone()
        (rank,) = store.execute("SELECT number FROM field WHERE type = ? AND name = 'rank'", [type_id]).fetchone()
        columns = [name for (name,) in store.execute(f"SELECT name FROM pragma_table_info('r{type_id}')")]
        kept = [name for name in columns if name not in ("id", "name", "sequence", f"c{rank}")]
        (body,) = store.execute(f"SELECT body FROM b{type_id} WHERE id = ?", [row_id]).fetchone()
        head, tail = body.decode().split('"bulk-model"', 1)
        expect(json.loads(body.decode() + "}")["recordName"] == "bulk-model", "The model's body has another form.")
        before, of_rank, after = tail.partition('"rank":{"value":0')
        expect(of_rank, "The model's body has its rank in another form.")
        store.execute("PRAGMA synchronous = OFF")
        store.execute("PRAGMA cache_size = -200000")
        store.execute("BEGIN")
        numbers = f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"
        store.execute(
            f"INSERT INTO r{type_id} (id, name, sequence, c{rank}, {', '.join(kept)}) {numbers}"
            f" SELECT (? << 40) | (? + i), 'bulk-' || (i * 7919 % {count + 1}), ? + i, i * 7919 % 1000003,"
            f" {', '.join('m.' + name for name in kept)}"
            f" FROM n, r{type_id} AS m WHERE m.id = ?", [zone_id, sequence, sequence, row_id])
        # The type may have records in other zones, too.
        first = zone_id << 40 | (sequence + 1)
        new = f"FROM r{type_id} WHERE id BETWEEN {first} AND {first + count - 1}"
        store.execute(
            f"INSERT INTO b{type_id} (id, body) SELECT id,"
            f" CAST(? || '\"' || name || '\"' || ? || c{rank} || ? AS BLOB) {new}",
            [head, before + of_rank[:-1], after])
        store.execute(
            "INSERT INTO directory (zone, name, type, id, sequence, tracked, deleted)"
            f" SELECT zone, name, ?, id, sequence, ?, 0 {new} ORDER BY zone, name", [type_id, tracked])
        store.execute("UPDATE meta SET value = ? WHERE key = 'sequence'", [sequence + count])
        store.execute("UPDATE zone SET sequence = ? WHERE id = ?", [sequence + count, zone_id])
        store.execute("COMMIT")
        (made,) = store.execute(f"SELECT count(*) FROM r{type_id}").fetchone()
        expect(made >= count, f"{made} of {count} records were made.")
