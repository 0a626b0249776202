import RecordModel
import RecordStorage
import RecordWire
import Synchronization
import TestSeeds
import TestSupport
import Testing

@testable import RecordEngine

/// Which subscriptions a wait looks at.
@Suite struct SubscriptionIndexTests {
    private static let schema = Schema(
        types: Dictionary(
            uniqueKeysWithValues: (1...4).map { ("T\($0)", RecordType(name: "T\($0)", id: $0)) }))
    private static func context() throws -> CallContext {
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .development)
        return CallContext(
            tenant: tenant, database: DatabaseID(tenant: tenant, owner: "u"), caller: .user("u"), now: 0,
            requestID: "", baseURL: "")
    }

    private static func row(_ kind: String, type: Int64, zone: Int64, since: Int64) -> SubscriptionRow {
        var definition: JSONValue = [
            "subscriptionID": .string("s\(since)"), "subscriptionType": .string(kind),
        ]
        if kind == "query" {
            definition = definition.with("firesOn", ["create"])
                .with("query", ["recordType": .string("T\(type)")])
        }
        if kind == "zone" { definition = definition.with("zoneID", ["zoneName": "Z"]) }
        return SubscriptionRow(
            database: 1, user: "u", name: "s\(since)", type: type, zone: zone, since: since,
            definition: definition.bytes)
    }

    @Test(arguments: Seed.some(20))
    func `Of a change all that it may be for are looked at, in their order, and no others`(
        _ seed: Seed
    ) throws {
        let context = try Self.context()
        var random = seed.random
        var rows: [SubscriptionRow] = []
        for since in 1...Int64(random.int(1...60)) {
            let zone = Int64(random.int(0...3))
            switch random.int(0...2) {
            case 0: rows.append(Self.row("query", type: Int64(random.int(1...4)), zone: zone, since: since))
            case 1: rows.append(Self.row("zone", type: 0, zone: max(zone, 1), since: since))
            default: rows.append(Self.row("database", type: 0, zone: 0, since: since))
            }
        }
        var index = SubscriptionIndex(rows.shuffled(using: &random), context, schema: Self.schema)
        #expect(index.oldest == 1)
        #expect(index.types == Set(rows.map(\.type)))
        let visibility = ChangeVisibility(rights: context.rights)
        for _ in 0..<40 {
            let change = LoggedChange(
                sequence: 100, kind: random.pick(LoggedChange.Kind.allCases, else: .created), database: 1,
                zone: Int64(random.int(1...4)), zoneName: "Z", type: Int64(random.int(0...5)), record: 1,
                name: "r")
            let found = index.plans(for: change)
            #expect(found.map(\.row.since) == found.map(\.row.since).sorted())
            #expect(found.allSatisfy { [0, change.type].contains($0.row.type) })
            #expect(found.allSatisfy { [0, change.zone].contains($0.row.zone) })
            let wanted = try rows.filter { row in
                let plan = try SubscriptionPlan(row, context, schema: Self.schema)
                switch plan.outcome(of: FollowedChange(change), visibility) {
                case .silent(.otherType), .silent(.otherZone), .silent(.otherKind): return false
                default: return true
                }
            }
            #expect(Set(wanted.map(\.name)).isSubset(of: found.map(\.row.name)))
        }
    }

    @Test func `What no change is for is not even read, and what is damaged is passed over`() throws {
        let context = try Self.context()
        var damaged = Self.row("query", type: 2, zone: 0, since: 2)
        damaged.definition = Array("no JSON".utf8)
        var index = SubscriptionIndex(
            [
                Self.row("query", type: 1, zone: 0, since: 1), damaged,
                Self.row("query", type: 2, zone: 0, since: 3),
            ],
            context, schema: Self.schema)
        func change(_ type: Int64) -> LoggedChange {
            LoggedChange(sequence: 9, kind: .created, database: 1, zone: 1, type: type, record: 1, name: "r")
        }
        #expect(index.plans(for: change(1)).map(\.row.name) == ["s1"])
        #expect(index.plans(for: change(3)).isEmpty)
        // Nor does a damaged one keep others of its type from anything.
        #expect(index.plans(for: change(2)).map(\.row.name) == ["s3"])
    }

    private final class Count: Sendable {
        let state = Mutex((now: 0, most: 0, all: 0))

        func begin() {
            state.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
                state.all += 1
            }
        }

        func end() { state.withLock { $0.now -= 1 } }
    }

    @Test func `Only so many take their turn at once, and all do`() async {
        let turns = ConcurrencyLimiter(width: 3)
        let count = Count()
        let tasks = (0..<200).map { _ in
            Task {
                await turns.enter()
                count.begin()
                await Task.yield()
                count.end()
                turns.leave()
            }
        }
        for task in tasks { await task.value }
        #expect(count.state.withLock { $0.most <= 3 && $0.all == 200 && $0.now == 0 })
    }
}
