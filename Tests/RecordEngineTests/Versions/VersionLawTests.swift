import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// After any history, an engine keeps the versions that a list of all states says.
@Suite struct VersionLawTests {
    /// All states that a name had, and what became of each.
    private struct State: Equatable {
        var tag: String
        var text: String
        var end: String?
        var endedAt: Int64 = 0
    }

    /// What is kept, without a database: lists of states.
    private struct Model {
        var now: [String: State] = [:]
        var kept: [String: [State]] = [:]
        var count = 4

        mutating func end(_ name: String, _ how: String, at time: Int64) {
            guard var state = now.removeValue(forKey: name) else { return }
            state.end = how
            state.endedAt = time
            kept[name, default: []].insert(state, at: 0)
            kept[name] = Array(kept[name, default: []].prefix(count))
        }

        mutating func save(_ name: String, _ state: State, at time: Int64) {
            end(name, "replaced", at: time)
            now[name] = state
        }

        mutating func forget(before time: Int64) {
            for name in kept.keys { kept[name]?.removeAll { $0.endedAt < time } }
        }

        func history(_ name: String) -> [State] {
            (now[name].map { [$0] } ?? []) + kept[name, default: []]
        }
    }

    private static let names = (0..<6).map { "r\($0)" }
    private static let day: Int64 = 86_400_000

    @Test(arguments: StoreEngine.allCases, Seed.some(4))
    func `An engine keeps what a list of states keeps`(_ engine: StoreEngine, _ seed: Seed) async throws {
        try await engine.run { store in
            var random = seed.random
            var model = Model()
            let ground = try await VersionGround(store)
            var time = ground.clock.now
            for step in 0..<150 {
                let name = random.pick(Self.names, else: "r0")
                switch random.int(0...11) {
                case 0...5:
                    let text = "\(step)"
                    time = ground.clock.tick()
                    if let tag = try await ground.save(name, text) {
                        model.save(name, State(tag: tag, text: text), at: time)
                    }
                case 6, 7:
                    time = ground.clock.tick()
                    try await ground.delete(name)
                    model.end(name, "deleted", at: time)
                case 8, 9:
                    guard let wanted = model.kept[name]?.randomElement(using: &random) else { continue }
                    time = ground.clock.tick()
                    let tag = try #require(try await ground.restore(name, to: wanted.tag), "step \(step)")
                    model.save(name, State(tag: tag, text: wanted.text), at: time)
                case 10:
                    model.count = random.int(1...6)
                    try await ground.keep(model.count, days: 3)
                default:
                    ground.clock.advance(Int64(random.int(0...2)) * Self.day)
                    try await ground.service.sweepVersions()
                    model.forget(before: ground.clock.now - 3 * Self.day)
                }
                guard step % 5 == 4 else { continue }
                for name in Self.names {
                    let found = try await ground.history(name)
                    #expect(
                        found == model.history(name).map { "\($0.tag) \($0.text) \($0.end ?? "now")" },
                        "step \(step), \(name)")
                }
                // In the bin is each name without a record whose last state is kept.
                let bin = Self.names.filter {
                    model.now[$0] == nil && model.kept[$0]?.first?.end == "deleted"
                }
                #expect(try await ground.bin() == Set(bin), "step \(step)")
                let usage = try await ground.usage()
                #expect(usage == model.kept.values.reduce(0) { $0 + $1.count }, "step \(step)")
            }
        }
    }
}

/// A service over a store, an operator who asks, and a clock.
private struct VersionGround {
    let clock = LawClock()
    let service: RecordService
    let store: any RecordStore
    let tenant: Tenant

    init(_ store: any RecordStore) async throws {
        let clock = clock
        self.store = store
        tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .development)
        service = RecordService(
            store: store, secret: ServiceSecret(bytes: Array(repeating: 7, count: 32)),
            environment: ServiceEnvironment(now: { clock.now }, random: { Array(repeating: 1, count: $0) }))
        _ = try await save("first", "x")
        try await keep(4, days: 3)
    }

    func keep(_ count: Int, days: Int) async throws {
        try await VersionSettings.set(
            VersionKeeping(count: count, days: days), ofTypeNamed: "Note", in: tenant, store: store)
    }

    private func send(_ endpoint: Endpoint, _ body: JSONValue) async throws -> JSONValue {
        let answer = await service.answer(
            ServiceCall(
                endpoint: endpoint, tenant: tenant, scope: .public,
                credentials: Credentials(apiToken: nil, webAuthToken: nil), body: body.bytes, requestID: "r",
                administration: Administration(name: "root")))
        return try JSONReader.read(answer.body)
    }

    private func modify(_ operation: JSONValue) async throws -> String? {
        let answer = try await send(.recordsModify, ["operations": [operation]])
        return answer["records"][0]["recordChangeTag"].string
    }

    func save(_ name: String, _ text: String) async throws -> String? {
        try await modify(
            TestCloud.operation("forceReplace", name, fields: ["t": ["value": .string(text)]]))
    }

    func delete(_ name: String) async throws {
        _ = try await modify(TestCloud.operation("forceDelete", name))
    }

    func restore(_ name: String, to tag: String) async throws -> String? {
        try await modify(
            TestCloud.operation("restore", name, type: nil).with("versionTag", .string(tag)))
    }

    func history(_ name: String) async throws -> [String] {
        try await send(.recordsVersions, ["recordName": .string(name)])["versions"].elements.map { version in
            let end =
                version["replaced"] != .null ? "replaced" : version["deleted"] != .null ? "deleted" : "now"
            let record = version["record"]
            return
                "\(record["recordChangeTag"].string ?? "?") \(record["fields"]["t"]["value"].string ?? "?") \(end)"
        }
    }

    func bin() async throws -> Set<String> {
        let body: JSONValue = ["recordType": "Note", "resultsLimit": 200]
        let versions = try await send(.recordsVersions, body)["versions"].elements
        return Set(versions.compactMap { $0["record"]["recordName"].string })
    }

    func usage() async throws -> Int {
        let id = DatabaseID(tenant: tenant, owner: nil)
        return try await store.read(.short) { store in
            try store.database(id).map { Int(try store.versionUsage(of: $0).versions) } ?? 0
        }
    }
}
