public import RecordModel

/// What is shared, with whom, and by which links.
extension Catalogue {
    package static let shares = StoreTable<ShareRow>(
        "share", key: 2,
        [
            .init("zone", \.zone), .init("name", \.name), .init("database", \.database),
            .init("root", \.root), .init("public_permission", \.publicPermission),
            .init("options", \.options), .init("created_at", \.createdAt),
            .init("ends_at", \.endsAt), .init("changed", \.changed), .init("grown", \.grown),
        ], indexes: [["database"], ["zone", "root"]],
        blank: ShareRow(zone: 0, name: "", database: 0, root: nil, createdAt: 0))

    package static let participants = StoreTable<ParticipantRow>(
        "participant", key: 3,
        [
            .init("zone", \.zone), .init("share", \.share), .init("id", \.id), .init("database", \.database),
            .init("user", \.user), .init("address", \.address), .init("role", \.role),
            .init("permission", \.permission), .init("status", \.status), .init("approved", \.isApproved),
            .init("added_at", \.addedAt), .init("since", \.since), .init("lost", \.lost),
        ], indexes: [["user", "zone"], ["address"]],
        blank: ParticipantRow(
            zone: 0, share: "", id: "", database: 0, user: nil, address: nil, permission: .none,
            status: .invited, since: 0))

    package static let departures = StoreTable<DepartureRow>(
        "share_departure", key: 2,
        [
            .init("zone", \.zone), .init("sequence", \.sequence), .init("share", \.share),
            .init("user", \.user), .init("name", \.name), .init("type", \.type), .init("at", \.at),
        ], indexes: [["at"]],
        blank: DepartureRow(zone: 0, sequence: 0, share: "", name: "", type: 0, at: 0))

    package static let shareLinks = StoreTable<ShareLinkRow>(
        "share_link", key: 1,
        [
            .init("digest", \.digest), .init("tenant", \.tenant), .init("zone", \.zone),
            .init("name", \.name),
        ], indexes: [["zone", "name"]]
    ) { ShareLinkRow(digest: [], tenant: $0, zone: 0, name: "") }

    package static let invitations = StoreTable<InvitationRow>(
        "invitation", key: 1,
        [
            .init("digest", \.digest), .init("tenant", \.tenant), .init("zone", \.zone),
            .init("share", \.share), .init("participant", \.participant), .init("created_at", \.createdAt),
        ], indexes: [["zone", "share"]]
    ) { InvitationRow(digest: [], tenant: $0, zone: 0, share: "", participant: "", createdAt: 0) }

    /// The tables that came with sharing, in the order in which layouts make them.
    package static let sharing = [
        shares.shape, participants.shape, departures.shape, shareLinks.shape, invitations.shape,
    ]
}

extension ShareRow.Permission: ColumnCoding {}
extension ShareRow.Options: ColumnCoding {}
extension ParticipantRow.Status: ColumnCoding {}
extension ParticipantRow.Role: ColumnCoding {}

