import RecordModel
import RecordStorage
import TestSeeds
import Testing

/// Change feeds of zones, and what goes with a zone.
enum FeedRules {
    static let all = [
        eachRecordOnce, defaultZone, deletedZone, references, readerStops, parts, origin,
    ]

    /// A change as a feed tells it.
    struct Change: Equatable { var name: String, isDeleted: Bool }

    static func feed(_ feed: ChangeFeed, _ store: any RecordStore) async throws -> [Change] {
        try await store.read(.short) { store in
            var changes: [Change] = []
            var last = feed.after
            try store.changes(feed) { change in
                #expect(change.sequence > last)
                last = change.sequence
                changes.append(Change(name: change.name, isDeleted: change.body == nil))
                return true
            }
            return changes
        }
    }

    static let eachRecordOnce = StoreRule("A feed has each record of its zone once, at its last change") {
        engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            let other = try await Ground.make(store, zone: "Other")
            let second = try await Ground.make(store, type: "Second")
            try await store.write { store in
                for name in ["a", "b", "c"] { try ground.save(name, in: store) }
                try second.save("s", in: store)
                try other.save("foreign", in: store)
            }
            let middle = try await store.read(.short) { try $0.lastSequence() }
            try await store.write { store in
                try ground.save("a", in: store)
                try ground.delete("b", in: store)
                try ground.save("d", in: store)
                try ground.delete("d", in: store)
            }
            let zone = ground.zone.id
            let all = try await Self.feed(ChangeFeed(zone: zone, after: 0, limit: 100), store)
            #expect(
                all == [
                    Change(name: "c", isDeleted: false), Change(name: "s", isDeleted: false),
                    Change(name: "a", isDeleted: false),
                ])
            let later = try await Self.feed(ChangeFeed(zone: zone, after: middle, limit: 100), store)
            #expect(
                later == [
                    Change(name: "a", isDeleted: false), Change(name: "b", isDeleted: true),
                    Change(name: "d", isDeleted: true),
                ])
            #expect(
                try await Self.feed(ChangeFeed(zone: zone, after: middle, limit: 2), store)
                    == Array(later.prefix(2)))
            let quiet = ChangeFeed(zone: zone, after: middle, tombstonesAfter: .max, limit: 100)
            #expect(try await Self.feed(quiet, store) == Array(later.prefix(1)))
            let types = [second.type.id]
            #expect(
                try await Self.feed(ChangeFeed(zone: zone, after: 0, types: types, limit: 9), store).map(
                    \.name) == ["s"])
            #expect(try await Self.feed(ChangeFeed(zone: zone, after: 0, types: [], limit: 9), store).isEmpty)
            #expect(try await Self.feed(ChangeFeed(zone: zone, after: .max, limit: 9), store).isEmpty)
            #expect(
                try await Self.feed(ChangeFeed(zone: other.zone.id, after: 0, limit: 9), store).map(\.name)
                    == ["foreign"])
            // A name that was deleted comes back at its new place.
            try await store.write { try ground.save("b", in: $0) }
            #expect(
                try await Self.feed(ChangeFeed(zone: zone, after: middle, limit: 9), store).last
                    == Change(name: "b", isDeleted: false))
        }
    }

    static let defaultZone = StoreRule("The default zone leaves no tombstones") { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store, zone: ZoneID.defaultName)
            try await store.write { store in
                try ground.save("a", in: store)
                try ground.save("b", in: store)
                try ground.delete("a", in: store)
            }
            #expect(try await Self.feed(ChangeFeed(zone: ground.zone.id, after: 1, limit: 9), store).isEmpty)
            #expect(try await store.read(.short) { try $0.record(named: "a", in: ground.zone.id) } == nil)
            #expect(
                try await store.read(.short) {
                    try $0.zones(in: ground.zone.database, changedAfter: 0, limit: 9)
                }.isEmpty)
        }
    }

    static let deletedZone = StoreRule("Deleting a zone takes its records, references and changes") {
        engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            let other = try await Ground.make(store, zone: "Other")
            try await store.write { store in
                let link = Reference(recordName: "target", action: .deleteSelf)
                for place in [ground, other] {
                    try store.insert(
                        place.record(
                            "a", ["n": .int64(1)], sequence: try store.nextSequence(),
                            references: [("link", link)]))
                    try place.save("b", in: store)
                }
                try store.deleteZone(ground.zone)
            }
            try await store.read(.long) { store throws in
                #expect(try ground.names(ground.scan(), in: store).names.isEmpty)
                #expect(try store.record(named: "a", in: ground.zone.id) == nil)
                #expect(try store.referrers(to: "target", in: ground.zone.id, limit: 9).isEmpty)
                #expect(try other.names(other.scan(), in: store).names == ["a", "b"])
                #expect(try store.referrers(to: "target", in: other.zone.id, limit: 9).map(\.name) == ["a"])
            }
            #expect(try await Self.feed(ChangeFeed(zone: ground.zone.id, after: 1, limit: 9), store).isEmpty)
        }
    }

    static let references = StoreRule("References follow their record") { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            @Sendable func state(_ links: [(String, String, Reference.Action)], _ store: any StoreWriter)
                throws
                -> NewRecord
            {
                ground.record(
                    "a", sequence: try store.nextSequence(),
                    references: links.map {
                        (field: $0.0, reference: Reference(recordName: $0.1, action: $0.2))
                    })
            }
            func referrers(_ name: String) async throws -> [String] {
                try await store.read(.short) {
                    try $0.referrers(to: name, in: ground.zone.id, limit: 9).map {
                        "\($0.name).\($0.field) \($0.action)"
                    }
                }
            }
            try await store.write {
                try $0.insert(
                    try state([("x", "t", .validate), ("y", "t", .deleteSelf), ("x", "u", .validate)], $0))
            }
            #expect(try await referrers("t") == ["a.x validate", "a.y deleteSelf"])
            #expect(try await referrers("u") == ["a.x validate"])
            let counts = try await store.read(.short) { store in
                try ["a", "z"].map {
                    try store.referenceCount(to: "t", in: ground.zone.id, action: .deleteSelf, besides: $0)
                }
            }
            #expect(counts == [0, 1])
            try await store.write { store in
                let row = try #require(try store.record(named: "a", in: ground.zone.id))
                try store.update(row, with: try state([("x", "u", .deleteSelf)], store))
            }
            #expect(try await referrers("t").isEmpty)
            #expect(try await referrers("u") == ["a.x deleteSelf"])
            try await store.write { try ground.delete("a", in: $0) }
            #expect(try await referrers("u").isEmpty)
            // What is said twice in a write, and taken back in the same, is not there.
            try await store.write { store in
                try store.insert(try state([("x", "t", .deleteSelf), ("x", "t", .deleteSelf)], store))
                let row = try #require(try store.record(named: "a", in: ground.zone.id))
                try store.update(row, with: try state([], store))
            }
            #expect(try await referrers("t").isEmpty)
        }
    }

    static let readerStops = StoreRule(
        "A reader of a feed may stop, and what it does not take it can have later"
    ) { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            try await store.write { store in
                for name in ["a", "b", "c", "d"] { try ground.save(name, in: store) }
                try ground.delete("b", in: store)
            }
            var after: Int64 = 0
            var names: [String] = []
            for _ in 0..<5 {
                let feed = ChangeFeed(zone: ground.zone.id, after: after, limit: 100)
                let (name, place) = try await store.read(.short) { [after] store in
                    var seen: [(String, Int64)] = []
                    try store.changes(feed) { change in
                        guard seen.isEmpty else { return false }
                        seen.append((change.name, change.sequence))
                        return true
                    }
                    return seen.first ?? ("", after)
                }
                if !name.isEmpty { names.append(name) }
                after = place
            }
            // Its tombstone comes last, and only to who has a token.
            #expect(names == ["a", "c", "d", "b"])
        }
    }

    static let parts = StoreRule("Zones, users and tokens can be listed in part") { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            let tenant = ground.tenant
            try await store.write { store in
                for name in ["Z", "a", "b+", "é"] {
                    _ = try store.makeZone(named: name, in: ground.zone.database)
                }
                for number in 0..<5 {
                    try store.insert(
                        UserRow(
                            tenant: tenant, recordName: "_\(number)", label: "user \(number)",
                            createdAt: Int64(number)))
                    let token = TokenRow(
                        kind: .api, tenant: tenant, user: nil, label: "\(number)", createdAt: Int64(number),
                        expiresAt: nil)
                    try store.insert(token, digest: [UInt8(number)])
                }
            }
            try await store.read(.short) { store throws in
                let all = try store.zones(in: ground.zone.database).map(\.name)
                #expect(try store.zones(in: ground.zone.database, from: "", limit: 100).map(\.name) == all)
                for (index, name) in all.enumerated() {
                    let part = try store.zones(in: ground.zone.database, from: name, limit: 2).map(\.name)
                    #expect(part == Array(all[index...].prefix(2)))
                }
                #expect(try store.users(of: tenant, limit: 2).map(\.label) == ["user 4", "user 3"])
                #expect(try store.users(of: tenant).count == 5)
                #expect(try store.identifiedTokens(of: tenant, limit: 2).map(\.row.label) == ["4", "3"])
                let counts = try store.accessCounts(of: tenant)
                #expect(counts.users == 5 && counts.tokens == 5)
            }
        }
    }

    static let origin = StoreRule("Who made a record is known without its body") { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            try await store.write { try ground.save("a", in: $0) }
            try await store.read(.short) { store throws in
                #expect(try store.origin(ofRecordNamed: "a", in: ground.zone.id)?.createdBy == "_alice")
                #expect(try store.origin(ofRecordNamed: "b", in: ground.zone.id) == nil)
            }
        }
    }
}
