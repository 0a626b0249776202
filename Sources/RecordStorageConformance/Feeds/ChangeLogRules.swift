import RecordModel
import RecordStorage
import TestSeeds
import Testing

/// The log of watched changes: what a channel reads.
enum ChangeLogRules {
    static let all = [
        loggedAfterWatch, pages, undone, databaseWatch, typeGoes, horizon, slices, watchEnds, webhooks,
        receivers, receiverEnds, eachChangeOnce,
    ]

    private static func log(
        after sequence: Int64 = 0, in database: Int64? = nil, _ store: any RecordStore
    ) async throws -> [LoggedChange] {
        try await store.read(.short) { try $0.loggedChanges(after: sequence, in: database, limit: 10_000) }
    }

    static let loggedAfterWatch = StoreRule(
        "Changes are logged from the commit after the watch, with the record before and after"
    ) { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            let other = try await Ground.make(store, type: "Other")
            try await store.write { try ground.save("early", in: $0) }
            let watch = try await store.write { store throws in
                try store.watch(ground.type.id, in: ground.zone.database, at: 5)
            }
            try await store.write { store throws in
                try ground.save("a", in: store)
                try other.save("unwatched", in: store)
            }
            try await store.write { try ground.save("a", in: $0) }
            try await store.write { try ground.delete("early", in: $0) }
            let log = try await Self.log(store)
            #expect(log.map(\.kind) == [.created, .updated, .deleted])
            #expect(log.map(\.name) == ["a", "a", "early"])
            #expect(log.allSatisfy { $0.sequence > watch.since && $0.type == ground.type.id })
            #expect(log.allSatisfy { $0.zone == ground.zone.id && $0.zoneName == ground.zone.name })
            #expect(log[0].before == nil)
            #expect(log[1].before == log[0].after)
            #expect(log[2].before != nil && log[2].after == nil)
            #expect(log[0].record == log[1].record)
            #expect(try await Self.log(after: log[1].sequence, store) == [log[2]])
            #expect(try await Self.log(in: ground.zone.database + 1, store).isEmpty)
            #expect(
                try await store.read(.short) { try $0.watch(of: ground.type.id, in: ground.zone.database) }
                    == watch)
        }
    }

    static let pages = StoreRule(
        "Subscriptions and receivers of a tenant are listed page by page, and changes found by name"
    ) { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            let foreign = Tenant(container: try ContainerID("iCloud.other"), environment: .development)
            let (database, type) = (ground.zone.database, ground.type.id)
            try await store.write { store throws in
                let other = try store.makeDatabase(DatabaseID(tenant: foreign, owner: nil))
                for (database, user) in [(database, "b"), (database, "a"), (other, "a")] {
                    for name in ["2", "1", "ä"] {
                        try store.store(
                            SubscriptionRow(
                                database: database, user: user, name: name, type: type, zone: 0, since: 1,
                                definition: []))
                    }
                }
                for (number, tenant) in [(3, ground.tenant), (1, ground.tenant), (2, foreign)] {
                    try store.store(
                        ReceiverRow(
                            digest: Array(repeating: UInt8(number), count: 32), tenant: tenant, user: "a",
                            pushEnvironment: "", client: "", cursor: 1, createdAt: 1, seenAt: 1,
                            channel: number == 3 ? .webPush : .courier, definition: [123, 125], state: [1]))
                }
                _ = try store.watch(type, in: database, at: 1)
            }
            try await store.write { store throws in
                for name in ["x", "y", "x"] { try ground.save(name, in: store) }
            }
            let tenant = ground.tenant
            let receivers = try await store.read(.short) {
                (
                    try $0.receivers(of: tenant, after: [], limit: 1),
                    try $0.receivers(of: tenant, after: Array(repeating: 1, count: 32), limit: 9)
                )
            }
            let pages = try await store.read(.short) { reader in
                var place = SubscriptionPlace.start
                var pages: [String] = []
                // What cannot be read is missing from the pages, which are compared below.
                while let rows = try? reader.subscriptions(of: tenant, after: place, limit: 2),
                    let last = rows.last
                {
                    pages.append(rows.map { $0.user + $0.name }.joined(separator: " "))
                    place = last.place
                }
                return pages
            }
            #expect(pages == ["a1 a2", "aä b1", "b2 bä"])
            #expect(receivers.0.map(\.digest.first) == [1])
            #expect(receivers.1.map(\.digest.first) == [3])
            #expect(receivers.1.first?.channel == .webPush)
            #expect(receivers.1.first?.definition == [123, 125] && receivers.1.first?.state == [1])
            let changes = try await store.read(.short) {
                (
                    try $0.loggedChanges(named: "x", in: database, limit: 9),
                    try $0.loggedChanges(named: "x", in: database, limit: 1),
                    try $0.loggedChanges(named: "x", in: database + 100, limit: 9)
                )
            }
            #expect(changes.0.map(\.kind) == [.updated, .created])
            #expect(changes.1 == Array(changes.0.prefix(1)))
            #expect(changes.2.isEmpty)
            // Those that are reached by others are not forgotten for being silent.
            try await store.write { try $0.deleteReceivers(unseenSince: 5, endedBefore: 5) }
            let left = try await store.read(.short) { try $0.receivers(of: tenant, after: [], limit: 9) }
            #expect(left.map(\.channel) == [.webPush])
        }
    }

    static let undone = StoreRule("A write that is undone is not in the log") { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            _ = try await store.write { try $0.watch(ground.type.id, in: ground.zone.database, at: 1) }
            await #expect(throws: TestFailure.self) {
                try await store.write { store throws in
                    try ground.save("a", in: store)
                    throw TestFailure("undone")
                }
            }
            #expect(try await Self.log(store).isEmpty)
        }
    }

    static let databaseWatch = StoreRule("A database's watch has zones that come and go, and all types") {
        engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            _ = try await store.write {
                try $0.watch(ChangeWatch.allTypes, in: ground.zone.database, at: 1)
            }
            let later = try await Ground.make(store, zone: "Later", type: "Other")
            try await store.write { try later.save("x", in: $0) }
            try await store.write { store throws in
                try store.store(
                    SubscriptionRow(
                        database: later.zone.database, user: "_alice", name: "s", type: 0,
                        zone: later.zone.id, since: 1, definition: [1]))
                try store.deleteZone(later.zone)
                #expect(try store.subscriptions(of: "_alice", in: later.zone.database).isEmpty)
            }
            let log = try await Self.log(store)
            #expect(log.map(\.kind) == [.zoneCreated, .created, .zoneDeleted])
            #expect(log.map(\.name) == ["Later", "x", "Later"])
        }
    }

    static let typeGoes = StoreRule(
        "A type that goes tells those who watch it, and takes subscriptions and watch along"
    ) { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            let database = ground.zone.database
            try await store.write { store throws in
                _ = try store.watch(ground.type.id, in: database, at: 1)
                try store.store(
                    SubscriptionRow(
                        database: database, user: "_alice", name: "s", type: ground.type.id, zone: 0,
                        since: 1, definition: [1]))
            }
            try await store.write { try ground.save("x", in: $0) }
            try await store.write { try $0.removeType(ground.type, tenant: ground.tenant) }
            #expect(try await Self.log(store).map(\.kind) == [.created, .typeDeleted])
            try await store.read(.short) { store throws in
                #expect(try store.subscriptions(of: "_alice", in: database).isEmpty)
                #expect(try store.watch(of: ground.type.id, in: database) == nil)
            }
            let again = try await Ground.make(store)
            try await store.write { try again.save("y", in: $0) }
            #expect(try await Self.log(store).count == 2)
        }
    }

    static let horizon = StoreRule("What was before a marked time is forgotten, and the horizon says so") {
        engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            _ = try await store.write { try $0.watch(ground.type.id, in: ground.zone.database, at: 1) }
            try await store.write { try ground.save("old", in: $0) }
            #expect(try await store.write { try $0.forgetChanges(before: 0, at: 1_000) })
            try await store.write { try ground.save("new", in: $0) }
            #expect(try await store.write { try $0.forgetChanges(before: 999, at: 2_000) })
            #expect(try await Self.log(store).map(\.name) == ["old", "new"])
            #expect(try await store.write { try $0.forgetChanges(before: 1_000, at: 3_000) })
            let log = try await Self.log(store)
            #expect(log.map(\.name) == ["new"])
            let horizon = try await store.read(.short) { try $0.forgottenChanges() }
            #expect(horizon < log[0].sequence && horizon > 0)
        }
    }

    static let slices = StoreRule("Much is forgotten in slices") { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            _ = try await store.write { try $0.watch(ground.type.id, in: ground.zone.database, at: 1) }
            let count = LoggedChange.forgottenAtOnce + 10
            try await store.write { store in
                for number in 0..<count { try ground.save("n\(number)", in: store) }
            }
            _ = try await store.write { try $0.forgetChanges(before: 0, at: 1_000) }
            #expect(try await !store.write { try $0.forgetChanges(before: 1_000, at: 2_000) })
            let left = try await Self.log(store)
            #expect(left.map(\.name) == (count - 10..<count).map { "n\($0)" })
            let horizon = try await store.read(.short) { try $0.forgottenChanges() }
            #expect(horizon < left[0].sequence)
            #expect(try await store.write { try $0.forgetChanges(before: 1_000, at: 2_000) })
            #expect(try await Self.log(store).isEmpty)
            #expect(try await store.read(.short) { try $0.forgottenChanges() } >= left[9].sequence)
        }
    }

    static let watchEnds = StoreRule(
        "A watch ends when nobody asked for it lately and no subscription needs it"
    ) { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            let other = try await Ground.make(store, type: "Other")
            let database = ground.zone.database
            try await store.write { store throws in
                _ = try store.watch(ground.type.id, in: database, at: 10)
                _ = try store.watch(other.type.id, in: database, at: 10)
                try store.store(
                    SubscriptionRow(
                        database: database, user: "_alice", name: "s", type: other.type.id, zone: 0,
                        since: 1, definition: [1]))
            }
            try await store.write { try $0.deleteWatches(unusedSince: 10) }
            try await store.write { try ground.save("a", in: $0) }
            try await store.write { try $0.deleteWatches(unusedSince: 11) }
            try await store.write { store throws in
                try ground.save("b", in: store)
                try other.save("c", in: store)
            }
            #expect(try await Self.log(store).map(\.name) == ["a", "c"])
            // One that is made again knows nothing of what was not logged meanwhile.
            let last = try await store.read(.short) { try $0.lastSequence() }
            let watch = try await store.write { try $0.watch(ground.type.id, in: database, at: 20) }
            #expect(watch.since > last)
        }
    }

    static let webhooks = StoreRule("Webhooks are stored, found and forgotten, and need their watches") {
        engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            let database = ground.zone.database
            func row(_ id: String, at time: Int64, cursor: Int64 = 0) -> WebhookRow {
                WebhookRow(
                    id: id, tenant: ground.tenant, database: database, definition: [1, 0], state: [2],
                    cursor: cursor, holder: .max, sendAgainAt: 3, createdAt: time)
            }
            let rows = [row("b", at: 1), row("a", at: 2)]
            try await store.write { store throws in
                for row in rows.reversed() { try store.store(row) }
                _ = try store.watch(ground.type.id, in: database, at: 1)
                try store.store(
                    SubscriptionRow(
                        database: database, user: rows[0].subscriber, name: "s", type: ground.type.id,
                        zone: 0,
                        since: 1, definition: [1]))
                try store.deleteWatches(unusedSince: 10)
            }
            try await store.read(.short) { store throws in
                #expect(try store.webhooks() == rows)
                #expect(try store.webhook("a") == rows[1])
                #expect(try store.webhook("c") == nil)
                #expect(try store.watch(of: ground.type.id, in: database) != nil)
            }
            let changed = row("a", at: 2, cursor: 9)
            try await store.write { store throws in
                try store.store(changed)
                try store.deleteWebhook("b")
            }
            #expect(try await store.read(.short) { try $0.webhooks() } == [changed])
        }
    }

    static let receivers = StoreRule("Receivers are found by digest and by user, and forgotten by age") {
        engine in
        try await engine.run { store in
            let tenant = try Ground.tenant()
            func row(_ number: UInt8, seenAt: Int64, cursor: Int64 = 0) -> ReceiverRow {
                ReceiverRow(
                    digest: [number, 0], tenant: tenant, user: "_alice", pushEnvironment: "development",
                    client: "c", cursor: cursor, createdAt: 1, seenAt: seenAt)
            }
            let rows = [row(1, seenAt: 30), row(2, seenAt: 10), row(3, seenAt: 20, cursor: 7)]
            try await store.write { store throws in for row in rows { try store.store(row) } }
            try await store.read(.short) { store throws in
                #expect(try store.receiver(digest: [3, 0]) == rows[2])
                #expect(try store.receiver(digest: [4, 0]) == nil)
                #expect(try store.receivers(of: "_alice", in: tenant) == [rows[1], rows[2], rows[0]])
                #expect(try store.receivers(of: "_bob", in: tenant).isEmpty)
            }
            try await store.write { store throws in
                try store.deleteReceivers(unseenSince: 20, endedBefore: 0)
                try store.deleteReceiver(digest: [1, 0])
            }
            #expect(
                try await store.read(.short) { try $0.receivers(of: "_alice", in: tenant) } == [rows[2]])
        }
    }

    static let receiverEnds = StoreRule(
        "Receivers go with the session that registered them, and ended ones are kept for a while"
    ) { engine in
        try await engine.run { store in
            let tenant = try Ground.tenant()
            func row(_ number: UInt8, _ origin: ReceiverOrigin?, endedAt: Int64? = nil) -> ReceiverRow {
                ReceiverRow(
                    digest: [number, 0], tenant: tenant, user: "_alice", pushEnvironment: "development",
                    client: "c", cursor: 5, createdAt: 1, seenAt: Int64(number), channel: .apns,
                    origin: origin, firstCursor: 4, registeredAt: 3, endedAt: endedAt,
                    endReason: endedAt == nil ? "" : "gone")
            }
            let rows = [
                row(1, .session("one")), row(2, .session("two")), row(3, .tokens([[0, 255], [16]])),
                row(4, nil, endedAt: 30), row(5, .session("three")),
            ]
            try await store.write { store throws in
                for row in rows { try store.store(row) }
                for id in ["a", "b"] {
                    try store.store(AccountRow(id: id, address: "\(id)@example.org", createdAt: 1))
                }
                for (id, account) in [("one", "a"), ("two", "a"), ("three", "b")] {
                    try store.store(
                        SessionRow(
                            id: id, tenant: tenant, user: "_alice", account: account, label: "", createdAt: 1,
                            seenAt: 1, endsAt: 1_000, idleMilliseconds: 500))
                }
            }
            try await store.read(.short) { store throws in
                #expect(try store.receivers(of: "_alice", in: tenant) == rows)
                #expect(try store.pushReceivers(after: [], limit: 9) == rows.filter { $0.endedAt == nil })
                #expect(try store.pushReceiverCount() == 4)
                #expect(try store.pushReceiverVersion() == 4 * 4)
            }
            try await store.write { store throws in
                try store.deleteSession("one")
                try store.deleteReceivers(unseenSince: 0, endedBefore: 30)
                #expect(try store.receivers(of: "_alice", in: tenant) == Array(rows.dropFirst()))
                try store.deleteAccount("b")
                try store.deleteReceivers(unseenSince: 0, endedBefore: 31)
            }
            #expect(
                try await store.read(.short) { try $0.receivers(of: "_alice", in: tenant) }
                    == [rows[1], rows[2]])
        }
    }

    /// Random changes of random types under random watches, compared with what a model says.
    static let eachChangeOnce = StoreRule(
        "The log has each watched change once, in the order of commits", seeds: Seed.some(6)
    ) { engine, seed in
        try await engine.run { store in
            var random = seed.random
            let grounds = try await [
                Ground.make(store), Ground.make(store, zone: "Second"), Ground.make(store, type: "Other"),
                Ground.make(store, zone: "Z", type: "Note", owner: "_bob"),
            ]
            var watched: Set<[Int64]> = []
            var bodies: [String: [UInt8]] = [:]
            var expected: [(name: String, before: [UInt8]?, after: [UInt8]?)] = []
            for step in 0..<120 {
                let number = random.int(0...grounds.count - 1)
                let ground = grounds[number]
                let database = ground.zone.database
                if random.oneIn(12) {
                    let type = random.oneIn(3) ? ChangeWatch.allTypes : ground.type.id
                    _ = try await store.write { try $0.watch(type, in: database, at: Int64(step)) }
                    watched.insert([database, type])
                    continue
                }
                let name = "\(number)-\(random.int(0...4))"
                let isUndone = random.oneIn(6)
                let deletes = bodies[name] != nil && random.oneIn(3)
                do {
                    try await store.write { store throws in
                        if deletes {
                            try ground.delete(name, in: store)
                        } else {
                            try ground.save(name, in: store)
                        }
                        if isUndone { throw TestFailure("undone") }
                    }
                } catch is TestFailure { continue }
                let after = try await store.read(.short) {
                    try $0.record(named: name, in: ground.zone.id)?.body
                }
                if watched.contains([database, ground.type.id]) || watched.contains([database, 0]) {
                    expected.append((name, bodies[name], after))
                }
                bodies[name] = after
            }
            let log = try await Self.log(store)
            #expect(log.map(\.name) == expected.map(\.name))
            #expect(log.map(\.before) == expected.map(\.before))
            #expect(log.map(\.after) == expected.map(\.after))
            #expect(log.map(\.sequence) == log.map(\.sequence).sorted())
            #expect(Set(log.map(\.sequence)).count == log.count)
        }
    }
}
