import RecordModel
import RecordStorage
import RecordWire
import SQLiteAccess

extension StoreInspection {
    /// No change carries a sequence number that will be given again.
    func sequenceFinding() throws -> StoreFinding {
        let given = try connection.meta(.sequence)
        // SQLite takes 500 terms of a compound SELECT, so types are asked in groups.
        var largest: Int64 = 0
        let numbers = try typesWithTables().map(\.type.id)
        for start in stride(from: 0, through: numbers.count, by: 100) {
            let group = Array(numbers[start..<min(start + 100, numbers.count)])
            largest = max(largest, try connection.int(StoreSQL.largestSequence(types: group)))
        }
        guard largest > given else {
            return StoreFinding(
                "sequence", .good, "The last sequence number is \(given); nothing is ahead of it.")
        }
        return StoreFinding(
            "sequence", .problem,
            "A change has the sequence number \(largest), but \(given) is the last one given.",
            remedy: Self.repairRemedy, isRepairable: true)
    }

    /// Every protected reference belongs to a record.
    func referenceFinding() throws -> StoreFinding {
        let count = try connection.int(StoreSQL.ownerlessReferences("count(*)"))
        guard count > 0 else {
            return StoreFinding("references", .good, "Every reference belongs to a record.")
        }
        return StoreFinding(
            "references", .problem, "\(count) references belong to records that do not exist.",
            remedy: Self.repairRemedy, isRepairable: true)
    }

    /// Every automatic index that the catalog names is there, and no other.
    func indexFindings() throws -> [StoreFinding] {
        let there = try Set(connection.texts(StoreSQL.automaticIndexes(besidesTypes: catalog.removedTypes)))
        let known = catalog.indexes.values.joined()
        // One that is only ordered need not be there yet, and one that is being removed need not be there any more.
        let missing = Set(known.filter { $0.state == .filling || $0.state == .ready }.map(\.name))
            .subtracting(there)
        let strays = there.subtracting(known.map(\.name))
        let partial = try known.filter { there.contains($0.name) && $0.state == .ready }.filter { index in
            guard let slot = index.slot else { return false }
            return try connection.int(StoreSQL.hasUnmarkedRows(type: index.type, slot: slot)) > 0
        }
        guard !missing.isEmpty || !strays.isEmpty || !partial.isEmpty else {
            let count = known.count { $0.state == .ready }
            return [StoreFinding("indexes", .good, "\(count) automatic indexes are in place.")]
        }
        var findings: [StoreFinding] = []
        if !partial.isEmpty {
            findings.append(
                StoreFinding(
                    "indexes", .problem,
                    "Automatic indexes lack records: \(partial.map(\.name).sorted().joined(separator: ", ")).",
                    remedy: Self.repairRemedy, isRepairable: true))
        }
        if !missing.isEmpty {
            findings.append(
                StoreFinding(
                    "indexes", .problem,
                    "Automatic indexes are missing: \(missing.sorted().joined(separator: ", ")).",
                    remedy: Self.repairRemedy, isRepairable: true))
        }
        if !strays.isEmpty {
            findings.append(
                StoreFinding(
                    "indexes", .warning,
                    "The catalogue does not list these indexes: \(strays.sorted().joined(separator: ", ")).",
                    remedy: Self.repairRemedy, isRepairable: true))
        }
        return findings
    }

