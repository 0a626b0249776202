import RecordModel
import RecordStorage
import RecordWire

/// Coming in by a link: accepting what is shared, or asking for it.
struct ShareEntry {
    private let found: ResolvedLink
    private let user: String
    private let context: CallContext
    private let store: any StoreWriter
    private let keeper: ShareKeeper

    init(_ found: ResolvedLink, user: String, _ context: CallContext, _ store: any StoreWriter) {
        self.found = found
        self.user = user
        self.context = context
        self.store = store
        keeper = ShareKeeper(found.hierarchy, store, now: context.now)
    }

    private var share: ShareRow { found.share }

    /// Makes the user a participant; who is one already stays what they are.
    func accept() throws {
        switch found.standing {
        case .owner, .anybody, .asker: return
        case .participant(var row):
            guard row.status != .accepted else { return }
            // A link for one stays, and is from now on the ordinary link for everybody else.
            row.user = user
            if row.role == .visitor { row.permission = share.publicPermission }
            try enter(row)
        case .visitor:
            let rows = try store.participants(ofShare: share.name, in: share.zone)
            guard
                rows.count(where: { $0.role == .visitor && $0.status == .accepted }) < Limits.visitorsPerShare
            else {
                throw ServiceError(
                    exceeding: "visitorsPerShare",
                    "\(Limits.visitorsPerShare) people have come in by the link of this share; no more are let in."
                )
            }
            var row =
                rows.first { $0.user == user }
                ?? ParticipantRow(
                    zone: share.zone, share: share.name, id: "user-\(user)", database: share.database,
                    user: user, address: nil, permission: .none, status: .invited, addedAt: context.now,
                    since: 0)
            row.role = .visitor
            row.permission = share.publicPermission
            try enter(row)
        }
    }

    private func enter(_ participant: ParticipantRow) throws {
        var row = participant
        row.status = .accepted
        row.since = try store.nextSequence()
        try store.put(row)
        try noteChange()
    }

    /// Does not come in, or leaves: the owner goes on seeing who was invited, and the link lets them come back.
    func decline() throws {
        guard case .participant(var row) = found.standing, !row.isForWhoeverOpens else { return }
        switch row.status {
        case .invited:
            try store.deleteInvitations(of: row)
            row.user = user
            row.status = .unsubscribed
            row.since = try store.nextSequence()
            try store.put(row)
        case .accepted: try keeper.lose(row, share, as: .unsubscribed)
        case .removed, .unsubscribed, .requested, .blocked: return
        }
        try noteChange()
    }

    /// Notes that the user wants to be let in.
    ///
    /// - Returns: what is wrong with that, as far as the user may know.
    func request() throws -> ServiceError? {
        switch found.standing {
        case .owner, .participant, .visitor:
            var error = ServiceError(
                .exists, "You take part in this share already, or are invited to it.", remedy: "Accept it.")
            error.nativeCode = NativeCode.participantAlreadyInvited
            return error
        case .anybody: return nil
        case .asker: break
        }
        let rows = try store.participants(ofShare: share.name, in: share.zone)
        guard share.options.contains(.takesRequests),
            rows.count(where: { $0.status == .requested }) < Limits.requestersPerShare
        else { return nil }
        let address = try ResolvedLink.address(of: user, context.tenant, store)
        var row =
            rows.first { $0.user == user }
            ?? ParticipantRow(
                zone: share.zone, share: share.name, id: "user-\(user)", database: share.database, user: user,
                address: address, permission: .none,
                status: .removed, addedAt: context.now, since: 0)
        guard row.status == .removed else { return nil }
        row.status = .requested
        try store.put(row)
        try noteChange()
        return nil
    }

    /// Gives the share's record a new version, so that everybody's feed tells of the change.
    private func noteChange() throws {
        try keeper.retag(share)
        try keeper.finish()
    }
}

extension ShareKeeper {
    /// Gives a share's record a new version without a change of its values.
    func retag(_ share: ShareRow) throws {
        noteChange(of: share)
        guard let row = try store.record(named: share.name, in: zone.id) else { return }
        let sequence = try store.nextSequence()
        try store.retag(
            row, in: zone, sequence: sequence,
            body: try RecordBody.retagged(row.body, ChangeTag.text(sequence)))
    }
}
