import RecordModel
import RecordStorage
import RecordWire

/// What a link leads to, as far as somebody may know: the one place where it is decided who sees what is behind a link.
struct ResolvedLink {
    /// What the caller is to the share.
    enum Standing {
        /// Whose zone it is.
        case owner
        /// Somebody who was invited: by name, by address, or by the one link for whoever opens it.
        case participant(ParticipantRow)
        /// Somebody whom the link lets in, since the share is open to everybody who has it.
        case visitor
        /// Somebody who may look without an account.
        case anybody
        /// Somebody who sees what the share is and may ask to be let in.
        case asker
    }

    let zone: ZoneRow
    let database: DatabaseID
    let share: ShareRow
    /// The record that the link leads to: the root, or one below it; the share's own for a zone.
    let target: String
    let hierarchy: ShareHierarchy
    let standing: Standing

    /// Finds what a link leads to.
    ///
    /// - Returns: nil for a link that leads nowhere, or nowhere that the caller may know of.
    static func find(_ link: String, _ context: CallContext, _ reader: any StoreReader) throws
        -> ResolvedLink?
    {
        let digest = LinkCode.digest(link)
        let row = try reader.shareLink(digest: digest)
        let invitation = try reader.invitation(digest: digest)
        guard let number = row?.zone ?? invitation?.zone, let name = row?.name ?? invitation?.share,
            row?.tenant ?? invitation?.tenant == context.tenant,
            let zone = try reader.zone(numbered: number), !zone.isDeleted,
            let database = try reader.keyedDatabase(numbered: zone.database)?.id, database.owner != nil
        else { return nil }
        let hierarchy = try ShareHierarchy(zone: zone, reader)
        let share = try invitation == nil ? hierarchy.share(of: name) : hierarchy.share(named: name)
        guard let share, !share.hasEnded(at: context.now) else { return nil }
        let target = invitation == nil ? name : share.root ?? share.name
        guard
            let standing = try standing(
                of: context, share, owner: database.owner ?? "", invitation, reader)
        else { return nil }
        return ResolvedLink(
            zone: zone, database: database, share: share, target: target, hierarchy: hierarchy,
            standing: standing)
    }

    private static func standing(
        of context: CallContext, _ share: ShareRow, owner: String, _ invitation: InvitationRow?,
        _ reader: any StoreReader
    ) throws -> Standing? {
        guard case .user(let name) = context.caller else {
            return try share.isShownToEverybody(in: context.tenant, reader) ? .anybody : nil
        }
        if name == owner { return .owner }
        let rows = try reader.participants(ofShare: share.name, in: share.zone)
        let own = rows.first { $0.user == name }
        switch own?.status {
        // Whoever came in by an open link comes back by it as long as it is open.
        case .unsubscribed where own?.role == .visitor && share.publicPermission == .none: break
        case .accepted, .invited, .unsubscribed: if let own { return .participant(own) }
        case .blocked: return nil
        case .requested, .removed, nil: break
        }
        if let invitation,
            let row = rows.first(where: { $0.id.isExactly(invitation.participant) && $0.isForWhoeverOpens })
        {
            return .participant(row)
        }
        if let address = try address(of: name, context.tenant, reader),
            let row = rows.first(where: { $0.user == nil && $0.address == address && $0.status == .invited })
        {
            return .participant(row)
        }
        if share.publicPermission != .none { return .visitor }
        let mayAsk = share.options.contains(.takesRequests) || share.options.contains(.letsAnyoneResolve)
        return mayAsk ? .asker : nil
    }

    /// The mail address of a user's account, where it has one.
    static func address(of user: String, _ tenant: Tenant, _ reader: any StoreReader) throws -> String? {
        guard let account = try reader.user(named: user, of: tenant)?.account,
            let row = try reader.account(account), let address = MailAddress(row.address), address.isReachable
        else { return nil }
        return address.text
    }

    /// Those who were invited by an address that no account has yet, with what is left of the addresses.
    static func potentialMatches(
        _ link: String, _ context: CallContext, _ reader: any StoreReader
    ) throws -> [(id: String, address: String)] {
        guard case .user = context.caller, let row = try reader.shareLink(digest: LinkCode.digest(link)),
            row.tenant == context.tenant, let zone = try reader.zone(numbered: row.zone), !zone.isDeleted,
            let share = try ShareHierarchy(zone: zone, reader).share(of: row.name),
            !share.hasEnded(at: context.now)
        else { return [] }
        return try reader.participants(ofShare: share.name, in: share.zone).compactMap { participant in
            guard participant.status == .invited, participant.user == nil, let address = participant.address,
                try reader.account(withAddress: address) == nil
            else { return nil }
            return (participant.id, Self.masked(address))
        }
    }

    /// The first letter of an address and its domain; of a number the last digits.
    private static func masked(_ address: String) -> String {
        guard let at = address.firstIndex(of: "@") else { return "•••" + address.suffix(2) }
        return address.prefix(1) + "•••" + address[at...]
    }

    /// The context of requests about what the link leads to: the owner's database, with the caller's access.
    func context(_ context: CallContext) -> CallContext {
        var entered = context
        entered.database = database
        entered.scope = .shared
        switch standing {
        case .owner: entered.scope = .private
        case .anybody: entered.access = ZoneAccess(zone: zone, visitor: .anybody(share: share.name))
        case .participant, .visitor, .asker:
            entered.access = ZoneAccess(
                zone: zone, visitor: .participant(context.caller.userRecordName))
        }
        return entered
    }

    /// Whether the caller sees the record that the link leads to, and not only what the share is.
    var showsRecord: Bool { if case .asker = standing { false } else { true } }
}
