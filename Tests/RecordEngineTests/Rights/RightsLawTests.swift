import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// Law: five users, an app without one and an operator do what they like while grants and roles change; nothing happens
/// that is not granted, and nothing is refused that is.
@Suite struct RightsLawTests {
    /// What the model knows: records with their makers, grants, roles.
    struct Model {
        struct Record {
            var type: String
            var creator: String
            var value: Int64
        }

        static let types = ["A", "B", "C"]
        static let roles = ["Red", "Blue"]
        static let users = ["ann", "ben", "cat", "dan", "eve"]
        static let nobody = "nobody"
        static let root = "root"

        var records: [String: Record] = [:]
        var grants: [String: [SecurityGrant]] = [:]
        var roles: [String: Set<String>] = [:]

        func may(_ permission: SecurityPermissions, _ who: String, _ type: String, of creator: String?)
            -> Bool
        {
            if who == Self.root { return true }
            for grant in grants[type] ?? [] where grant.permissions.contains(permission) {
                if grant.role == "_world" { return true }
                if who == Self.nobody { continue }
                if grant.role == "_icloud" { return true }
                if grant.role == "_creator", creator == who { return true }
                if roles[who]?.contains(grant.role) == true { return true }
            }
            return false
        }

        func mayWriteAnything(_ who: String) -> Bool {
            who != Self.nobody
                || grants.values.joined().contains {
                    $0.role == "_world" && !$0.permissions.isDisjoint(with: [.create, .write])
                }
        }

        func readable(_ type: String, by who: String) -> Set<String> {
            Set(
                records.filter { $0.value.type == type && may(.read, who, type, of: $0.value.creator) }.keys)
        }

        /// The code of an operation; what it does is done to the model.
        mutating func apply(
            _ operation: String, _ name: String, _ type: String, _ value: Int64, by who: String
        )
            -> String?
        {
            let existing = records[name]
            let read = existing.map { may(.read, who, $0.type, of: $0.creator) } ?? false
            let write = existing.map { may(.write, who, $0.type, of: $0.creator) } ?? false
            let create = may(.create, who, type, of: nil)
            switch operation {
            case "create":
                guard create else { return "ACCESS_DENIED" }
                guard existing == nil else { return "CONFLICT" }
                records[name] = Record(type: type, creator: who, value: value)
            case "forceUpdate":
                guard existing != nil else {
                    guard create else { return "ACCESS_DENIED" }
                    records[name] = Record(type: type, creator: who, value: value)
                    return nil
                }
                guard write else { return "ACCESS_DENIED" }
                records[name]?.value = value
            case "update":
                guard existing != nil, read || write else { return "NOT_FOUND" }
                guard write else { return "ACCESS_DENIED" }
                records[name]?.value = value
            default:
                guard existing != nil, read || write else { return nil }
                guard write else { return "ACCESS_DENIED" }
                records[name] = nil
            }
            return nil
        }
    }

    struct Walk {
        let cloud: TestCloud
        let tenant: Tenant
        var model = Model()
        var random: Random

        static func recordName(of user: String) -> String {
            "_" + String(repeating: "0", count: 29) + String(user.utf8.reduce(0) { $0 + Int($1) })
        }

        mutating func prepare() async throws {
            let tenant = tenant
            for user in Model.users {
                try await cloud.addToken(user, .web, tenant, user: Self.recordName(of: user))
            }
            try await cloud.store.write { store in
                try store.setRoles(Model.roles, tenant: tenant)
                for user in Model.users {
                    try store.insert(
                        UserRow(
                            tenant: tenant, recordName: Self.recordName(of: user), label: user, createdAt: 0))
                }
            }
            for type in Model.types { try await setGrants(type, SecurityGrant.defaults) }
            // Makes the fields of the types.
            for type in Model.types {
                _ = try await send(
                    .recordsModify, Self.batch([("forceUpdate", "z", type, 0, "0")]), by: "root")
                _ = try await send(
                    .recordsModify, Self.batch([("forceDelete", "z", type, 0, "0")]), by: "root")
            }
        }

        mutating func setGrants(_ name: String, _ grants: [SecurityGrant]) async throws {
            let tenant = tenant
            try await cloud.store.write { store in
                let type = try store.makeType(named: name, tenant: tenant)
                _ = try store.setAnnotations(systemIndexes: [:], grants: grants, of: type, tenant: tenant)
            }
            model.grants[name] = grants
        }

        mutating func changeGrants() async throws {
            let all = SecurityGrant.systemRoles + Model.roles
            var grants: [SecurityGrant] = []
            for role in all where random.oneIn(3) {
                grants.append(
                    SecurityGrant(SecurityPermissions(rawValue: UInt8(random.int(1...7))), to: role))
            }
            // None at all would mean the defaults.
            if grants.isEmpty { grants = SecurityGrant.defaults }
            try await setGrants(random.pick(Model.types, else: "A"), grants)
        }

