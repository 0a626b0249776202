import RecordModel
import RecordStorage

/// What somebody takes part in of one database of somebody else: it decides which of its changes are told there.
///
/// A change of the log is for a participant who is let in by the share that it names, and was before it, or who lost a share by
/// it. Changes of records say nothing here: one outside of what is shared must not even be noticed.
struct SharedAudience: Hashable, Sendable {
    /// The participant's record name.
    let user: String
    /// The record name of the database's owner.
    let owner: String
    /// What the participant is to the shares of the database.
    let participations: [ParticipantRow]

    /// What a user takes part in, or took part in, by the numbers of the databases.
    ///
    /// - Throws: `StorageError`.
    static func all(
        of user: String, in tenant: Tenant, _ reader: any StoreReader
    ) throws -> [Int64: SharedAudience] {
        let rows = try reader.participations(ofUser: user, of: tenant).filter { $0.isLetIn || $0.lost > 0 }
        var audiences: [Int64: SharedAudience] = [:]
        for (database, rows) in Dictionary(grouping: rows, by: \.database) {
            guard let owner = try reader.keyedDatabase(numbered: database)?.id.owner, owner != user else {
                continue
            }
            audiences[database] = SharedAudience(user: user, owner: owner, participations: rows)
        }
        return audiences
    }

    /// Whether the participant is told of a change.
    func isTold(of change: LoggedChange) -> Bool {
        switch change.kind {
        case .shareLost: change.name.isExactly(user)
        case .shareChanged:
            participations.contains {
                $0.isLetIn && $0.zone == change.zone && $0.share.isExactly(change.name)
                    && $0.since < change.sequence
            }
        case .created, .updated, .deleted, .retagged, .zoneCreated, .zoneDeleted, .typeDeleted: false
        }
    }
}
