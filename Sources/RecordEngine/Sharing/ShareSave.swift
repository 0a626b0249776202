import RecordModel
import RecordStorage
import RecordWire

/// Saving a share: what its record does not say itself is checked and stored beside it.
///
/// The order in which a request has a share and its root decides nothing: shares are saved after all other records.
struct ShareSave {
    let scope: ModifyScope
    let zone: ZoneRow
    /// The name of the share's record.
    let name: String
    let terms: ShareTerms
    /// The share as it was; nil for a new one.
    let existing: ShareRow?

    private var store: any StoreWriter { scope.store }
    private var context: CallContext { scope.context }
    private var keeper: ShareKeeper { scope.shares }

    // MARK: Checking, before anything is written

    /// Checks what can be checked before the share's record is stored.
    ///
    /// - Parameter savesRoot: whether the request itself saves the root.
    /// - Throws: `ServiceError` for what breaks a rule of shares.
    func check(savesRoot: Bool) throws {
        guard context.database.owner != nil, zone.isTracked else {
            throw Self.refusal(
                "Only records of custom zones in private databases can be shared.",
                NativeCode.invalidArguments,
                remedy: "Make a zone with zones/modify, and keep what is to be shared in it.")
        }
        try checkPeople()
        if let existing {
            if let root = terms.root, existing.root.map({ !root.name.isExactly($0) }) ?? true {
                throw Self.refusal(
                    "A share stays that of its record.", NativeCode.invalidArguments,
                    remedy: "Delete the share and make another one.")
            }
        } else if name.isExactly(RecordInput.zoneShareName) {
            try checkZone()
        } else {
            try checkRoot(isSaved: savesRoot)
        }
        try ShareParticipants(scope: scope, share: permitting, sequence: 0).check(terms)
    }

    /// The share as it was, or as it is made, with what everybody may do from now on.
    private var permitting: ShareRow {
        var share =
            existing
            ?? ShareRow(
                zone: zone.id, name: name, database: zone.database, root: terms.root?.name,
                createdAt: context.now)
        if let permission = terms.publicPermission?.stored { share.publicPermission = permission }
        return share
    }

    private func checkZone() throws {
        guard terms.root == nil else {
            throw Self.refusal(
                "The share of a zone has no root record.", NativeCode.invalidArguments,
                remedy: "Leave 'forRecord' out, or give the share another name.")
        }
        guard keeper.hierarchy.isEmpty else {
            throw Self.refusal(
                "Records of the zone are shared by themselves.", NativeCode.invalidArguments,
                remedy: "Stop sharing them before you share the zone.")
        }
    }

    private func checkRoot(isSaved: Bool) throws {
        guard let root = terms.root else {
            throw Self.refusal(
                "The share does not say what it shares.", NativeCode.invalidArguments,
                remedy:
                    "Send 'forRecord' with the root's name and change tag, or name the share '\(RecordInput.zoneShareName)'."
            )
        }
        let shareType = try store.schema(of: context.tenant).types[RecordInput.shareType]?.id
        guard let row = try store.record(named: root.name, in: zone.id), row.type != shareType else {
            throw Self.refusal(
                "The record '\(root.name.prefix(64))', which is to be shared, does not exist.",
                NativeCode.invalidArguments, remedy: "Save it before the share, or in the same request.")
        }
        guard keeper.hierarchy.zoneShare == nil else {
            throw Self.refusal("The record's zone is shared as a whole.", NativeCode.serverRejectedRequest)
        }
        let isShared = try keeper.hierarchy.share(of: root.name) != nil
        guard try !isShared && !isAboveShare(root.name) else {
            throw Self.refusal(
                "The record, or one above or below it, is shared already.", NativeCode.alreadyShared,
                remedy: "Change the share that there is.")
        }
        if !isSaved, let tag = root.changeTag, tag != ChangeTag.text(row.sequence) {
            throw ServiceError(
                .conflict, "client oplock error updating record",
                remedy:
                    "The record that is to be shared was changed: fetch it again, and send its tag in 'forRecord'."
            )
        }
    }

    /// Whether a record is above the root of some share.
    private func isAboveShare(_ name: String) throws -> Bool {
        guard !keeper.hierarchy.isEmpty,
            try !store.referrers(to: name, in: zone.id, action: .validate, limit: 1).isEmpty
        else { return false }
        if let found = try keeper.hierarchy.hasRoot(below: name, atMost: Self.lookedAt) { return found }
        // Very many are below it: the shares are looked at instead, as far as one request may.
        var chain = ParentChain()
        do {
            return try keeper.hierarchy.contains { share in
                try share.root.map { try chain.leads(from: $0, to: name, in: zone, store) } ?? false
            }
        } catch is ServiceError {
            // Which share a record belongs to is certain all the same: that of the next root above it.
            return false
        }
    }