extension StoreReader {
    /// The share of a name in a zone.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func share(named name: String, in zone: Int64) throws -> ShareRow? {
        try row(
            of: Catalogue.shares, where: TableCondition("zone", .equal, zone),
            TableCondition("name", .equal, name))
    }

    /// The share whose root a record is.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func share(ofRoot name: String, in zone: Int64) throws -> ShareRow? {
        try row(
            of: Catalogue.shares, where: TableCondition("zone", .equal, zone),
            TableCondition("root", .equal, name))
    }

    /// The shares of a zone, by name, after one of them.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func shares(in zone: Int64, after name: String = "", limit: Int) throws -> [ShareRow] {
        try rows(
            of: Catalogue.shares,
            TableQuery(
                [TableCondition("zone", .equal, zone)], order: ["name"], after: [name], limit: limit))
    }

    /// The shares of a database.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func shares(ofDatabase database: Int64, limit: Int) throws -> [ShareRow] {
        try rows(
            of: Catalogue.shares,
            TableQuery([TableCondition("database", .equal, database)], order: ["zone", "name"], limit: limit))
    }

    /// The shares of a tenant, the newest first, after one of them.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func shares(
        of tenant: Tenant, after place: SharePlace? = nil, limit: Int
    ) throws -> [ShareRow] {
        var conditions = [TableCondition.inDatabases("database", of: tenant)]
        var found: [ShareRow] = []
        if let place {
            // Those that were made at the same time, then those that were made before.
            found = try rows(
                of: Catalogue.shares,
                TableQuery(
                    conditions + [TableCondition("created_at", .equal, place.createdAt)],
                    order: ["zone", "name"], after: [place.zone, place.name], limit: limit))
            conditions.append(TableCondition("created_at", .less, place.createdAt))
        }
        guard found.count < limit else { return found }
        return try found
            + rows(
                of: Catalogue.shares,
                TableQuery(
                    conditions, order: ["-created_at", "zone", "name"], limit: limit - found.count))
    }

    /// The participants of a share, those added first at the beginning.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func participants(
        ofShare name: String, in zone: Int64, limit: Int? = nil
    ) throws -> [ParticipantRow] {
        try rows(
            of: Catalogue.participants,
            TableQuery(
                [TableCondition("zone", .equal, zone), TableCondition("share", .equal, name)],
                order: ["added_at", "id"], limit: limit))
    }

    /// Whether any share of a zone lets a user in.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func isLetIn(user: String, to zone: Int64) throws -> Bool {
        let rows = try rows(
            of: Catalogue.participants,
            TableQuery(
                [
                    TableCondition("user", .equal, user), TableCondition("zone", .equal, zone),
                    TableCondition("status", .equal, ParticipantRow.Status.accepted),
                    TableCondition("permission", .notEqual, ShareRow.Permission.none),
                ], limit: 1))
        return !rows.isEmpty
    }

    /// What a user is to the shares of a zone.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func participations(ofUser user: String, in zone: Int64) throws -> [ParticipantRow] {
        try rows(
            of: Catalogue.participants,
            TableQuery([TableCondition("user", .equal, user), TableCondition("zone", .equal, zone)]))
    }

    /// What a user is to the shares of a tenant, by zone.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func participations(ofUser user: String, of tenant: Tenant) throws -> [ParticipantRow] {
        try rows(
            of: Catalogue.participants,
            TableQuery(
                [TableCondition("user", .equal, user), .inDatabases("database", of: tenant)],
                order: ["zone", "share"]))
    }

    /// The records that went out of what a zone shares, after a position among its changes.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func departures(in zone: Int64, after sequence: Int64, limit: Int) throws -> [DepartureRow] {
        try rows(
            of: Catalogue.departures,
            TableQuery(
                [TableCondition("zone", .equal, zone)], order: ["sequence"], after: [sequence], limit: limit))
    }

    /// What went at one position of a zone; nil for nothing.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func departure(in zone: Int64, at sequence: Int64) throws -> DepartureRow? {
        try row(
            of: Catalogue.departures, where: TableCondition("zone", .equal, zone),
            TableCondition("sequence", .equal, sequence))
    }

    /// The departures from before a time in milliseconds, the oldest first.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func departures(before time: Int64, limit: Int) throws -> [DepartureRow] {
        try rows(
            of: Catalogue.departures,
            TableQuery([TableCondition("at", .less, time)], order: ["at"], limit: limit))
    }

    /// The participants of all shares, after one of them.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func participants(after last: ParticipantRow?, limit: Int) throws -> [ParticipantRow] {
        try rows(
            of: Catalogue.participants,
            TableQuery(
                order: ["zone", "share", "id"], after: last.map { [$0.zone, $0.share, $0.id] } ?? [],
                limit: limit))
    }

    /// The links to records, in the order of their digests, after one of them.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func shareLinks(after digest: [UInt8], limit: Int) throws -> [ShareLinkRow] {
        try rows(of: Catalogue.shareLinks, TableQuery(order: ["digest"], after: [digest], limit: limit))
    }

    /// Where a link leads.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func shareLink(digest: [UInt8]) throws -> ShareLinkRow? {
        try row(of: Catalogue.shareLinks, where: TableCondition("digest", .equal, digest))
    }

    /// The participant that a link is for.
    ///
    /// - Throws: ``StorageError`` where it cannot be read.
    public func invitation(digest: [UInt8]) throws -> InvitationRow? {
        try row(of: Catalogue.invitations, where: TableCondition("digest", .equal, digest))
    }
}