    /// What a running server still removes or makes, which is not damage.
    func backgroundFinding() throws -> StoreFinding {
        guard try connection.int("SELECT count(*) FROM sqlite_master WHERE name = 'job'") > 0 else {
            return StoreFinding("background", .good, "Nothing is being removed or made.")
        }
        let work = try SQLiteReader(
            connection: connection, catalog: catalog, indexAdvisor: nil, zoneCache: nil
        ).backgroundWork()
        guard !work.isDone else {
            return StoreFinding("background", .good, "Nothing is being removed or made.")
        }
        let parts = work.waiting.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key.rawValue) \($0.value)" }
        return StoreFinding(
            "background", .good,
            "Being removed or made by the server while it runs: \(parts.joined(separator: ", ")).")
    }

    /// Every token and every user belongs to a tenant, and a user's token to a user.
    func accessFindings() throws -> [StoreFinding] {
        let lost = try connection.int(
            """
            SELECT (SELECT count(*) FROM token WHERE tenant NOT IN (SELECT id FROM tenant))
                + (SELECT count(*) FROM user WHERE tenant NOT IN (SELECT id FROM tenant))
            """)
        let userless = try connection.int(
            """
            SELECT count(*) FROM token WHERE user IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM user WHERE user.tenant = token.tenant AND user.record_name = token.user)
            """)
        var findings: [StoreFinding] = []
        if lost > 0 {
            findings.append(
                StoreFinding(
                    "access", .warning, "\(lost) tokens or users belong to no container and have no effect.")
            )
        }
        if userless > 0 {
            findings.append(
                StoreFinding(
                    "access", .warning, "\(userless) web auth tokens are of users that are not listed.",
                    remedy: "See 'stratus token list' and revoke those that are not needed."))
        }
        return findings.isEmpty ? [StoreFinding("access", .good, "Tokens and users match.")] : findings
    }

    /// The bodies of some records of each type can be read, and say what their columns say.
    func bodyFindings() throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        var looked = 0
        for (tenant, type) in try typesWithTables() {
            let half = max(1, depth.sampledRecords / 2)
            let ids = try connection.texts(
                """
                SELECT id FROM (SELECT id FROM r\(type.id) ORDER BY id LIMIT \(half))
                UNION SELECT id FROM (SELECT id FROM r\(type.id) ORDER BY id DESC LIMIT \(half))
                """)
            looked += ids.count
            var wrong: [String] = []
            for id in ids {
                if let reason = try mistake(of: id, type) { wrong.append(reason) }
            }
            guard let first = wrong.first else { continue }
            findings.append(
                StoreFinding(
                    "bodies", .problem,
                    "\(wrong.count) of \(ids.count) records of \(type.name) of \(tenant) contradict themselves, for example \(first)",
                    remedy: "Save these records again, or restore the last backup."))
        }
        return findings.isEmpty
            ? [StoreFinding("bodies", .good, "\(looked) records were read; they agree with their columns.")]
            : findings
    }

    /// What is wrong with one record, if anything.
    private func mistake(of id: String, _ type: RecordType) throws -> String? {
        let fields = type.fields.filter { ColumnValues.hasColumn($0) && !$0.isBeingFilled }
        let columns = fields.flatMap(ColumnValues.names)
        let list = (["name", "body", "sequence"] + columns).joined(separator: ", ")
        let statement = try connection.statement(
            "SELECT \(list) FROM r\(type.id) AS r LEFT JOIN b\(type.id) AS b ON b.id = r.id WHERE r.id = ?")
        defer { statement.reset() }
        statement.bind(Int64(id) ?? 0, at: 1)
        guard try statement.step() else { return nil }
        let name = statement.text(0)
        let body = Array(statement.bytes(1))
        guard let object = try? JSONReader.read(body + [UInt8(ascii: "}")]).object,
            let values = try? RecordBody.fields(of: body)
        else { return "'\(name)', whose body is not JSON" }
        guard object["recordName"]?.string == name, object["recordType"]?.string == type.name else {
            return "'\(name)', whose body names another record"
        }
        let removed = (catalog.removedFields[type.id] ?? []).names(at: statement.int(2))
        let given = Dictionary(
            values.filter { !removed.contains($0.name) }.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }
        )
        var column: Int32 = 3
        for field in fields {
            for expected in ColumnValues.padded(given[field.name], field) {
                defer { column += 1 }
                if statement.value(column) != expected {
                    return "'\(name)', whose field '\(field.name)' differs"
                }
            }
        }
        return nil
    }
}
