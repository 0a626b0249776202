internal import CStratusSQLite
internal import SQLiteAccess
internal import StratusCoreData

/// What the values of rows need besides their bytes.
final class RowContext {
    /// Not owned: rows may outlive their store, and then lead nowhere.
    private(set) weak var store: NSPersistentStore?
    let layout: StoreLayout
    let files: ExternalFiles?

    init(store: NSPersistentStore, layout: StoreLayout, files: ExternalFiles?) {
        self.store = store
        self.layout = layout
        self.files = files
    }
}

/// Some rows of a fetch as SQLite gave them: a cell of 16 bytes for each column, texts and blobs after them.
///
/// A row costs no allocation: it is appended, and read only where somebody asks for a value. Filled by one
/// thread, then handed out and never changed.
final class PackedRows: RowPage {
    struct Cell {
        /// The number, its bits, or where the bytes begin.
        var payload: UInt64
        /// The number of bytes.
        var count: UInt32
        /// SQLite's type.
        var type: Int32
    }

    /// The most rows of a page: one object that stays in memory keeps its page there.
    static let rowLimit = 128
    /// The number of bytes after which a page is full.
    static let byteLimit = 256 * 1_024

    private let cells: UnsafeMutablePointer<Cell>
    private let columnCount: Int
    private let capacity: Int
    private var bytes: UnsafeMutablePointer<UInt8>
    private var byteCapacity: Int
    private var byteCount = 0
    private(set) var rowCount = 0
    let shape: RowShape
    private let context: RowContext

    init(_ shape: RowShape, context: RowContext, capacity: Int = PackedRows.rowLimit) {
        self.shape = shape
        self.context = context
        columnCount = shape.columns.count
        self.capacity = max(1, capacity)
        cells = .allocate(capacity: max(1, self.capacity * columnCount))
        byteCapacity = capacity == 1 ? 256 : 4_096
        bytes = .allocate(capacity: byteCapacity)
    }

    deinit {
        // Cells are plain bytes: nothing to deinitialize.
        cells.deallocate()
        bytes.deallocate()
    }

    var isFull: Bool { rowCount >= capacity || byteCount >= Self.byteLimit }

    /// Copies the row at which a statement is, and says at which position.
    ///
    /// - Parameter first: the statement's column that is the shape's first.
    func append(_ statement: OpaquePointer, from first: Int32) -> Int {
        let row = rowCount
        rowCount += 1
        var cell = cells + row * columnCount
        for column in first..<(first + Int32(columnCount)) {
            let type = sqlite3_column_type(statement, column)
            switch type {
            case SQLITE_INTEGER:
                let value = sqlite3_column_int64(statement, column)
                cell.initialize(to: Cell(payload: UInt64(bitPattern: value), count: 0, type: type))
            case SQLITE_FLOAT:
                let value = sqlite3_column_double(statement, column)
                cell.initialize(to: Cell(payload: value.bitPattern, count: 0, type: type))
            case SQLITE_NULL:
                cell.initialize(to: Cell(payload: 0, count: 0, type: type))
            default:
                let start =
                    type == SQLITE_TEXT
                    ? UnsafeRawPointer(sqlite3_column_text(statement, column))
                    : sqlite3_column_blob(statement, column)
                let count = Int(sqlite3_column_bytes(statement, column))
                cell.initialize(
                    to: Cell(payload: UInt64(append(start, count)), count: UInt32(count), type: type))
            }
            cell += 1
        }
        return row
    }

    private func append(_ start: UnsafeRawPointer?, _ count: Int) -> Int {
        guard let start, count > 0 else { return byteCount }
        if byteCount + count > byteCapacity {
            let capacity = max(byteCapacity * 2, byteCount + count)
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
            larger.update(from: bytes, count: byteCount)
            bytes.deallocate()
            bytes = larger
            byteCapacity = capacity
        }
        let place = byteCount
        UnsafeMutableRawPointer(bytes + place).copyMemory(from: start, byteCount: count)
        byteCount += count
        return place
    }

    // MARK: Reading

    func value(row: Int, slot: Int, layout: EntityLayout) -> PropertyValue {
        guard let place = shape.place(slot, layout), place >= 0, row < rowCount else { return .null }
        let cell = row * columnCount + Int(place)
        if let attribute = layout.attributeDescriptions[slot] {
            // A cast costs more than all the rest.
            guard attribute.attributeType == .compositeAttributeType else {
                return value(cell, of: attribute)
            }
            return compositeValue(cell, attribute)
        }
        guard let relationship = layout.relationshipDescriptions[slot] else { return .null }
        return reference(cell, relationship)
    }

    private func value(_ cell: Int, of attribute: NSAttributeDescription) -> PropertyValue {
        let cell = cells[cell]
        switch cell.type {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER:
            return StoredValue.value(Int64(bitPattern: cell.payload), of: attribute)
        case SQLITE_FLOAT: return StoredValue.value(Double(bitPattern: cell.payload), of: attribute)
        // Sixteen bytes that a tool stored as a text are a UUID, and need not be UTF-8.
        case SQLITE_TEXT where attribute.attributeType != .UUIDAttributeType:
            // A page has no byte outside its buffer, so the range is always inside.
            return StoredValue.value(
                String(
                    decoding: UnsafeBufferPointer(start: bytes + Int(cell.payload), count: Int(cell.count)),
                    as: UTF8.self),
                of: attribute)
        default:
            let buffer = UnsafeRawBufferPointer(start: bytes + Int(cell.payload), count: Int(cell.count))
            return StoredValue.value(
                buffer, of: attribute, isMarked: context.layout.isMarked(attribute), files: context.files)
        }
    }

    private func compositeValue(
        _ cell: Int, _ attribute: NSAttributeDescription
    ) -> PropertyValue {
        guard case .composite(let columns)? = shape.storage(attribute) else { return .null }
        var result: [String: Any] = [:]
        for (offset, column) in columns.enumerated() {
            let value = value(cell + offset, of: column.attribute)
            if let any = value.anyValue(of: column.attribute) {
                CompositeValue.set(any, column.path, in: &result)
            }
        }
        return result.isEmpty ? .null : .object(ObjectBox(result))
    }

    private func reference(
        _ cell: Int, _ relationship: NSRelationshipDescription
    ) -> PropertyValue {
        guard cells[cell].type == SQLITE_INTEGER, var entity = relationship.destinationEntity else {
            return .null
        }
        if shape.hasEntityColumn(relationship), cells[cell + 1].type == SQLITE_INTEGER,
            let concrete = context.layout.entity(number: Int(truncatingIfNeeded: cells[cell + 1].payload)),
            concrete.entity.isKindOf(entity: entity)
        {
            entity = concrete.entity
        }
        let key = Int64(bitPattern: cells[cell].payload)
        return .reference(NSManagedObjectID(reference: .row(key), entity: entity, store: context.store))
    }
}

extension RowShape {
    /// The position of a slot of an entity of the family among the columns; -1 or nil for none.
    func place(_ slot: Int, _ layout: EntityLayout) -> Int? {
        let index = layout.number - firstModelNumber
        guard index >= 0, index < placesByModelNumber.count, slot < placesByModelNumber[index].count else {
            return nil
        }
        return Int(placesByModelNumber[index][slot])
    }
}
