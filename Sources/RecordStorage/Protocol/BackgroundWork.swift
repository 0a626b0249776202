public import RecordModel

/// What a store still does for writes that were acknowledged already.
///
/// A deletion is whole for readers with its write: the zone, the type or the field is gone. The room that its records
/// take is given back in small pieces beside other writes; indexes are made and columns filled in the same way. What is
/// left to do is kept in the store itself, so a process that stops at any moment goes on after its next start.
public struct BackgroundWork: Hashable, Sendable {
    /// What a piece of work does.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Removes the records of a zone that was deleted.
        case zoneRemoval
        /// Removes the records of a type that was removed, leaving tombstones where zones are tracked.
        case typeRemoval
        /// Removes the values of a field that was removed.
        case fieldRemoval
        /// Enters the values of a field that may be asked for from now on.
        case fieldFilling
        /// Makes an index.
        case indexMaking
        /// Removes an index.
        case indexRemoval
        /// Counts what versions without counts have stored.
        case usageCounting
    }

    /// How many pieces of work of each kind are not done; kinds without any are left out.
    public var waiting: [Kind: Int]
    /// How many records the unfinished pieces have been through.
    public var recordsDone: Int

    /// Describes what is left to do.
    public init(waiting: [Kind: Int] = [:], recordsDone: Int = 0) {
        self.waiting = waiting
        self.recordsDone = recordsDone
    }

    /// Whether nothing is left to do.
    public var isDone: Bool { waiting.isEmpty }
}

/// For engines that do all of a write within it, and forget nothing.
extension RecordStore {
    public var backgroundWork: BackgroundWork { BackgroundWork() }
}

extension StoreReader {
    /// Whether there is any record of a type, by counting all of them.
    ///
    /// - Throws: ``StorageError`` where they cannot be counted.
    public func hasRecords(of type: RecordType) throws -> Bool { try recordCount(of: type) > 0 }

    /// How many custom zones a database has, by reading all of its zones.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func customZoneCount(in database: Int64) throws -> Int {
        try zones(in: database).count { $0.isTracked }
    }

    /// 0: nothing is forgotten.
    ///
    /// - Throws: never; other engines read it from the disk.
    public func forgottenZones(in database: Int64) throws -> Int64 { 0 }
}

extension StoreWriter {
    /// Deletes all custom zones of a tenant, one by one.
    ///
    /// - Throws: ``StorageError`` where one cannot be deleted; the write has to be undone then.
    public func deleteCustomZones(of tenant: Tenant) throws {
        for database in try databases(of: tenant) {
            for zone in try zones(in: database) where zone.isTracked { try deleteZone(zone) }
        }
    }
}
