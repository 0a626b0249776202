import RecordModel
import RecordStorage

extension RecordService {
    /// How many rows are looked at in one read, and forgotten in one write.
    private static let rowsPerSlice = 500

    /// Forgets what was shared once and is shared no more: what left a share, and who took part in one that ended, once no token of a
    /// client is from before that (`Limits.deletionSeconds`); and links whose records are gone.
    ///
    /// - Throws: `StorageError` where the store cannot be read or written; `CancellationError` between two slices.
    public func sweepShares() async throws {
        let now = environment.now()
        let end = SharedChanges.Place.forgotten(at: now)
        try await forgetParticipants(before: end, at: now)
        try await forgetDepartures(before: end)
        try await forgetLinks()
    }

    /// Forgets who took part in shares that are no more. How long that is ago their first sweep notes, as a departure of their own.
    private func forgetParticipants(before end: Int64, at now: Int64) async throws {
        var last: ParticipantRow?
        repeat {
            try Task.checkCancellation()
            let (rows, ended) = try await store.read(.short) { [last] reader in
                let rows = try reader.participants(after: last, limit: Self.rowsPerSlice)
                return (rows, try rows.filter { try reader.share(named: $0.share, in: $0.zone) == nil })
            }
            last = rows.last
            guard !ended.isEmpty else { continue }
            try await store.write { store in
                for row in ended { try Self.forget(row, before: end, at: now, store) }
            }
        } while last != nil
    }

    private static func forget(
        _ row: ParticipantRow, before end: Int64, at now: Int64, _ store: any StoreWriter
    ) throws {
        // A share may have been made of the same name meanwhile.
        guard try store.share(named: row.share, in: row.zone) == nil else { return }
        guard let user = row.user, row.since > 0 else { return try store.delete(row) }
        guard let seen = try store.departure(in: row.zone, at: row.since) else {
            return try store.insert(
                DepartureRow(
                    zone: row.zone, sequence: row.since, share: row.share, user: user, name: row.share,
                    type: 0, at: now))
        }
        if seen.at < end { try store.delete(row) }
    }

    private func forgetDepartures(before end: Int64) async throws {
        while true {
            try Task.checkCancellation()
            let old = try await store.read(.short) {
                try $0.departures(before: end, limit: Self.rowsPerSlice)
            }
            guard let last = old.last else { return }
            try await store.write { try $0.deleteDepartures(before: min(end, last.at + 1)) }
        }
    }

    private func forgetLinks() async throws {
        var last: [UInt8] = []
        while true {
            try Task.checkCancellation()
            let (links, dead) = try await store.read(.short) { [last] reader in
                let links = try reader.shareLinks(after: last, limit: Self.rowsPerSlice)
                return (links, try links.filter { try !Self.leads($0, reader) })
            }
            guard let end = links.last else { return }
            last = end.digest
            guard !dead.isEmpty else { continue }
            try await store.write { store in
                for link in dead where try !Self.leads(link, store) {
                    try store.deleteShareLink(digest: link.digest)
                }
            }
        }
    }

    /// Whether a link leads to a record that is there.
    private static func leads(_ link: ShareLinkRow, _ reader: any StoreReader) throws -> Bool {
        guard let zone = try reader.zone(numbered: link.zone), !zone.isDeleted else { return false }
        return try reader.origin(ofRecordNamed: link.name, in: link.zone) != nil
    }
}