        mutating func changeRoles() async throws {
            let user = random.pick(Model.users, else: "ann")
            let roles = Set(Model.roles.filter { _ in random.oneIn(2) })
            let tenant = tenant
            try await cloud.store.write {
                try $0.setRoles(roles.sorted(), ofUserNamed: Self.recordName(of: user), tenant: tenant)
            }
            model.roles[user] = roles
            cloud.wait(milliseconds: 6_000)
        }

        typealias Step = (operation: String, name: String, type: String, value: Int64, tag: String)

        static func batch(_ steps: [Step]) -> JSONValue {
            let operations = steps.map { step in
                TestCloud.operation(
                    step.operation, step.name, type: step.type, tag: step.tag,
                    fields: step.operation == "forceDelete" ? nil : ["n": ["value": .int(step.value)]])
            }
            return ["operations": .array(operations)]
        }

        func send(_ endpoint: Endpoint, _ body: JSONValue, by who: String) async throws -> TestCloud.Answer {
            if who == Model.root { return try await cloud.administer(endpoint, body) }
            let credentials = Credentials(
                apiToken: "\(tenant)-api", webAuthToken: who == Model.nobody ? nil : "\(tenant)-\(who)")
            return try await cloud.send(
                endpoint, bytes: body.bytes, credentials: credentials, tenant: tenant, in: .public)
        }

        mutating func write() async throws {
            let who = random.pick(Model.users + [Model.nobody, Model.root], else: "ann")
            var names = Set((0..<random.int(1...4)).map { _ in "r\(random.int(0...11))" }).sorted()
            names.shuffle(using: &random)
            var steps: [Step] = []
            for name in names {
                let operation = random.pick(
                    ["create", "forceUpdate", "update", "forceDelete"], else: "create")
                let type = model.records[name]?.type ?? random.pick(Model.types, else: "A")
                let there = try await send(
                    .recordsLookup, ["records": [["recordName": .string(name)]]], by: Model.root)
                let tag = there.records.first?["recordChangeTag"].string ?? "1"
                steps.append((operation, name, type, Int64(random.int(1...999)), tag))
            }
            let answer = try await send(.recordsModify, Self.batch(steps), by: who)
            guard model.mayWriteAnything(who) else {
                #expect(answer.code == "AUTHENTICATION_REQUIRED")
                return
            }
            for (step, code) in zip(steps, answer.codes) {
                var expected = model.apply(step.operation, step.name, step.type, step.value, by: who)
                // Whom signing in could help is told so.
                if expected == "ACCESS_DENIED", who == Model.nobody, code == "AUTHENTICATION_REQUIRED" {
                    expected = code
                }
                #expect(code == expected, "\(who) \(step)")
            }
            #expect(answer.codes.count == steps.count)
        }

        mutating func read() async throws {
            let who = random.pick(Model.users + [Model.nobody, Model.root], else: "ann")
            let type = random.pick(Model.types, else: "A")
            let visible = model.readable(type, by: who)
            let query: JSONValue = [
                "recordType": .string(type), "sortBy": random.oneIn(2) ? [["fieldName": "n"]] : [],
            ]
            var names: [String] = []
            var marker: String?
            repeat {
                var body: JSONValue = ["query": query, "resultsLimit": 2]
                if let marker { body = body.with("continuationMarker", .string(marker)) }
                let page = try await send(.recordsQuery, body, by: who)
                if page.code != nil {
                    #expect(visible.isEmpty, "\(who) \(page.json.text)")
                    #expect(
                        !model.may(.read, who, type, of: who), "who may read records of one's own gets none")
                }
                names += page.names
                marker = page.json["continuationMarker"].string
                if marker != nil { #expect(page.names.count == 2) }
            } while marker != nil
            #expect(names.sorted() == visible.sorted(), "\(who) \(type)")
            let count = try await send(.recordsCount, ["query": query], by: who)
            if count.code == nil { #expect(count.json["count"] == .int(Int64(visible.count))) }
            let all = (0..<12).map { "r\($0)" }
            let lookup = try await send(
                .recordsLookup, ["records": .array(all.map { ["recordName": .string($0)] })], by: who)
            for (name, record) in zip(all, lookup.records) {
                let stored = model.records[name]
                let isVisible = stored.map { model.may(.read, who, $0.type, of: $0.creator) } ?? false
                #expect((record["serverErrorCode"] == .null) == isVisible, "\(who) \(name)")
                if isVisible, let stored { #expect(record["fields"]["n"]["value"] == .int(stored.value)) }
            }
        }
    }

    @Test(arguments: Seed.some(6))
    func `What is granted happens, and nothing else`(_ seed: Seed) async throws {
        try await TestCloud.run { cloud in
            let tenant = Tenant(container: cloud.container, environment: .development)
            var walk = Walk(cloud: cloud, tenant: tenant, random: seed.random)
            try await walk.prepare()
            for _ in 0..<120 {
                switch walk.random.int(0...9) {
                case 0: try await walk.changeGrants()
                case 1: try await walk.changeRoles()
                case 2...6: try await walk.write()
                default: try await walk.read()
                }
            }
        }
    }
}
