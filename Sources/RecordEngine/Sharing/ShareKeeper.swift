import RecordModel
import RecordStorage
import RecordWire

/// Keeps what a zone shares in step with its records, in the write that changes them.
///
/// - What leaves a share is noted as a departure, which its participants learn of as a deletion.
/// - Where records come into a share that were made before, it has grown: its participants' feeds begin again.
/// - A share notes its last change, so that participants learn of theirs and of nothing else.
/// - The change log says once for each share what changed of it, and who lost it, for those who wait for notifications.
///
/// One object for a request. A zone that shares nothing costs one look.
final class ShareKeeper {
    let hierarchy: ShareHierarchy
    let store: any StoreWriter
    private let now: Int64
    /// The names of shares of which something changed, with the numbers of the types of their records; 0 for the share as a whole.
    private var changed: [ExactText: Set<Int64>] = [:]
    /// The record names of those who lost something, in this order.
    private var losers: [String] = []
    /// The participants who were invited by a mail address, with their shares.
    var invited: [(share: String, participant: String)] = []

    init(_ hierarchy: ShareHierarchy, _ store: any StoreWriter, now: Int64) {
        self.hierarchy = hierarchy
        self.store = store
        self.now = now
    }

    /// For a zone of a database.
    convenience init(
        of zone: ZoneRow, in database: DatabaseID, _ store: any StoreWriter, now: Int64
    ) throws {
        self.init(
            try ShareHierarchy(zone: zone, isShareable: database.owner != nil, store), store, now: now)
    }

    var zone: ZoneRow { hierarchy.zone }

    /// The share that a record belongs to before it is saved; nil for a new one.
    func share(before existing: RecordRow?) throws -> ShareRow? {
        guard let existing, !hierarchy.isEmpty else { return nil }
        return try hierarchy.share(of: existing.name)
    }

    /// Takes in that a record was saved.
    ///
    /// - Parameters:
    ///   - type: the number of its type.
    ///   - row: the record as it was; nil for a new one.
    ///   - former: the share that it belonged to.
    ///   - isMoved: whether it has another record above it than before.
    func noteSave(
        _ name: String, of type: Int64, replacing row: RecordRow?, from former: ShareRow?, isMoved: Bool
    ) throws {
        guard !hierarchy.isEmpty else { return }
        if isMoved || row == nil { hierarchy.forgetMembers() }
        let present = try isMoved || row == nil ? hierarchy.share(of: name) : former
        if let former { noteChange(of: former, type: type) }
        if let present { noteChange(of: present, type: type) }
        guard let row, former?.name != present?.name else { return }
        let moved = try hierarchy.members(below: name, atMost: Limits.deletedRecordsPerRequest)
        if let former { try depart(moved, of: row, from: former) }
        if let present, moved?.count != 1 { try noteGrowth(of: present) }
    }

    /// Notes that a record and those below it left a share.
    private func depart(_ names: [String]?, of row: RecordRow, from share: ShareRow) throws {
        guard let names else { return try expire(share) }
        for name in names {
            let type = try name == row.name ? row.type : store.origin(ofRecordNamed: name, in: zone.id)?.type
            try note(name, type: type ?? 0, from: share)
        }
    }

    private func note(_ name: String, type: Int64, from share: ShareRow, user: String? = nil) throws {
        try store.insert(
            DepartureRow(
                zone: zone.id, sequence: try store.nextSequence(), share: share.name, user: user, name: name,
                type: type, at: now))
        if user == nil { noteChange(of: share, type: type) }
    }

    /// Has feeds of a share's participants begin again, telling again what they know already.
    func noteGrowth(of share: ShareRow) throws {
        guard var row = try hierarchy.share(named: share.name) else { return }
        row.grown = try store.nextSequence()
        row.changed = row.grown
        try store.put(row)
        hierarchy.store(row)
        noteChange(of: row)
    }

    /// Notes what is about to be deleted.
    func noteDeletions(of rows: [RecordRow]) throws {
        guard !hierarchy.isEmpty else { return }
        let names = Set(rows.map { ExactText($0.name) })
        for row in rows {
            guard let share = try hierarchy.share(named: row.name) else { continue }
            try end(share)
            if let root = share.root, !names.contains(ExactText(root)) { try release(root) }
        }
        guard !hierarchy.isEmpty else { return }
        // All are looked at before the first goes: a record may be deleted before those below it.
        for (row, share) in try rows.map({ ($0, try hierarchy.share(of: $0.name)) }) {
            // Whoever sees the whole zone sees its tombstones.
            guard let share, share.root != nil else {
                if let share { noteChange(of: share, type: row.type) }
                continue
            }
            try note(row.name, type: row.type, from: share)
        }
    }

