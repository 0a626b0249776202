internal import CStratusSQLite
internal import SQLiteAccess
internal import StratusCoreData

/// Writes rows of one entity: its statements are prepared once, and a row is bound without a look-up by name.
final class RowWriter {
    let table: EntityTable
    let connection: SQLiteConnection
    private let layout: StoreLayout
    private let files: ExternalFiles?
    /// What is in each column that an insert fills.
    private let columns: [WrittenColumn]
    private var insertStatement: PreparedStatement?
    private var updates: [[Int]: PreparedStatement] = [:]
    private var deleteStatement: PreparedStatement?
    /// The columns whose values may be in files.
    let externalColumns: [String]
    /// The slots whose stored values may differ from those that were given.
    private let inexactSlots: [Int]
    /// The to-one relationships whose other side has an order.
    let orderedToOnes: [(slot: Int, columns: ToOneColumns)]
    /// Whether a row has to be read again to know its values.
    let hasDerived: Bool

    init(_ table: EntityTable, _ connection: SQLiteConnection, _ layout: StoreLayout, _ files: ExternalFiles?)
    {
        self.table = table
        self.connection = connection
        self.layout = layout
        self.files = files
        columns = (0..<table.layout.storedCount).flatMap { WrittenColumn.all($0, table, layout) }
        let attributes = table.layout.attributeDescriptions[table.layout.attributes].compactMap { $0 }
        externalColumns = columns.filter(\.isMarked).map(\.name)
        orderedToOnes = table.layout.toOnes.compactMap { slot in
            guard case .toOne(let columns) = table.slots[slot], columns.order != nil else { return nil }
            return (slot, columns)
        }
        inexactSlots = table.layout.attributes.filter { slot in
            guard let attribute = table.layout.attributeDescriptions[slot] else { return false }
            return attribute.columnGroup == .reals && attribute.attributeType != .dateAttributeType
        }
        hasDerived = attributes.contains { $0 is NSDerivedAttributeDescription }
    }

    /// What became of a statement.
    enum Outcome {
        case done
        /// The row is not there, or has another version.
        case missing
        /// The values have to be unique and are not.
        case duplicate
    }

    /// The values as the row holds them now.
    func stored(_ values: [PropertyValue]) -> [PropertyValue] {
        var result = values
        for slot in inexactSlots {
            let value = values[slot].asStored
            if value != values[slot] { result[slot] = value }
        }
        return result
    }

    // MARK: Writing

    func insert(_ change: ObjectChange, _ save: SaveFiles) throws -> Outcome {
        let statement = try insertStatement ?? makeInsert()
        statement.bind(try key(change.objectID), at: 1)
        var position: Int32 = 2
        for column in columns {
            try bind(change.values[column.slot], column, statement, position, save)
            position += 1
        }
        return try run(statement)
    }

