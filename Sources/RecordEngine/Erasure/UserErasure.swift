import RecordModel
import RecordStorage
import RecordWire

/// One pass over the records of a user who is gone: the private database is emptied and what it shared ends; in the public one
/// records go or name nobody any more, and in zones of others they name nobody.
///
/// Rows are looked at some hundred at a time and changed some at a time, in both cases with a bound on their bytes: so a
/// database of any size holds up nobody. It needs no index, since each look is at rows that follow each other. Nor does it open
/// what is sealed: what a lost key has closed can be removed, too.
struct UserErasure: Sendable {
    let store: any RecordStore
    let row: ErasureRow

    private static let rowsPerRead = 500
    private static let zonesPerRead = 100
    private static let recordsPerWrite = 100
    private static let bytesPerWrite = 1 << 20

    /// A record that may have to be changed.
    private struct Found: Sendable {
        var name: String
        var bytes: Int
    }

    func run() async throws -> Erasures.Report {
        var report = try await leaveOthers()
        report += try await emptyPrivateDatabase()
        let database = DatabaseID(tenant: row.tenant, owner: nil)
        let zone = try await store.read(.short) { reader in
            try reader.database(database).flatMap { try reader.zone(named: ZoneID.defaultName, in: $0) }
        }
        guard let zone else { return report }
        try await forgetDeletedVersions(in: zone)
        // Every record that names the user somewhere is looked at; most name others.
        let search = ByteSearch(bytes: Array(row.user.utf8))
        try await forEachSlice(of: zone, where: { search.isFound(in: $0) }) { names in
            report += try await store.write { [row] store in
                let erasure = TraceErasure(store: store, database: database, zone: zone, row: row)
                var report = Erasures.Report()
                for name in names { try erasure.treat(name, &report) }
                return report
            }
        }
        return report
    }

    // MARK: What others shared

    /// Takes the user's name out of what others shared with them, and the user out of the lists of those who take part: in this
    /// order, since these lists say where to look.
    private func leaveOthers() async throws -> Erasures.Report {
        var report = Erasures.Report()
        let zones = try await store.read(.short) { [row] reader in
            try Set(reader.participations(ofUser: row.user, of: row.tenant).map(\.zone)).sorted()
        }
        for number in zones {
            let found = try await store.read(.short) { reader -> (ZoneRow, DatabaseID)? in
                guard let zone = try reader.zone(numbered: number), !zone.isDeleted,
                    let database = try reader.keyedDatabase(numbered: zone.database)?.id
                else { return nil }
                return (zone, database)
            }
            if let (zone, database) = found {
                report += try await takeOutName(of: zone, in: database)
            }
            try await store.write { [row] store in
                try Self.leave(number, in: found?.1, row.user, SealedStore.base(of: store))
            }
        }
        return report
    }

    private func takeOutName(of zone: ZoneRow, in database: DatabaseID) async throws -> Erasures.Report {
        var report = Erasures.Report()
        let search = ByteSearch(bytes: Array(row.user.utf8))
        try await forEachSlice(of: zone, where: { search.isFound(in: $0) }) { names in
            report += try await store.write { [row] store in
                guard let zone = try store.zone(numbered: zone.id), !zone.isDeleted else {
                    return Erasures.Report()
                }
                let shares = try ShareKeeper(of: zone, in: database, store, now: row.createdAt)
                let erasure = TraceErasure(
                    store: store, database: database, zone: zone, row: row, shares: shares)
                var report = Erasures.Report()
                for name in names { try erasure.treat(name, &report) }
                try shares.finish()
                return report
            }
        }
        return report
    }

    /// Forgets what a user was to the shares of a zone, of which its owner and the others learn.
    private static func leave(
        _ number: Int64, in database: DatabaseID?, _ user: String, _ store: any StoreWriter
    ) throws {
        try store.deleteDepartures(ofUser: user, in: number)
        let rows = try store.participations(ofUser: user, in: number)
        for row in rows { try store.delete(row) }
        guard let database, let zone = try store.zone(numbered: number), !zone.isDeleted else { return }
        let keeper = try ShareKeeper(of: zone, in: database, store, now: 0)
        for row in rows {
            if let share = try keeper.hierarchy.share(named: row.share) { try keeper.retag(share) }
        }
        try keeper.finish()
    }

    /// Ends what a zone shares, one share in each write: all who take part lose it.
    private func endShares(of zone: ZoneRow, in database: DatabaseID) async throws {
        var isDone = false
        while !isDone {
            try Task.checkCancellation()
            isDone = try await store.write { [row] store in
                // What is sealed need not be opened.
                let store = SealedStore.base(of: store)
                guard let share = try store.shares(in: zone.id, limit: 1).first else { return true }
                let keeper = try ShareKeeper(of: zone, in: database, store, now: row.createdAt)
                try keeper.end(share)
                try keeper.finish()
                return false
            }
        }
    }

    // MARK: The private database

    private func emptyPrivateDatabase() async throws -> Erasures.Report {
        var report = Erasures.Report()
        let id = DatabaseID(tenant: row.tenant, owner: row.user)
        guard let database = try await store.read(.short, { try $0.database(id) }) else { return report }
        var last: String?
        repeat {
            let zones = try await store.read(.short) { [last] reader in
                try reader.zones(in: database, from: last ?? "", limit: Self.zonesPerRead)
                    .filter { $0.name != last }
            }
            last = zones.last?.name
            for zone in zones {
                if zone.isTracked {
                    try await endShares(of: zone, in: id)
                    try await empty(tracked: zone, &report)
                }
                try await forEachSlice(of: zone, where: { _ in true }) { names in
                    report.removed += try await remove(names, from: zone)
                }
                try await forgetVersions(in: zone)
                guard zone.isTracked else { continue }
                try await store.write { store in
                    guard let zone = try store.zone(named: zone.name, in: database) else { return }
                    try store.deleteZone(zone)
                    try store.deleteShareLinks(in: zone.id)
                }
            }
        } while last != nil
        return report
    }

