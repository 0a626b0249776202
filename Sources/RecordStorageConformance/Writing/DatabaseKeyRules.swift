import RecordModel
import RecordStorage
import Testing

/// The keys of encrypted fields, and what they are found by.
enum DatabaseKeyRules {
    static let all = [keys, names]

    static let keys = StoreRule("A database has the last key that was stored, and zones are found by number")
    {
        engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            let other = try await Ground.make(store, owner: "_bob")
            let (first, second) = (ground.zone.database, other.zone.database)
            try await store.read(.short) { store throws in
                #expect(try store.keyedDatabases(after: 0, limit: 10) == [])
                #expect(try store.keyedDatabase(numbered: first)?.key == nil)
                #expect(try store.keyedDatabase(numbered: 9_999) == nil)
            }
            try await store.write { store in
                try store.store(databaseKey: [1, 0, 255], of: second)
                try store.store(databaseKey: [2], of: second)
                try store.store(databaseKey: [3], of: first)
                #expect(try store.keyedDatabase(numbered: second)?.key == [2])
            }
            try await store.write { try $0.deleteZone(other.zone) }
            try await store.read(.short) { store throws in
                let rows = try store.keyedDatabases(after: 0, limit: 10)
                #expect(rows.map(\.number) == [first, second].sorted())
                #expect(rows.first { $0.number == second }?.key == [2])
                #expect(
                    rows.first { $0.number == second }?.id
                        == DatabaseID(tenant: ground.tenant, owner: "_bob"))
                #expect(try store.keyedDatabases(after: rows[0].number, limit: 10) == [rows[1]])
                #expect(try store.keyedDatabases(after: 0, limit: 1) == [rows[0]])
                #expect(try store.zone(numbered: ground.zone.id)?.name == ground.zone.name)
                #expect(try store.zone(numbered: other.zone.id)?.isDeleted == true)
                #expect(try store.zone(numbered: 9_999) == nil)
            }
        }
    }

    static let names = StoreRule("A scan gives the names of records where they are asked for") { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            try await store.write { store in
                for name in ["b", "a", "ü\u{0}"] { try ground.save(name, ["n": .int64(1)], in: store) }
            }
            for sort in [[], [SortKey(.column(.modifiedAt), ascending: false)]] {
                for readsNames in [true, false] {
                    var scan = RecordScan(
                        type: ground.type, zones: [ground.zone.id], condition: .constant(true), sort: sort,
                        limit: 2)
                    scan.readsNames = readsNames
                    let asked = scan
                    let (first, next) = try await store.read(.long) { store in
                        var names: [String?] = []
                        var pages = asked
                        let outcome = try store.scan(pages) { row in
                            names.append(row.name)
                            return true
                        }
                        pages.after = outcome.next
                        _ = try store.scan(pages) { row in
                            names.append(row.name)
                            return true
                        }
                        return (names, outcome.next)
                    }
                    let wanted: [String?] = sort.isEmpty ? ["b", "a", "ü\u{0}"] : ["ü\u{0}", "a", "b"]
                    #expect(first == (readsNames ? wanted : [nil, nil, nil]))
                    #expect(next != nil)
                }
            }
        }
    }
}
