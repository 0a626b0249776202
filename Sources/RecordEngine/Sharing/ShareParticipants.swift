import RecordModel
import RecordStorage
import RecordWire

/// The participants of one share, while a request changes them.
struct ShareParticipants {
    let scope: ModifyScope
    let share: ShareRow
    /// The version of the share's record with which the change is.
    let sequence: Int64

    private var store: any StoreWriter { scope.store }
    private var context: CallContext { scope.context }

    /// Makes the list what the terms say.
    ///
    /// - Throws: `BAD_REQUEST` where the list changes while everybody who has the link is let in; `StorageError`.
    func apply(_ terms: ShareTerms) throws {
        if let participants = terms.participants { try replace(by: participants) }
        let named = terms.denied + terms.blocked + terms.unblocked
        guard !named.isEmpty else { return }
        for row in try store.participants(ofShare: share.name, in: share.zone) {
            if row.isAmong(terms.blocked) {
                try block(row)
            } else if row.status == .requested, row.isAmong(terms.denied) {
                try forget(row)
            } else if row.status == .blocked, row.isAmong(terms.unblocked) {
                try forget(row)
            }
        }
    }

    /// Forgets somebody who has no part in the share; that they once had one, their feeds still have to tell.
    private func forget(_ row: ParticipantRow) throws {
        guard row.lost > 0 else { return try store.delete(row) }
        var row = row
        row.status = .removed
        try store.put(row)
    }

    private func block(_ row: ParticipantRow) throws {
        guard row.user != nil else { return try store.delete(row) }
        try store.deleteInvitations(of: row)
        try scope.shares.lose(row, share, as: .blocked)
    }

    /// Checks whether the list may become what the terms say, before anything is written.
    ///
    /// - Throws: as ``apply(_:)``.
    func check(_ terms: ShareTerms) throws {
        if let participants = terms.participants { _ = try changes(to: participants) }
    }

    private func replace(by participants: [ParticipantDictionary]) throws {
        for change in try changes(to: participants) { try change() }
    }

    /// What is to be done so that the list becomes another one.
    private func changes(to participants: [ParticipantDictionary]) throws -> [() throws -> Void] {
        let rows = try store.participants(ofShare: share.name, in: share.zone)
        var kept: Set<ExactText> = []
        var changes: [() throws -> Void] = []
        var names: Set<ExactText> = []
        for participant in participants {
            guard participant.role != .owner, participant.userRecordName != context.database.owner else {
                continue
            }
            if let row = rows.first(where: { $0.isOf(participant) && !kept.contains(ExactText($0.id)) }) {
                kept.insert(ExactText(row.id))
                if let change = change(of: row, to: participant) { changes.append(change) }
            } else {
                let row = invitee(participant)
                // Two of one request with the same identifier are one.
                guard names.insert(ExactText(row.id)).inserted else { continue }
                changes.append { try add(row) }
            }
        }
        for row in rows where !kept.contains(ExactText(row.id)) && row.isListed {
            changes.append { try remove(row) }
        }
        guard changes.isEmpty || share.publicPermission == .none else {
            throw ServiceError(
                .badRequest, "Participants can be changed only while 'publicPermission' is NONE.",
                remedy: "Everybody who has the link is let in: set 'publicPermission' to NONE first.")
        }
        return changes
    }

    private func change(of row: ParticipantRow, to participant: ParticipantDictionary) -> (() throws -> Void)?
    {
        var changed = row
        if let permission = participant.permission?.stored { changed.permission = permission }
        switch participant.role {
        case .administrator: changed.role = .administrator
        case .user where row.role == .administrator: changed.role = .user
        default: break
        }
        // Whoever asked is approved by being added, and whoever was put out or left is invited again.
        switch row.status {
        case .requested:
            changed.status = .invited
            changed.isApproved = true
        case .removed, .blocked: changed.status = .invited
        case .unsubscribed where participant.status == .invited: changed.status = .invited
        default: break
        }
        guard changed != row else { return nil }
        return {
            changed.since = try store.nextSequence()
            // Nothing is left of what somebody may not even read.
            if changed.status == .accepted, changed.permission == .none, row.permission != .none {
                changed = try scope.shares.lose(row, share, as: .accepted)
                changed.permission = .none
            }
            try store.put(changed)
            if row.status != .invited { scope.shares.noteInvitation(of: changed) }
        }
    }

    private func invitee(_ participant: ParticipantDictionary) -> ParticipantRow {
        let lookup = participant.lookup
        return ParticipantRow(
            zone: share.zone, share: share.name,
            id: participant.participantID
                ?? TimeOrderedName.make(now: context.now, random: scope.environment.random(10)),
            database: share.database, user: participant.userRecordName ?? lookup?.userRecordName,
            address: lookup?.emailAddress.map { MailAddress($0)?.text ?? $0 } ?? lookup?.phoneNumber,
            role: participant.role == .administrator ? .administrator : .user,
            permission: participant.permission?.stored ?? .read, status: .invited, addedAt: context.now,
            since: sequence)
    }

    private func add(_ row: ParticipantRow) throws {
        try store.put(row)
        scope.shares.noteInvitation(of: row)
        guard row.isForWhoeverOpens else { return }
        let link = LinkCode.forOne(row, scope.secret)
        try store.put(
            InvitationRow(
                digest: LinkCode.digest(link), tenant: context.tenant, zone: share.zone, share: share.name,
                participant: row.id, createdAt: context.now))
    }

    private func remove(_ row: ParticipantRow) throws {
        try store.deleteInvitations(of: row)
        // Somebody who never came in leaves nothing; of others the feeds still have to tell.
        guard row.status == .accepted || row.lost > 0 else { return try store.delete(row) }
        try scope.shares.lose(row, share, as: .removed)
    }
}

extension ParticipantRow {
    /// Whether a dictionary of a request means this participant.
    func isOf(_ participant: ParticipantDictionary) -> Bool {
        if let identifier = participant.participantID, identifier.isExactly(id) { return true }
        if let name = participant.userRecordName ?? participant.lookup?.userRecordName { return name == user }
        if let text = participant.lookup?.emailAddress { return (MailAddress(text)?.text ?? text) == address }
        if let text = participant.lookup?.phoneNumber { return text == address }
        return false
    }

    /// Whether a list has the participant's identifier or user.
    func isAmong(_ names: [String]) -> Bool {
        names.contains { $0.isExactly(id) || user != nil && $0 == user }
    }
}