    private func makeInsert() throws -> PreparedStatement {
        let names = ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.name)
        let places = ["?", String(table.number), "1"] + columns.map { _ in "?" }
        let statement = try connection.makeStatement(
            "INSERT INTO \(table.table.sqlName) (\(names.joined(separator: ", "))) "
                + "VALUES (\(places.joined(separator: ", ")))")
        insertStatement = statement
        return statement
    }

    /// - Parameter version: the version that the row has to have, or nil for any.
    func update(_ change: ObjectChange, from version: Int64, _ save: SaveFiles) throws -> Outcome {
        let written = columns.filter { change.changedSlots.contains($0.slot) }
        let statement = try updates[change.changedSlots] ?? makeUpdate(change.changedSlots, written)
        var position: Int32 = 1
        for column in written {
            try bind(change.values[column.slot], column, statement, position, save)
            position += 1
        }
        statement.bind(version &+ 1, at: position)
        statement.bind(try key(change.objectID), at: position + 1)
        statement.bind(version, at: position + 2)
        return try runOnOneRow(statement)
    }

    private func makeUpdate(_ slots: [Int], _ written: [WrittenColumn]) throws -> PreparedStatement {
        var parts = (written.map(\.name) + ["Z_OPT"]).map { "\($0) = ?" }
        // A position in the list of another owner means nothing here.
        for (slot, columns) in orderedToOnes where slots.contains(slot) {
            if let order = columns.order { parts.append("\(order) = NULL") }
        }
        let sets = parts.joined(separator: ", ")
        let statement = try connection.makeStatement(
            "UPDATE \(table.table.sqlName) SET \(sets) WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) = ?")
        // Objects change in few ways; where they do not, preparing again is the price.
        if updates.count >= 64 { updates.removeAll() }
        updates[slots] = statement
        return statement
    }

    /// - Parameter version: the version that the row has to have, or nil for any.
    func delete(_ objectID: NSManagedObjectID, from version: Int64?) throws -> Outcome {
        let statement: PreparedStatement
        if let deleteStatement {
            statement = deleteStatement
        } else {
            statement = try connection.makeStatement(
                "DELETE FROM \(table.table.sqlName) WHERE Z_PK = ?1 AND (?2 IS NULL OR IFNULL(Z_OPT, 0) = ?2)"
            )
            deleteStatement = statement
        }
        statement.bind(try key(objectID), at: 1)
        if let version { statement.bind(version, at: 2) } else { statement.bindNull(at: 2) }
        return try runOnOneRow(statement)
    }

    private func run(_ statement: PreparedStatement) throws -> Outcome {
        guard let failure = statement.attempt() else { return .done }
        if failure.isDuplicate { return .duplicate }
        throw CoreDataError.sqlite(failure).cocoa
    }

    private func runOnOneRow(_ statement: PreparedStatement) throws -> Outcome {
        let outcome = try run(statement)
        if case .done = outcome, sqlite3_changes(connection.handle) == 0 { return .missing }
        return outcome
    }

    // MARK: Binding

    func key(_ objectID: NSManagedObjectID) throws -> Int64 {
        guard let key = objectID.rowKey else {
            throw CoreDataError(
                133000, "'\(objectID.entityName)' has no permanent ID yet, so nothing can lead to it.",
                remedy: "Save it with the object that leads to it, in one context."
            ).cocoa
        }
        return key
    }

    func bind(
        _ value: PropertyValue, _ column: WrittenColumn, _ statement: PreparedStatement, _ position: Int32,
        _ save: SaveFiles
    ) throws {
        switch value {
        case .null: statement.bindNull(at: position)
        case .int(let value): statement.bind(value, at: position)
        case .double(let value): statement.bind(value, at: position)
        case .date(let value): statement.bind(value.timeIntervalSinceReferenceDate, at: position)
        case .string(let value): statement.bind(value, at: position)
        case .decimal(let value):
            if let whole = value.wholeInt64 {
                statement.bind(whole, at: position)
            } else {
                statement.bind(value.isNaN ? .nan : value.nearestDouble, at: position)
            }
        case .uuid(let value):
            withUnsafeBytes(of: value.uuid) { statement.bind(blob: $0, at: position) }
        case .url(let value): statement.bind(value.absoluteString, at: position)
        case .data(let value): try bind(value, column, statement, position, save)
        case .object: try bind(try flat(value, column), column, statement, position, save)
        case .reference(let objectID): try bind(objectID, column, statement, position, save)
        }
    }

    private func bind(
        _ data: Data, _ column: WrittenColumn, _ statement: PreparedStatement, _ position: Int32,
        _ save: SaveFiles
    ) throws {
        guard column.isMarked else {
            data.withUnsafeBytes { statement.bind(blob: $0, at: position) }
            return
        }
        // A store in memory has no folder: everything stays in the row.
        if let files, data.count > ExternalFiles.threshold, column.mayHaveFiles {
            let name = try files.write(data)
            save.written.append(name)
            statement.bind(blob: ExternalFiles.reference(name), at: position)
        } else {
            statement.bind(blob: ExternalFiles.inline(data), at: position)
        }
    }

    /// The value as its column holds it but for a mark: bytes for what is archived, an element of a composite for the whole.
    func flat(_ value: PropertyValue, _ column: WrittenColumn) throws -> PropertyValue {
        guard case .object(let box) = value else { return value }
        guard let attribute = column.attribute else { return .null }
        guard let path = column.path else { return .data(try Transformables.data(box.base, of: attribute)) }
        guard let element = PropertyValue(CompositeValue.value(path, in: box.base), for: attribute) else {
            throw CoreDataError(
                134030, "'\(column.name)' of a composite value has a value of the wrong type.",
                remedy: "It must be of the type of the attribute: \(attribute.attributeType)."
            ).cocoa
        }
        guard case .object(let inner) = element else { return element }
        return .data(try Transformables.data(inner.base, of: attribute))
    }

    private func bind(
        _ objectID: NSManagedObjectID, _ column: WrittenColumn, _ statement: PreparedStatement,
        _ position: Int32,
        _ save: SaveFiles
    ) throws {
        _ = try key(objectID)
        guard objectID.storeIdentifier == save.storeIdentifier else {
            throw CoreDataError(
                133_010,
                "A relationship of '\(table.entity.name ?? "?")' leads to an object of another store.",
                remedy: "Use a fetched property between stores."
            ).cocoa
        }
        if column.isEntityNumber {
            // The ID of a fault may carry an ancestor of the object's entity; the row knows.
            statement.bind(try save.entityNumber(objectID), at: position)
        } else {
            statement.bind(try key(objectID), at: position)
        }
    }
}

