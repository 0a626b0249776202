import RecordModel
import RecordStorage
import SQLiteAccess

extension StoreInspection {
    /// All types with the tenant that each belongs to, in a fixed order.
    var types: [(tenant: Tenant, type: RecordType)] {
        catalog.schemas
            .flatMap { tenant, schema in schema.types.values.map { (tenant, $0) } }
            .sorted { $0.1.id < $1.1.id }
    }

    /// Each type has its table, each field that can be asked for its columns, and no table is without a type.
    func tableFindings() throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        let tables = try Set(connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'"))
        for (tenant, type) in types {
            guard tables.isSuperset(of: ["r\(type.id)", "b\(type.id)"]) else {
                findings.append(
                    StoreFinding(
                        "tables", .problem, "The record type \(type.name) of \(tenant) has no table.",
                        remedy: "Restore the last backup."))
                continue
            }
            let columns = try Set(connection.texts("SELECT name FROM pragma_table_info('r\(type.id)')"))
            for field in type.fields where ColumnValues.hasColumn(field) {
                let missing = ColumnValues.names(of: field).filter { !columns.contains($0) }
                guard !missing.isEmpty else { continue }
                findings.append(
                    StoreFinding(
                        "tables", .problem,
                        "The field \(type.name).\(field.name) of \(tenant) has no column.",
                        remedy: "Restore the last backup."))
            }
        }
        let known = Set(types.map { "r\($0.type.id)" } + catalog.removedTypes.map { "r\($0)" })
        let strays = tables.filter { $0.first == "r" && Int($0.dropFirst()) != nil && !known.contains($0) }
        if !strays.isEmpty {
            findings.append(
                StoreFinding(
                    "tables", .warning,
                    "Tables belong to no record type: \(strays.sorted().joined(separator: ", ")).",
                    remedy: "They do no harm; please report it."))
        }
        if findings.isEmpty {
            findings = [
                StoreFinding("tables", .good, "\(types.count) record types have their tables and columns.")
            ]
        }
        return findings
    }

    /// The types whose tables are there: the only ones that statements can name.
    func typesWithTables() throws -> [(tenant: Tenant, type: RecordType)] {
        let tables = try Set(connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'"))
        return types.filter { tables.isSuperset(of: ["r\($0.type.id)", "b\($0.type.id)"]) }
    }

    /// Every record has its directory entry, and every entry its record.
    func directoryFindings() throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        for (tenant, type) in try typesWithTables() {
            let dangling = try connection.int(StoreSQL.danglingEntries(of: type.id, "count(*)"))
            let unlisted = try connection.int(StoreSQL.unlistedRecords(of: type.id, "count(*)"))
            let name = "\(type.name) of \(tenant)"
            if dangling > 0 {
                findings.append(
                    StoreFinding(
                        "directory", .problem, "\(dangling) directory entries of \(name) have no record.",
                        remedy: Self.repairRemedy, isRepairable: true))
            }
            if unlisted > 0 {
                findings.append(
                    StoreFinding(
                        "directory", .problem, "\(unlisted) records of \(name) are missing in the directory.",
                        remedy: Self.repairRemedy, isRepairable: true))
            }
        }
        let strange = try connection.int(
            StoreSQL.entriesOfNoType("count(*)", removedTypes: catalog.removedTypes))
        if strange > 0 {
            findings.append(
                StoreFinding(
                    "directory", .problem, "\(strange) directory entries are of a type that does not exist.",
                    remedy: Self.repairRemedy, isRepairable: true))
        }
        let zoneless = try connection.int(StoreSQL.entriesOfNoZone("count(*)"))
        if zoneless > 0 {
            findings.append(
                StoreFinding(
                    "directory", .problem, "\(zoneless) directory entries are of a zone that does not exist.",
                    remedy: Self.repairRemedy, isRepairable: true))
        }
        return findings.isEmpty
            ? [
                StoreFinding(
                    "directory", .good, "Every record has its directory entry, and every entry its record.")
            ]
            : findings
    }
}
