internal import RecordModel

/// What is shared, with whom, and by which links.
extension Catalogue {
    package static let shares = StoreTable<ShareRow>(
        "share", key: 2,
        [
            .init("zone", \.zone), .init("name", \.name), .init("database", \.database),
            .init("root", \.root), .init("public_permission", \.publicPermission),
            .init("takes_requests", \.takesRequests), .init("created_at", \.createdAt),
        ], indexes: [["database"], ["zone", "root"]],
        blank: ShareRow(zone: 0, name: "", database: 0, root: nil, createdAt: 0))

    package static let participants = StoreTable<ParticipantRow>(
        "participant", key: 3,
        [
            .init("zone", \.zone), .init("share", \.share), .init("id", \.id), .init("database", \.database),
            .init("user", \.user), .init("address", \.address), .init("permission", \.permission),
            .init("status", \.status), .init("since", \.since),
        ], indexes: [["user", "database"], ["address"]],
        blank: ParticipantRow(
            zone: 0, share: "", id: "", database: 0, user: nil, address: nil, permission: .none,
            status: .invited, since: 0))

    package static let shareLinks = StoreTable<ShareLinkRow>(
        "share_link", key: 1,
        [
            .init("digest", \.digest), .init("tenant", \.tenant), .init("zone", \.zone),
            .init("share", \.share), .init("ends_at", \.endsAt),
        ], indexes: [["zone", "share"]]
    ) { ShareLinkRow(digest: [], tenant: $0, zone: 0, share: "") }

    package static let invitations = StoreTable<InvitationRow>(
        "invitation", key: 1,
        [
            .init("digest", \.digest), .init("tenant", \.tenant), .init("zone", \.zone),
            .init("share", \.share), .init("participant", \.participant), .init("created_at", \.createdAt),
            .init("ends_at", \.endsAt),
        ], indexes: [["zone", "share"], ["ends_at"]]
    ) {
        InvitationRow(
            digest: [], tenant: $0, zone: 0, share: "", participant: "", createdAt: 0, endsAt: 0)
    }

    /// The tables that came with sharing, in the order in which layouts make them.
    package static let sharing = [shares.shape, participants.shape, shareLinks.shape, invitations.shape]
}

extension ShareRow.Permission: ColumnCoding {}
extension ParticipantRow.Status: ColumnCoding {}
