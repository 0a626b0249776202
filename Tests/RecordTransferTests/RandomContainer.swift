import NIOCore
import RecordEngine
import RecordModel
import RecordStorage
import RecordTransfer
import RecordWire
import SchemaLanguage
import TestSeeds
import TestSupport

/// A container with a random schema, and records of every type in it.
struct RandomContainer {
    var random: Random
    let container: ContainerID

    private static let owners = [nil, "_one", "_two"]

    /// Puts everything into a store.
    mutating func fill(_ target: CopyTarget) async throws {
        var schemas = RandomSchema(random: random)
        let document = schemas.document()
        random = Random(seed: random.next())
        _ = try await SchemaText.importSchema(
            document, container: container, allowsLoss: false, store: target.store)
        let environments: [CloudEnvironment] =
            random.oneIn(2) ? [.development] : [.development, .production]
        if environments.count == 2 {
            _ = try await SchemaDeployment.deploy(container: container, store: target.store)
        }
        for environment in environments {
            let tenant = Tenant(container: container, environment: environment)
            try await addAccess(to: tenant, roles: document.roles, target.store)
            for type in try await target.store.read(.short, { try $0.schema(of: tenant).types.keys.sorted() })
            where random.oneIn(3) {
                try await VersionSettings.set(
                    VersionKeeping(count: random.int(1...9), days: random.int(1...9)), ofTypeNamed: type,
                    in: tenant, store: target.store)
            }
            for owner in Self.owners where owner == nil || random.oneIn(2) {
                try await addRecords(to: DatabaseID(tenant: tenant, owner: owner), target)
            }
        }
    }

    private mutating func addAccess(
        to tenant: Tenant, roles: [String], _ store: any RecordStore
    ) async throws {
        var users: [UserRow] = []
        var tokens: [IdentifiedToken] = []
        for number in 0..<random.int(0...4) {
            users.append(
                UserRow(
                    tenant: tenant, recordName: "_\(number)\(random.int(0...99))", label: "user ö \(number)",
                    createdAt: Int64(random.int(0...9_000)), roles: roles.filter { _ in random.oneIn(2) },
                    isDisabled: random.oneIn(2)))
            let kind = random.pick([TokenRow.Kind.api, .web, .key], else: .api)
            tokens.append(
                IdentifiedToken(
                    digest: (0..<32).map { _ in UInt8(random.int(0...255)) },
                    row: TokenRow(
                        kind: kind, tenant: tenant, user: kind == .api ? nil : users[number].recordName,
                        label: random.text(["a", "\"", "ö"], 0...5), createdAt: Int64(random.int(0...9_000)),
                        expiresAt: random.oneIn(2) ? Int64(random.int(0...9_000)) : nil,
                        publicKey: kind == .key ? [4, 5, 6] : nil,
                        callback: kind == .api && random.oneIn(2) ? "https://a.example" : nil,
                        origins: kind == .api && random.oneIn(2) ? ["https://b.example"] : [])))
        }
        try await store.write { [users, tokens] store in
            for user in users { try store.insert(user) }
            for token in tokens { try store.insert(token.row, digest: token.digest) }
        }
    }

    private mutating func addRecords(to database: DatabaseID, _ target: CopyTarget) async throws {
        let intake = RecordIntake(store: target.store, database: database, now: target.now)
        var zones = [ZoneID.defaultName]
        if database.owner != nil {
            for number in 0..<random.int(0...3) { zones.append("Zone \(number)") }
        }
        let types = target.store.schema(of: database.tenant).types.values.filter { $0.name != "Users" }
            .sorted { $0.name < $1.name }
        for zone in zones {
            if zone != ZoneID.defaultName { try await intake.makeZone(named: zone) }
            guard !types.isEmpty else { continue }
            var names: [String] = []
            for _ in 0..<random.int(0...12) {
                let type = random.pick(types, else: types[0])
                names.append("r\(random.int(0...20))")
                let (record, files) = try await record(names[names.count - 1], type, target.files)
                let outcome = try await intake.take([record], into: zone, files: files)
                guard outcome.refusals.isEmpty else { throw TestFailure("\(outcome.refusals)") }
            }
            _ = try await intake.delete(names.filter { _ in random.oneIn(4) }, from: zone)
        }
    }

    private mutating func record(
        _ name: String, _ type: RecordType, _ files: any AssetStore
    ) async throws -> (IncomingRecord, Set<AssetContent>) {
        var record = try IncomingRecord(
            json: JSONObject([
                ("recordName", .string(name)), ("recordType", .string(type.name)),
                ("created", Self.stamp(random.int(0...9_000), "_one")),
                ("modified", Self.stamp(random.int(0...9_000), "_two")),
            ]))
        if random.oneIn(4) { record.parent = "r\(random.int(0...20))" }
        var contents: Set<AssetContent> = []
        for field in type.fields.shuffled(using: &random) where random.oneIn(2) {
            var elements: [FieldValue] = []
            for _ in 0..<(field.type.isList ? random.int(0...3) : 1) {
                elements.append(try await value(field.type.scalar, files, &contents))
            }
            if field.declaration == .encrypted { record.encrypted.insert(field.name) }
            record.fields.append(
                (field.name, field.type.isList ? .list(elements, of: field.type.scalar) : elements[0]))
        }
        return (record, contents)
    }

    private static func stamp(_ time: Int, _ user: String) -> JSONValue {
        ["timestamp": .int(Int64(time)), "userRecordName": .string(user)]
    }

    private mutating func value(
        _ scalar: FieldType.Scalar, _ files: any AssetStore, _ contents: inout Set<AssetContent>
    ) async throws -> FieldValue {
        switch scalar {
        case .string: return .string(random.text(["a", "\"", "\n", "ö", "\\", "\u{1}"], 0...8))
        case .int64: return .int64(Int64(bitPattern: random.next()))
        case .double:
            return .double(random.pick([0, -0.0, 1, 0.1, 1e300, -Double.leastNonzeroMagnitude], else: 2))
        case .timestamp: return .timestamp(Int64(random.int(0...2_000_000)))
        case .bytes: return .bytes((0..<random.int(0...5)).map { UInt8($0) })
        case .reference:
            let action = random.pick([Reference.Action.none, .validate, .deleteSelf], else: .none)
            return .reference(Reference(recordName: "r\(random.int(0...20))", action: action))
        case .location:
            var location = Location(latitude: Double(random.int(-90...90)), longitude: 0.25)
            if random.oneIn(2) { location.altitude = -1.5 }
            return .location(location)
        case .asset:
            let writer = try await files.beginUpload()
            try await writer.write(ByteBuffer(string: random.text(["a", "b"], 0...9)))
            let content = try await writer.finish()
            try await writer.place()
            contents.insert(content)
            return .asset(Asset(content))
        }
    }
}
