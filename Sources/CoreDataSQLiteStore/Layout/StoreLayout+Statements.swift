internal import StratusCoreData

extension StoreLayout {
    /// The statements that make the tables and indexes of a new store, in order.
    var createStatements: [String] {
        var result: [String] = []
        for table in tables {
            result.append(table.createStatement)
            result += table.keyIndexes
        }
        for join in joins { result += join.createStatements }
        for entity in entities { result += indexes(of: entity) }
        return result
    }

    /// The system's tables.
    static let systemStatements = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]

    private func indexes(of member: EntityTable) -> [String] {
        let entity = member.entity
        let name = entity.name ?? ""
        var result: [String] = []
        var known: Set<String> = []
        func add(_ index: String, _ parts: [String], isUnique: Bool = false) {
            guard !parts.isEmpty, known.insert(index.uppercased()).inserted else { return }
            result.append(
                "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLName.quoted(index)) ON \(member.table.sqlName) "
                    + "(\(parts.joined(separator: ", ")))")
        }
        for property in entity.ownProperties.sorted(by: { $0.name < $1.name }) where property.isIndexed {
            // A relationship's key has its index already.
            guard property is NSAttributeDescription else { continue }
            add("Z_\(name)_\(property.name)", columns(of: [property.name], in: member))
        }
        for compound in entity.compoundIndexes {
            let names = NSEntityDescription.names(compound)
            add("Z_\(name)_\(names.joined(separator: "_"))", columns(of: names, in: member))
        }
        for index in entity.indexes {
            if index.elements.contains(where: { $0.collationType == .rTree }) {
                result += SpatialIndex(index, member)?.createStatements ?? []
                continue
            }
            let parts = index.elements.flatMap { element in
                columns(of: [element.propertyName ?? ""], in: member, isAscending: element.isAscending)
            }
            // An index over an expression, or a part of the rows, is left out: no answer depends on it.
            guard parts.count == index.elements.count, index.partialIndexPredicate == nil else { continue }
            let suffix =
                index.isCompound
                ? index.elements.compactMap(\.propertyName).joined(separator: "_") : index.name
            add("Z_\(name)_\(suffix)", parts)
        }
        for constraint in entity.uniquenessConstraints.map(NSEntityDescription.names) {
            let parts = columns(of: constraint, in: member)
            guard parts.count == constraint.count else { continue }
            add("Z_\(name)_UNIQUE_\(constraint.joined(separator: "_"))", parts, isUnique: true)
        }
        return result
    }

    private func columns(of names: [String], in member: EntityTable, isAscending: Bool = true) -> [String] {
        names.compactMap { name in
            let column: String? =
                switch member.storage(name) {
                case .column(let column): column
                case .toOne(let columns): columns.key
                default: nil
                }
            return column.map { "\($0) COLLATE BINARY \(isAscending ? "ASC" : "DESC")" }
        }
    }
}

extension TableLayout {
    var createStatement: String {
        let columns =
            ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
            + columns.map { "\(SQLName.quoted($0.name)) \($0.type)" }
        return "CREATE TABLE \(sqlName) ( \(columns.joined(separator: ", ")) )"
    }

    /// The index of each key, and that of the entity number where the table has more than one entity.
    var keyIndexes: [String] {
        var result = columns.filter(\.isKey).map { column in
            "CREATE INDEX \(SQLName.quoted("\(name)_\(column.name)_INDEX")) ON \(sqlName) (\(SQLName.quoted(column.name)))"
        }
        if hasSubentities {
            result.append("CREATE INDEX \(SQLName.quoted("\(name)_Z_ENT_INDEX")) ON \(sqlName) (Z_ENT)")
        }
        return result
    }
}

extension JoinTable {
    var createStatements: [String] {
        let (first, second) = (SQLName.quoted(first), SQLName.quoted(second))
        let columns = [first, second] + orders.map(SQLName.quoted)
        return [
            "CREATE TABLE \(sqlName) ( \(columns.map { "\($0) INTEGER" }.joined(separator: ", ")), "
                + "PRIMARY KEY (\(first), \(second)) )",
            "CREATE INDEX \(SQLName.quoted("\(name)_\(self.second)_INDEX")) ON \(sqlName) (\(second), \(first))",
        ]
    }
}

/// The R-tree of a spatial index, with the triggers that keep it
/// (Documentation/CoreDataStore.md, 'Indexes and triggers').
///
/// How Apple writes the triggers for changes and deletes is not known.
struct SpatialIndex {
    let name: String
    let table: TableLayout
    let columns: [String]

    /// Nil where an element is no stored attribute, or there are more than SQLite's five.
    init?(_ index: NSFetchIndexDescription, _ member: EntityTable) {
        name = "Z_RT_\(member.entity.name ?? "")_\(index.name)"
        table = member.table
        columns = index.elements.compactMap { element in
            guard case .column(let column)? = member.storage(element.propertyName ?? "") else { return nil }
            return column
        }
        guard columns.count == index.elements.count, (1...5).contains(columns.count) else { return nil }
    }

    var createStatements: [String] {
        let tree = SQLName.quoted(name)
        let bounds = columns.flatMap { [bound($0, "_MIN"), bound($0, "_MAX")] }
        let names = (["Z_PK"] + bounds).joined(separator: ", ")
        let values = (["NEW.Z_PK"] + columns.flatMap { ["NEW.\($0)", "NEW.\($0)"] }).joined(separator: ", ")
        let hasAll = columns.map { "NEW.\($0) NOT NULL" }.joined(separator: " AND ")
        let insert = "INSERT OR REPLACE INTO \(tree) (\(names)) SELECT \(values) WHERE \(hasAll)"
        let remove = "DELETE FROM \(tree) WHERE Z_PK = OLD.Z_PK"
        let of = (["Z_PK"] + columns).joined(separator: ", ")
        func trigger(_ suffix: String, _ event: String, _ body: String) -> String {
            "CREATE TRIGGER \(SQLName.quoted("\(name)_\(suffix)")) AFTER \(event) ON \(table.sqlName) FOR EACH ROW "
                + "BEGIN \(body); END"
        }
        return [
            "CREATE VIRTUAL TABLE \(tree) USING RTREE (\(names))",
            trigger("INSERT", "INSERT", insert),
            trigger("UPDATE", "UPDATE OF \(of)", "\(remove); \(insert)"),
            trigger("DELETE", "DELETE", remove),
        ]
    }

    func bound(_ column: String, _ suffix: String) -> String {
        column.hasSuffix("\"") ? String(column.dropLast()) + suffix + "\"" : column + suffix
    }
}