/// One column of an entity's row, and the slot whose value fills it.
struct WrittenColumn {
    var slot: Int
    /// Ready for a statement.
    var name: String
    var attribute: NSAttributeDescription?
    /// The names that lead to an element of a composite value.
    var path: [String]?
    /// Whether it holds the entity number of what a to-one relationship leads to.
    var isEntityNumber = false

    /// Whether its values begin with a mark; see ``StoreLayout/isMarked(_:)``.
    var isMarked = false

    /// Whether large values go to files.
    var mayHaveFiles: Bool { isMarked && attribute?.allowsExternalBinaryDataStorage == true }

    static func all(_ slot: Int, _ table: EntityTable, _ layout: StoreLayout) -> [WrittenColumn] {
        switch table.slots[slot] {
        case .column(let name):
            let attribute = table.layout.attributeDescriptions[slot]
            return [
                WrittenColumn(
                    slot: slot, name: name, attribute: attribute,
                    isMarked: attribute.map(layout.isMarked) ?? false)
            ]
        case .composite(let columns):
            return columns.map {
                WrittenColumn(
                    slot: slot, name: $0.column, attribute: $0.attribute, path: $0.path,
                    isMarked: layout.isMarked($0.attribute))
            }
        case .toOne(let columns):
            let key = WrittenColumn(slot: slot, name: columns.key)
            guard let entity = columns.entity else { return [key] }
            return [key, WrittenColumn(slot: slot, name: entity, isEntityNumber: true)]
        case .none, .toManyKey, .join: return []
        }
    }
}

/// What a save knows beside its rows: the files that it wrote, and those that its commit makes needless.
final class SaveFiles {
    var written: [String] = []
    var obsolete: [String] = []
    let storeIdentifier: String
    private let layout: StoreLayout
    private let connection: SQLiteConnection

    init(_ layout: StoreLayout, _ connection: SQLiteConnection, storeIdentifier: String) {
        self.layout = layout
        self.connection = connection
        self.storeIdentifier = storeIdentifier
    }

    /// The number of an object's own entity.
    func entityNumber(_ objectID: NSManagedObjectID) throws -> Int64 {
        guard let table = layout.table(of: objectID.entity) else {
            throw CoreDataError.notInStore(objectID.entity).cocoa
        }
        // An entity that nothing inherits from is the object's own.
        guard table.family.count > 1, let key = objectID.rowKey else { return Int64(table.number) }
        let statement = try connection.statement("SELECT Z_ENT FROM \(table.table.sqlName) WHERE Z_PK = ?")
        statement.bind(key, at: 1)
        guard try statement.step() else { return Int64(table.number) }
        defer { statement.reset() }
        return statement.int(0) == 0 ? Int64(table.number) : statement.int(0)
    }
}
