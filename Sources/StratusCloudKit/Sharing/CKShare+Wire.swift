internal import Foundation
internal import RecordModel
internal import RecordWire

extension CKShare {
    /// What a save says of the share, and what it was made from.
    struct Sent: Sendable {
        let terms: ShareTerms
        let settings: Settings
        let decisions: Decisions
        /// The root record of a share that is new; nil for all others.
        let newRootID: CKRecord.ID?
        /// The version of that record as far as the share knows it.
        let rootTag: String?

        /// What a request says, given which records it saves.
        ///
        /// A root record that is saved with the share gets its new version with it, so no version is named.
        func terms(besides recordIDs: Set<CKRecord.ID>) -> ShareTerms {
            guard let newRootID else { return terms }
            var terms = terms
            terms.root = (newRootID.recordName, recordIDs.contains(newRootID) ? nil : rootTag)
            return terms
        }

        /// Why the share cannot be saved, given which records are saved with it; nil where it can.
        func refusal(of shareID: CKRecord.ID, besides recordIDs: Set<CKRecord.ID>, in scope: CKDatabase.Scope)
            -> CKError?
        {
            if scope == .public {
                return CKError(
                    .badDatabase, "The share '\(shareID.recordName)' cannot be saved in the public database.",
                    remedy: "Share records of a custom zone of the private database.")
            }
            guard let newRootID else { return nil }
            if newRootID.zoneID != shareID.zoneID {
                return CKError(
                    .invalidArguments,
                    "The share '\(shareID.recordName)' is not in the zone of its root record "
                        + "'\(newRootID.recordName)'.",
                    remedy: "Give the share an ID in the zone of the root record.")
            }
            guard rootTag == nil, !recordIDs.contains(newRootID) else { return nil }
            return CKError(
                .invalidArguments,
                "The share '\(shareID.recordName)' is saved without its root record "
                    + "'\(newRootID.recordName)', which was never saved.",
                remedy: "Save the two in one operation.")
        }
    }

    /// What a save of the share says now: whatever changed since the share was fetched or saved.
    func toSend(isNew: Bool) -> Sent {
        let terms = currentTerms
        let settings = terms.settings
        let saved = isNew ? nil : terms.saved
        var sent = ShareTerms()
        if saved?.publicPermission != settings.publicPermission {
            sent.publicPermission = settings.publicPermission.wire
        }
        // The service makes the user the owner of a new share.
        let participants = isNew ? settings.participants.filter { $0.role != .owner } : settings.participants
        if saved.map({ $0.participants != settings.participants }) ?? !participants.isEmpty {
            sent.participants = participants
        }
        if (saved?.allowsAccessRequests ?? false) != settings.allowsAccessRequests {
            sent.deniesAccessRequests = !settings.allowsAccessRequests
        }
        sent.denied = terms.decisions.denied
        sent.blocked = terms.decisions.blocked
        sent.unblocked = terms.decisions.unblocked
        return Sent(
            terms: sent, settings: settings, decisions: terms.decisions,
            newRootID: isNew ? terms.rootRecordID : nil, rootTag: rootChangeTag)
    }

    /// Takes over what the service says of the share after it was saved.
    ///
    /// What was set again while the request was on its way stays as it was set.
    func adoptSaved(_ wire: ShareDictionary, sent: Sent) {
        let title = snapshot.base[SystemFieldKey.title]?.text
        changeTerms { terms in
            let now = terms.settings
            var answered = Terms(wire, rootRecordID: terms.rootRecordID, title: title)
            if now.publicPermission != sent.settings.publicPermission {
                answered.publicPermission = terms.publicPermission
            }
            if now.participants != sent.settings.participants { answered.participants = terms.participants }
            if now.allowsAccessRequests != sent.settings.allowsAccessRequests {
                answered.allowsAccessRequests = terms.allowsAccessRequests
            }
            answered.decisions = terms.decisions.without(sent.decisions)
            terms = answered
        }
        noteSaved()
    }
}

extension CKShare.Terms {
    /// What an answer says of a share.
    ///
    /// - Parameter title: the title of the share, which people see in its address.
    init(_ wire: ShareDictionary, rootRecordID: CKRecord.ID?, title: String?) {
        self.init(rootRecordID: rootRecordID)
        let known = wire.participants.map(CKShare.Participant.init)
        // An answer without an owner is no answer of ours: the user is taken for the owner then.
        participants = known.contains { $0.role == .owner } ? known : participants + known
        currentUserParticipantID = wire.currentUserParticipantID
        publicPermission = CKShare.ParticipantPermission(wire.publicPermission)
        allowsAccessRequests = !wire.deniesAccessRequests
        url = wire.webpageURL.flatMap { ShareURL.titled($0, title: title) }
        oneTimeURLs = wire.oneTimeLinks.compactMapValues { ShareURL.titled($0, title: title) }
        requesters = wire.requesters.map {
            CKShare.AccessRequester(
                userIdentity: CKUserIdentity($0), requestID: $0.participantID ?? $0.userRecordName)
        }
        blockedIdentities = wire.blocked.map {
            CKShare.BlockedIdentity(
                userIdentity: CKUserIdentity($0), requestID: $0.participantID ?? $0.userRecordName)
        }
        saved = settings
    }
}

extension CKShare.Decisions {
    /// Those that were made after others were sent.
    fileprivate func without(_ sent: CKShare.Decisions) -> CKShare.Decisions {
        CKShare.Decisions(
            denied: denied.filter { !sent.denied.contains($0) },
            blocked: blocked.filter { !sent.blocked.contains($0) },
            unblocked: unblocked.filter { !sent.unblocked.contains($0) })
    }
}

extension RecordValue {
    /// The text of a field that has one.
    var text: String? {
        if case .field(.string(let text)) = self { text } else { nil }
    }
}
