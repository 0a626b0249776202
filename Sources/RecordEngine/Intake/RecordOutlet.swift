public import RecordModel
public import RecordStorage
import RecordWire

/// Gives a database's records out as they are, for operators who move containers or compare them.
public struct RecordOutlet: Sendable {
    /// Some of the records of a type in a zone.
    public struct Page: Sendable {
        /// The records, by the time at which they were made.
        public var records: [IncomingRecord]
        /// Where the next page begins; nil at the end.
        public var next: ScanCursor?
    }

    private let store: any RecordStore
    /// Where the records are.
    public let database: DatabaseID

    /// Names the database.
    public init(store: any RecordStore, database: DatabaseID) {
        self.store = store
        self.database = database
    }

    /// The zones that there are, by name.
    ///
    /// - Throws: `StorageError` where the store cannot be read; `CancellationError`.
    public func zones() async throws -> [String] {
        try await store.read(.short) { [database] reader in
            guard let number = try reader.database(database) else { return [] }
            return try reader.zones(in: number).map(\.name)
        }
    }

    /// The records of these names; those that are not there are left out.
    ///
    /// - Throws: `StorageError` where the store cannot be read, `JSONError` where a stored record is damaged,
    ///   `SealingError` where an encrypted field does not open; `CancellationError`.
    public func records(named names: [String], in zone: String) async throws -> [ExactText: IncomingRecord] {
        try await store.read(.short) { [database] reader in
            guard let number = try reader.database(database),
                let zone = try reader.zone(named: zone, in: number)
            else { return [:] }
            var records: [ExactText: IncomingRecord] = [:]
            for name in names {
                guard let row = try reader.record(named: name, in: zone.id) else { continue }
                records[ExactText(name)] = try Self.record(row.body)
            }
            return records
        }
    }

    /// A page of the records of a type in a zone, in an order that stays as it is while records change.
    ///
    /// - Parameters:
    ///   - name: the type.
    ///   - zone: the zone's name.
    ///   - position: where to go on; nil from the beginning.
    ///   - limit: how many are looked at.
    ///   - creator: whose records; nil for those of all. The others are looked at, so a page may be empty.
    /// - Throws: `StorageError` where the store cannot be read or the position is of another scan, `JSONError` where
    ///   a stored record is damaged, `SealingError` where an encrypted field does not open; `CancellationError`.
    public func page(
        ofType name: String, in zone: String, after position: ScanCursor?, limit: Int,
        madeBy creator: String? = nil
    ) async throws -> Page {
        try await store.read(.long) { [database] reader in
            guard let number = try reader.database(database),
                let zone = try reader.zone(named: zone, in: number),
                let type = try reader.schema(of: database.tenant).types[name]
            else { return Page(records: [], next: nil) }
            var records: [IncomingRecord] = []
            var bytes = 0
            let search = creator.map { ByteSearch(bytes: Array($0.utf8)) }
            let scan = RecordScan(
                type: type, zones: [zone.id], condition: .constant(true), sort: [], after: position,
                limit: limit, mayMakeIndex: false)
            let outcome = try reader.scan(scan) { row in
                guard bytes == 0 || bytes < Limits.answerBytes else { return false }
                bytes += row.body.count
                if let search, !search.isFound(in: row.body) { return true }
                let record = try Self.record(Array(row.body))
                if creator == nil || record.created.userRecordName == creator { records.append(record) }
                return true
            }
            return Page(records: records, next: outcome.next)
        }
    }

    /// How many records of a type there are in a zone.
    ///
    /// - Throws: `StorageError` where the store cannot be read, or counting takes too long; `CancellationError`.
    public func count(ofType name: String, in zone: String) async throws -> Int {
        try await store.read(.long) { [database] reader in
            guard let number = try reader.database(database),
                let zone = try reader.zone(named: zone, in: number),
                let type = try reader.schema(of: database.tenant).types[name]
            else { return 0 }
            return try reader.count(
                RecordScan(
                    type: type, zones: [zone.id], condition: .constant(true), sort: [], limit: .max,
                    mayMakeIndex: false))
        }
    }

    private static func record(_ body: [UInt8]) throws -> IncomingRecord {
        guard let object = try JSONReader.read(body + [UInt8(ascii: "}")]).object else {
            throw StorageError.engine("A record's body is not an object.")
        }
        return try IncomingRecord(json: object)
    }
}
