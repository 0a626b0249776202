public import RecordModel
public import RecordStorage
import RecordWire

/// Takes records into a database as they were elsewhere, for operators who move containers.
///
/// Names, values, creators and times stay; the change tag is a new one, since it is a position in this store. Rights and
/// quotas are not looked at, types and fields that are missing are made in either environment, and the target of a
/// reference need not be there yet: records come in any order. Everything else holds as for a save. Taking the same record
/// again changes nothing, so work that was interrupted is simply done again.
public struct RecordIntake: Sendable {
    /// How many records one write takes, so that a server beside has its turn.
    private static let recordsPerWrite = 100

    private let store: any RecordStore
    private let now: @Sendable () -> Int64
    /// Where the records go.
    public let database: DatabaseID

    /// Names the database.
    ///
    /// - Parameters:
    ///   - store: where it is.
    ///   - database: where the records go.
    ///   - now: milliseconds since 1970.
    public init(store: any RecordStore, database: DatabaseID, now: @escaping @Sendable () -> Int64) {
        self.store = store
        self.database = database
        self.now = now
    }

    /// Stores records, and makes the zone where it is missing.
    ///
    /// - Parameters:
    ///   - records: with the files of their fields in the form in which this service keeps them.
    ///   - zone: the zone's name.
    ///   - files: those that the records refer to; each has been stored already.
    /// - Throws: `BAD_REQUEST` for a custom zone of a public database and for a name that no zone can have; `StorageError`
    ///   where the store cannot be read or written, `JSONError` where a record that is replaced is damaged, `SealingError`
    ///   where an encrypted field of that does not open.
    public func take(
        _ records: [IncomingRecord], into zone: String, files: Set<AssetContent> = []
    ) async throws -> IntakeOutcome {
        var outcome = IntakeOutcome()
        var rest = records[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.recordsPerWrite))
            rest = rest.dropFirst(part.count)
            outcome += try await store.write { [database, now] store in
                for file in files { try store.noteAsset(file, at: now()) }
                let zone = try Self.zone(zone, in: database, store)
                let shares = try ShareKeeper(of: zone, in: database, store, now: now())
                var save = IntakeSave(
                    store: store, database: database, zone: zone,
                    keeper: VersionKeeper(store: store, now: now()), shares: shares)
                var outcome = IntakeOutcome()
                for record in part { try save.run(record, &outcome) }
                try shares.finish()
                return outcome
            }
        }
        return outcome
    }

    /// The circles of parents that are still there.
    ///
    /// - Throws: `StorageError` where the store cannot be read, `JSONError` where a record is damaged.
    public static func standing(
        _ circles: [IntakeOutcome.Circle], in store: any RecordStore
    ) async throws -> [IntakeOutcome.Circle] {
        guard !circles.isEmpty else { return [] }
        return try await store.read(.short) { store in
            let store = SealedStore.base(of: store)
            return try circles.filter { circle in
                guard let number = try store.database(circle.database),
                    let zone = try store.zone(named: circle.zone, in: number)
                else { return false }
                return try circle.names.indices.allSatisfy { index in
                    let above = circle.names[(index + 1) % circle.names.count]
                    let row = try store.record(named: circle.names[index], in: zone.id)
                    return try row.flatMap { try RecordBody.parent(of: $0.body) }?.isExactly(above) == true
                }
            }
        }
    }

    /// Makes a zone where there is none of that name.
    ///
    /// - Throws: `BAD_REQUEST` in a public database and for a name that no zone can have; `StorageError` where the store
    ///   cannot be written.
    public func makeZone(named name: String) async throws {
        try await store.write { [database] store in _ = try Self.zone(name, in: database, store) }
    }

    /// Deletes a custom zone with its records.
    ///
    /// - Returns: whether it was there.
    /// - Throws: `StorageError` where the store cannot be written.
    public func deleteZone(named name: String) async throws -> Bool {
        try await store.write { [database, now] store in
            guard name != ZoneID.defaultName, let number = try store.database(database),
                let zone = try store.zone(named: name, in: number)
            else { return false }
            try ShareKeeper(of: zone, in: database, store, now: now()).endAll()
            try store.deleteZone(zone)
            return true
        }
    }

    /// Deletes records, and nothing that refers to them: whoever deleted them elsewhere says what went with them.
    ///
    /// - Returns: how many of them were there.
    /// - Throws: `StorageError` where the store cannot be written, `JSONError` where a stored record is damaged,
    ///   `SealingError` where an encrypted field does not open.
    public func delete(_ names: [String], from zone: String) async throws -> Int {
        guard !names.isEmpty else { return 0 }
        return try await store.write { [database, now] store in
            guard let number = try store.database(database),
                let zone = try store.zone(named: zone, in: number)
            else { return 0 }
            let keeper = VersionKeeper(store: store, now: now())
            let schema = try store.schema(of: database.tenant)
            var count = 0
            let shares = try ShareKeeper(of: zone, in: database, store, now: now())
            let rows = try shares.withSharesOfRoots(
                names.compactMap { try store.record(named: $0, in: zone.id) })
            try shares.noteDeletions(of: rows)
            for name in rows.map(\.name) {
                // The root of a share that was deleted has another version by now.
                guard let row = try store.record(named: name, in: zone.id) else { continue }
                let sequence = try store.nextSequence()
                if let type = schema.type(numbered: row.type) {
                    try keeper.keep(deleted: row, of: type, in: zone, sequence: sequence)
                }
                try store.delete(row, in: zone, sequence: sequence)
                if names.contains(where: name.isExactly) { count += 1 }
            }
            try shares.finish()
            return count
        }
    }

    private static func zone(
        _ name: String, in database: DatabaseID, _ store: any StoreWriter
    ) throws -> ZoneRow {
        let number = try store.makeDatabase(database)
        if let zone = try store.zone(named: name, in: number) { return zone }
        guard database.owner != nil else {
            throw ServiceError(.badRequest, "Custom zones live in private databases only.")
        }
        try Names.checkZoneName(name)
        return try store.makeZone(named: name, in: number)
    }
}