extension StoreWriter {
    /// Stores a share, in the place of the one of its name.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func put(_ share: ShareRow) throws { try put(share, into: Catalogue.shares) }

    /// Notes the last change of what a share opens.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func noteChange(at sequence: Int64, ofShare name: String, in zone: Int64) throws {
        try update(
            Catalogue.shares, set: [("changed", sequence)], where: TableCondition("zone", .equal, zone),
            TableCondition("name", .equal, name))
    }

    /// Forgets a share and its invitations; its participants stay.
    ///
    /// - Throws: ``StorageError`` where it cannot be removed.
    public func deleteShare(named name: String, in zone: Int64) throws {
        try remove(
            from: Catalogue.shares, where: TableCondition("zone", .equal, zone),
            TableCondition("name", .equal, name))
        try remove(
            from: Catalogue.invitations, where: TableCondition("zone", .equal, zone),
            TableCondition("share", .equal, name))
    }

    /// Stores a participant, in the place of the one with the same identifier in the same share.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func put(_ participant: ParticipantRow) throws {
        try put(participant, into: Catalogue.participants)
    }

    /// Forgets a participant, with the link that was for them.
    ///
    /// - Throws: ``StorageError`` where they cannot be removed.
    public func delete(_ participant: ParticipantRow) throws {
        try remove(
            from: Catalogue.participants, where: TableCondition("zone", .equal, participant.zone),
            TableCondition("share", .equal, participant.share), TableCondition("id", .equal, participant.id))
        try deleteInvitations(of: participant)
    }

    /// Ends the link of a participant.
    ///
    /// - Throws: ``StorageError`` where it cannot be removed.
    public func deleteInvitations(of participant: ParticipantRow) throws {
        try remove(
            from: Catalogue.invitations, where: TableCondition("zone", .equal, participant.zone),
            TableCondition("share", .equal, participant.share),
            TableCondition("participant", .equal, participant.id))
    }

    /// Notes that a record went out of what is shared.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func insert(_ departure: DepartureRow) throws {
        try insert(departure, into: Catalogue.departures)
    }

    /// Forgets the departures from before a time in milliseconds.
    ///
    /// - Throws: ``StorageError`` where they cannot be removed.
    public func deleteDepartures(before time: Int64) throws {
        try remove(from: Catalogue.departures, where: TableCondition("at", .less, time))
    }

    /// Forgets what went for one participant alone.
    ///
    /// - Throws: ``StorageError`` where it cannot be removed.
    public func deleteDepartures(ofUser user: String, in zone: Int64) throws {
        try remove(
            from: Catalogue.departures, where: TableCondition("zone", .equal, zone),
            TableCondition("user", .equal, user))
    }

    /// Forgets a link.
    ///
    /// - Throws: ``StorageError`` where it cannot be removed.
    public func deleteShareLink(digest: [UInt8]) throws {
        try remove(from: Catalogue.shareLinks, where: TableCondition("digest", .equal, digest))
    }

    /// Forgets the links to all records of a zone.
    ///
    /// - Throws: ``StorageError`` where they cannot be removed.
    public func deleteShareLinks(in zone: Int64) throws {
        try remove(from: Catalogue.shareLinks, where: TableCondition("zone", .equal, zone))
    }

    /// Notes where a link leads.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func put(_ link: ShareLinkRow) throws { try put(link, into: Catalogue.shareLinks) }

    /// Notes the participant that a link is for.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func put(_ invitation: InvitationRow) throws { try put(invitation, into: Catalogue.invitations) }
}