    /// Records that are about to be deleted, with the shares whose roots they are: these go with them.
    func withSharesOfRoots(_ rows: [RecordRow]) throws -> [RecordRow] {
        guard !hierarchy.isEmpty else { return rows }
        var names = Set(rows.map { ExactText($0.name) })
        let shares = try rows.compactMap { row -> RecordRow? in
            guard let share = try hierarchy.share(ofRoot: row.name),
                names.insert(ExactText(share.name)).inserted
            else { return nil }
            return try store.record(named: share.name, in: zone.id)
        }
        return rows + shares
    }

    /// Has the feeds of all participants of a share begin from nothing: what left it is not known one by one.
    func expire(_ share: ShareRow) throws {
        let sequence = try store.nextSequence()
        for var participant in try store.participants(ofShare: share.name, in: zone.id)
        where participant.status == .accepted {
            participant.lost = sequence
            try store.put(participant)
        }
        noteChange(of: share)
    }

    /// Takes from somebody what a share gave them.
    ///
    /// With nothing else of the zone, the zone is gone for them. Else the share's records are.
    ///
    /// - Returns: the participant as stored.
    @discardableResult
    func lose(_ participant: ParticipantRow, _ share: ShareRow, as status: ParticipantRow.Status) throws
        -> ParticipantRow
    {
        var row = participant
        let wasIn = row.status == .accepted
        row.status = status
        row.since = try store.nextSequence()
        if wasIn, let user = row.user {
            losers.append(user)
            let others = try store.participations(ofUser: user, in: zone.id).contains {
                $0.status == .accepted && $0.share != share.name
            }
            let names =
                try others && share.root != nil
                ? hierarchy.members(below: share.root ?? "", atMost: Limits.deletedRecordsPerRequest) : nil
            if others, let names {
                for name in names + [share.name] {
                    let type = try store.origin(ofRecordNamed: name, in: zone.id)?.type ?? 0
                    try note(name, type: type, from: share, user: user)
                }
            } else {
                row.lost = row.since
            }
        }
        try store.put(row)
        noteChange(of: share)
        return row
    }

    /// Ends a share: everybody loses it, and its root knows of it no more.
    func end(_ share: ShareRow) throws {
        for participant in try store.participants(ofShare: share.name, in: zone.id) {
            if participant.status == .accepted {
                try lose(participant, share, as: .removed)
            } else if participant.since == 0 || participant.lost == 0 {
                try store.delete(participant)
            }
        }
        try store.deleteShare(named: share.name, in: zone.id)
        hierarchy.remove(share)
        changed[ExactText(share.name)] = nil
    }

    /// Ends all shares of the zone, which is about to be deleted.
    func endAll() throws {
        while !hierarchy.isEmpty {
            let shares = try store.shares(in: zone.id, limit: 256)
            guard !shares.isEmpty else { break }
            for share in shares { try end(share) }
        }
        try finish()
    }

    /// Has a record name no share any more, with a new version.
    private func release(_ root: String) throws {
        guard let row = try store.record(named: root, in: zone.id) else { return }
        var relations = try RecordBody.relations(of: row.body)
        relations.share = nil
        try relate(row, relations)
    }

    /// Gives a record other relations and a new version, without a change of its values.
    ///
    /// - Parameter zoneText: the zone as answers name it, where the record has a share.
    func relate(_ row: RecordRow, _ relations: RecordBody.Relations, zoneText: [UInt8] = []) throws {
        assert(relations.share == nil || !zoneText.isEmpty, "A share is named with its zone.")
        let sequence = try store.nextSequence()
        let body = try RecordBody.relating(row.body, relations, zone: zoneText)
        try store.retag(
            row, in: zone, sequence: sequence, body: try RecordBody.retagged(body, ChangeTag.text(sequence)))
    }

    /// Notes that a share itself changed, or records of a type that it opens.
    ///
    /// - Parameter type: the number of the type; 0 for the share as a whole.
    func noteChange(of share: ShareRow, type: Int64 = 0) {
        changed[ExactText(share.name), default: []].insert(type)
    }

    /// Stores when the shares changed last, and what the change log says of it; the end of a request's writing.
    ///
    /// Who takes part is not looked at: those who wait find out for themselves whether they are meant, so a share of a hundred
    /// people costs its writer as much as one of one.
    func finish() throws {
        defer { (changed, losers) = ([:], []) }
        for (name, types) in changed.sorted(by: { $0.key < $1.key }) {
            for type in types.sorted() { try log(.shareChanged, name.text, type: type) }
            try store.noteChange(at: try store.lastSequence(), ofShare: name.text, in: zone.id)
        }
        for user in losers { try log(.shareLost, user, type: 0) }
    }

    private func log(_ kind: LoggedChange.Kind, _ name: String, type: Int64) throws {
        try store.append(
            LoggedChange(
                sequence: try store.nextSequence(), kind: kind, database: zone.database, zone: zone.id,
                zoneName: zone.name, type: type, name: name))
    }
}