    /// Deletes what a custom zone's change feed names, which needs no look at each type.
    private func empty(tracked zone: ZoneRow, _ report: inout Erasures.Report) async throws {
        var place: Int64 = 0
        while true {
            try Task.checkCancellation()
            let (found, next) = try await store.read(.long) { [place] reader -> ([Found], Int64?) in
                var found: [Found] = []
                var next: Int64?
                var bytes = 0
                let feed = ChangeFeed(
                    zone: zone.id, after: place, tombstonesAfter: .max, limit: Self.rowsPerRead)
                try SealedStore.base(of: reader).changes(feed) { change in
                    next = change.sequence
                    let size = change.body?.count ?? 0
                    if change.body != nil { found.append(Found(name: change.name, bytes: size)) }
                    bytes += size
                    return bytes < Limits.answerBytes
                }
                return (found, next)
            }
            guard let next else { return }
            place = next
            for names in Self.slices(of: found) { report.removed += try await remove(names, from: zone) }
        }
    }

    /// Forgets what a private zone's records were, a part at a time.
    private func forgetVersions(in zone: ZoneRow) async throws {
        let first = VersionGroup(zone: zone.id - 1, type: .max, end: .returned)
        while true {
            try Task.checkCancellation()
            let groups = try await store.read(.short) { try $0.versionGroups(after: first, limit: 100) }
                .filter { $0.zone == zone.id }
            guard !groups.isEmpty else { return }
            for group in groups {
                while try await !store.write({ try $0.forgetVersions(of: group, endedBefore: .max) }) {}
            }
        }
    }

    /// Forgets what public records were that the user made or deleted and that are not there any more.
    private func forgetDeletedVersions(in zone: ZoneRow) async throws {
        let types = try await store.read(.short) { [row] in
            try $0.schema(of: row.tenant).types.values.map(\.id)
        }
        for type in types.sorted() {
            var last: Int64?
            repeat {
                try Task.checkCancellation()
                let versions = try await store.read(.long) { [last] reader in
                    try SealedStore.base(of: reader).deletedVersions(
                        ofType: type, in: zone.id, before: last, limit: Self.rowsPerRead)
                }
                last = versions.last?.id
                let names = Set(
                    versions.filter { $0.createdBy == row.user || $0.endedBy == row.user }.map(\.name))
                guard !names.isEmpty else { continue }
                try await store.write { store in
                    for name in names { try store.forgetVersions(ofRecordNamed: name, in: zone.id) }
                }
            } while last != nil
        }
    }

    private func remove(_ names: [String], from zone: ZoneRow) async throws -> Int {
        try await store.write { store in
            let store = SealedStore.base(of: store)
            var count = 0
            for name in names {
                guard let row = try store.record(named: name, in: zone.id) else { continue }
                try store.delete(row, in: zone, sequence: try store.nextSequence())
                count += 1
            }
            return count
        }
    }

    // MARK: Slices

    /// Walks a zone's records of all types, and has those that are wanted treated, a slice at a time.
    private func forEachSlice(
        of zone: ZoneRow, where isWanted: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool,
        _ treat: ([String]) async throws -> Void
    ) async throws {
        let types = try await store.read(.short) { [row] in try $0.schema(of: row.tenant).types.values }
        for type in types.sorted(by: { $0.id < $1.id }) {
            var position: ScanCursor?
            repeat {
                try Task.checkCancellation()
                let (found, next) = try await store.read(.long) { [position, row] reader in
                    // The type may be gone, or have other fields.
                    guard let type = try reader.schema(of: row.tenant).type(numbered: type.id) else {
                        return ([Found](), ScanCursor?.none)
                    }
                    return try Self.page(of: type, in: zone, after: position, where: isWanted, reader)
                }
                position = next
                for names in Self.slices(of: found) { try await treat(names) }
            } while position != nil
        }
    }

    private static func page(
        of type: RecordType, in zone: ZoneRow, after position: ScanCursor?,
        where isWanted: (UnsafeRawBufferPointer) -> Bool, _ reader: any StoreReader
    ) throws -> (found: [Found], next: ScanCursor?) {
        var found: [Found] = []
        var bytes = 0
        var scan = RecordScan(
            type: type, zones: [zone.id], condition: .constant(true), sort: [], after: position,
            limit: rowsPerRead, mayMakeIndex: false)
        scan.readsNames = true
        let outcome = try SealedStore.base(of: reader).scan(scan) { row in
            guard bytes == 0 || bytes < Limits.answerBytes else { return false }
            bytes += row.body.count
            if isWanted(row.body) {
                // Not by the body, which may be damaged.
                found.append(Found(name: row.name ?? "", bytes: row.body.count))
            }
            return true
        }
        return (found, outcome.next)
    }

    private static func slices(of found: [Found]) -> [[String]] {
        var slices: [[String]] = []
        var bytes = 0
        for record in found {
            let isFull = slices.last?.count == recordsPerWrite || bytes + record.bytes > bytesPerWrite
            if slices.isEmpty || isFull {
                slices.append([])
                bytes = 0
            }
            slices[slices.count - 1].append(record.name)
            bytes += record.bytes
        }
        return slices
    }
}
