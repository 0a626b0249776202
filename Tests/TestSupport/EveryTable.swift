public import RecordModel
public import RecordStorage
import TestSeeds

/// Rows of every kind that a store can hold and that histories of records leave out, so that what carries data can be
/// tried with all of it.
public enum EveryTable {
    /// Fills a store; the same number gives the same rows.
    ///
    /// - Parameters:
    ///   - store: one that has a history of records in `tenant` already.
    ///   - tenant: whose rows they are, besides those of a tenant of their own.
    ///   - number: what decides everything random.
    public static func fill(_ store: any RecordStore, _ tenant: Tenant, _ number: UInt64) async throws {
        let other = Tenant(container: try ContainerID("iCloud.other"), environment: .production)
        try await store.write { store in
            var random = Random(seed: number)
            try fillAccess(store, tenant, other, &random)
            for section in StoreSection.allCases {
                guard !access.contains(section), let shape = Catalogue.shape(of: section) else { continue }
                var position: Int64 = 0
                for index in 0..<random.int(1...9) {
                    var values = try shape.columns.map { column in
                        try value(of: column, index, [tenant, other], &random)
                    }
                    switch section {
                    case .pushKeys:
                        guard index < 2 else { continue }
                        values[0] = [tenant, other][index].columnValue
                    case .changes:
                        // The log's places are sums of what its entries take.
                        position += Int64(try Catalogue.changes.row(of: values).change.weight)
                        values[1] = .int(position)
                    default: break
                    }
                    try store.restore([.described(TableRow(section: section, values: values))])
                }
            }
            let counters = try store.counters()
            try store.restore([
                .counters(
                    StoreCounters(
                        sequence: counters.sequence, zone: counters.zone, type: counters.type,
                        audit: counters.audit, forgottenChanges: 1))
            ])
        }
    }

    /// What ``fillAccess(_:_:_:_:)`` fills.
    private static let access: Set<StoreSection> = [
        .users, .tokens, .accounts, .credentials, .policies, .providers, .erasures, .operators,
        .operatorTokens,
    ]

    /// What columns hold that do not take any value.
    private static let words = [
        "purpose": AccountLinkRow.Purpose.allCases.map(\.rawValue),
        "channel": ReceiverRow.Channel.allCases.map(\.rawValue),
        "push_environment": ["development", "production"],
        // Of the accounts and users below.
        "account": (0..<7).map { "id\($0)" },
    ]

    /// A random value of a column, of which keys are those that no other row has.
    private static func value(
        of column: TableShape.Column, _ index: Int, _ tenants: [Tenant], _ random: inout Random
    ) throws -> TableValue {
        if column.isOptional, random.oneIn(3) { return .null }
        if let words = words[column.name] { return .text(random.pick(words, else: "")) }
        switch column.kind {
        case .int where ["sequence", "position", "database"].contains(column.name):
            return .int(Int64(index + 2))
        case .int where column.name == "kind":
            return .int(random.pick(LoggedChange.Kind.allCases, else: .created).rawValue)
        case .int: return .int(Int64(random.int(0...1 << 40)))
        case .flag: return .int(Int64(random.int(0...1)))
        case .tenant: return random.pick(tenants, else: tenants[0]).columnValue
        case .text: return .text("\(index)" + random.text(["a", "ü", "\u{0}", "\u{1}", "'", "😀"], 0...9))
        case .bytes:
            return .bytes([UInt8(index)] + (0..<random.int(0...40)).map { _ in UInt8(random.int(0...255)) })
        }
    }

    private static func fillAccess(
        _ store: any StoreWriter, _ tenant: Tenant, _ other: Tenant, _ random: inout Random
    ) throws {
        try store.store(
            SignInPolicyRow(
                tenant: other, admission: .invited, invited: ["@example.org", "ü"], title: "Ü",
                color: "#0a3d62", logo: [0, 255]))
        for index in 0..<3 {
            try store.store(
                SignInProviderRow(
                    tenant: index == 0 ? tenant : other, name: "p\(index)", title: "Ü",
                    issuer: "https://id.example", clientID: "c", secret: [0, 255], keyID: "k", team: "t",
                    postsForm: index == 1, createdAt: 3))
        }
        try store.setRoles(["editor", "reader"], tenant: other)
        let type = try store.makeType(named: "Page", tenant: other)
        _ = try store.setAnnotations(
            systemIndexes: [.recordID: .queryable], grants: [SecurityGrant(.read, to: "reader")],
            of: type, tenant: other)
        for index in 0..<7 as Range<UInt8> {
            let name = "_user\(index)\u{0}"
            for tenant in [tenant, other] {
                try store.insert(
                    UserRow(
                        tenant: tenant, recordName: name, label: "ü \(index)", createdAt: 5,
                        roles: index == 0 ? [] : ["editor", "Leser ü \(index)"],
                        isDisabled: index == 3))
            }
            try store.insert(
                TokenRow(
                    kind: index.isMultiple(of: 2) ? .api : .web, tenant: other,
                    user: index.isMultiple(of: 2) ? nil : name, label: "", createdAt: Int64(index),
                    expiresAt: index < 3 ? nil : 99,
                    succession: index.isMultiple(of: 2)
                        ? nil
                        : TokenSuccession(
                            session: "s\(random.int(0...9))", previous: random.oneIn(2) ? nil : [index],
                            replacedAt: random.oneIn(2) ? nil : 12)), digest: [index, 255])
            try store.insert(OperatorRow(name: "op \(index)", createdAt: 3))
            let account = AccountRow(
                id: "id\(index)", address: "\(9 - index)@example.org", createdAt: 4,
                isDisabled: index == 2)
            try store.store(account)
            if index > 1 {
                try store.store(
                    CredentialRow(
                        account: account.id, kind: .password, name: account.id, secret: [0, index],
                        createdAt: 6))
            }
            try store.insert(
                OperatorTokenRow(kind: .session, operatorName: "op 1", createdAt: 4, expiresAt: 9),
                digest: [255, index])
            try store.insert(
                AuditRow(
                    at: 8, operatorName: "op 1", action: "record.delete",
                    tenant: index < 3 ? nil : other, subject: "a\u{1}", requestID: "r"))
        }
        try store.store(ErasureRow(tenant: other, user: "_gone", publicRecords: .remove, createdAt: 7))
    }
}