    /// How many records below a new root are looked at one by one.
    private static let lookedAt = 500

    private func checkPeople() throws {
        guard let participants = terms.participants else { return }
        guard participants.count <= Limits.participantsPerShare else {
            var error = ServiceError(
                exceeding: "participantsPerShare",
                "The share has \(participants.count) participants; \(Limits.participantsPerShare) are allowed."
            )
            error.nativeCode = NativeCode.tooManyParticipants
            throw error
        }
        for participant in participants {
            guard participant.permission != .unknown else {
                throw ServiceError(
                    .badRequest, "A participant's permission must be NONE, READ_ONLY or READ_WRITE.")
            }
            let texts = [
                participant.lookup?.emailAddress, participant.lookup?.phoneNumber, participant.userRecordName,
            ]
            guard texts.allSatisfy({ ($0?.utf8.count ?? 0) <= Limits.nameLength }) else {
                throw ServiceError(
                    .badRequest, "What a participant is invited by has \(Limits.nameLength) bytes at most.")
            }
            if let identifier = participant.participantID, !Self.isIdentifier(identifier) {
                throw ServiceError(
                    .badRequest, "'participantId' has 1 to 64 letters, digits, '-' and '_'.",
                    remedy: "Leave it out, and the server makes one.")
            }
        }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x5F: true
                default: false
                }
            }
    }

    private static func refusal(_ reason: String, _ code: Int, remedy: String? = nil) -> ServiceError {
        var error = ServiceError(.badRequest, reason, remedy: remedy)
        error.nativeCode = code
        return error
    }

    // MARK: Storing, once the share's record is

    /// Stores the share, and has its root name it.
    ///
    /// - Parameter sequence: the version of the share's record.
    func run(at sequence: Int64) throws {
        let formerPermission = existing?.publicPermission ?? .none
        var share = permitting
        if let denies = terms.deniesAccessRequests { share.options.set(.takesRequests, !denies) }
        if let shows = terms.showsToEverybody { share.options.set(.showsToEverybody, shows) }
        if let lets = terms.letsAnyoneResolve { share.options.set(.letsAnyoneResolve, lets) }
        if let endsAt = terms.linkEndsAt { share.endsAt = endsAt }
        share.changed = sequence
        try store.put(share)
        keeper.hierarchy.store(share)
        keeper.noteChange(of: share)
        if existing != nil { try settle(share, from: formerPermission) }
        try ShareParticipants(scope: scope, share: share, sequence: sequence).apply(terms)
        if existing == nil, let root = share.root { try link(root, to: share) }
    }

    /// Has those follow whom the link alone lets in.
    private func settle(_ share: ShareRow, from former: ShareRow.Permission) throws {
        guard share.publicPermission != former else { return }
        for var participant in try store.participants(ofShare: share.name, in: zone.id) {
            switch (participant.role, participant.status) {
            case (.visitor, .accepted) where share.publicPermission == .none:
                try keeper.lose(participant, share, as: .removed)
            case (.visitor, .accepted):
                participant.permission = share.publicPermission
                participant.since = try store.nextSequence()
                try store.put(participant)
            // Whoever was invited under other terms is to be invited again.
            case (_, .invited) where terms.participants == nil: try store.delete(participant)
            default: break
            }
        }
    }

    /// Gives the root its link and the name of its share, with a new tag.
    private func link(_ root: String, to share: ShareRow) throws {
        guard let row = try store.record(named: root, in: zone.id) else { return }
        var relations = try RecordBody.relations(of: row.body)
        relations.share = share.name
        if relations.shortGUID == nil { relations.shortGUID = try scope.makeLink(to: root, in: zone) }
        try keeper.relate(
            row, relations, zoneText: JSONWriter.text { $0.zoneDictionary(zone.name, context) })
    }
}

extension ShareRow {
    /// Whether its link is good no more.
    func hasEnded(at now: Int64) -> Bool { endsAt.map { $0 <= now } ?? false }

    /// Whether people without an account may look at it: its owner and the operator both have to allow that.
    func isShownToEverybody(in tenant: Tenant, _ reader: any StoreReader) throws -> Bool {
        // Both are looked up, so that neither takes longer.
        let isAllowed = try reader.signInPolicy(of: tenant)?.showsShares ?? false
        return isAllowed && options.contains(.showsToEverybody)
    }
}

extension ShareRow.Options {
    fileprivate mutating func set(_ option: Self, _ isSet: Bool) {
        if isSet { insert(option) } else { remove(option) }
    }
}

extension ModifyScope {
    /// Makes a link to a record.
    func makeLink(to name: String, in zone: ZoneRow) throws -> String {
        let link = LinkCode.make(random: environment.random(16))
        try store.put(
            ShareLinkRow(digest: LinkCode.digest(link), tenant: context.tenant, zone: zone.id, name: name))
        return link
    }
}
