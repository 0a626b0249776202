import RecordModel
import RecordStorage
import RecordWire

/// What answers add to the records of shares: who may do what, and the links, as far as the caller may see them.
///
/// One object for a read or a write; where a zone shares nothing it costs one look.
final class ShareAnswers {
    let hierarchy: ShareHierarchy
    /// What is shared with the caller; nil for the owner.
    let members: ShareMembers?
    private let context: CallContext
    private let reader: any StoreReader
    private let secret: ServiceSecret
    /// The people that were looked up, by record name.
    private var people: [String: UserRow?] = [:]

    convenience init(
        _ context: CallContext, _ zone: ZoneRow, _ reader: any StoreReader, _ secret: ServiceSecret
    ) throws {
        // Without the type of shares nothing is shared: most containers never ask for more.
        let hasShares = try reader.schema(of: context.tenant).types[RecordInput.shareType] != nil
        let hierarchy = try ShareHierarchy(
            zone: zone, isShareable: hasShares && context.database.owner != nil, reader)
        try self.init(context, hierarchy, reader, secret)
    }

    init(
        _ context: CallContext, _ hierarchy: ShareHierarchy, _ reader: any StoreReader,
        _ secret: ServiceSecret
    ) throws {
        self.context = context
        self.hierarchy = hierarchy
        self.reader = reader
        self.secret = secret
        members = try context.access.map { try ShareMembers($0, hierarchy, reader) }
    }

    /// What the answer of a record adds after its zone; nil for a record that is not a share.
    func suffix(ofRecordNamed name: String) throws -> [UInt8]? {
        guard !hierarchy.isEmpty, let share = try hierarchy.share(named: name) else { return nil }
        return try suffix(of: share)
    }

    /// What the answer of a record adds after its zone; nil for a record that is not a share.
    func suffix(of body: UnsafeRawBufferPointer) throws -> [UInt8]? {
        guard !hierarchy.isEmpty else { return nil }
        return try suffix(ofRecordNamed: RecordBody.quickName(of: body))
    }

    /// The members of a share's dictionary that its record does not have itself, each with a comma before it.
    func suffix(of share: ShareRow) throws -> [UInt8] {
        var text = JSONWriter.text { writer in
            writer.beginObject()
            do { try writeMembers(of: share, to: &writer) } catch { failure = error }
            writer.endObject()
        }
        if let failure {
            self.failure = nil
            throw failure
        }
        // Members of an open object follow a comma.
        text[0] = UInt8(ascii: ",")
        text.removeLast()
        return text
    }

    private var failure: (any Error)?

    /// Whether the caller manages the share.
    func manages(_ share: ShareRow) -> Bool {
        guard let members else { return true }
        guard let role = members.participant(of: share.name) else { return false }
        return role.role == .administrator && role.status == .accepted
    }

    private func writeMembers(of share: ShareRow, to writer: inout JSONWriter) throws {
        let rows = try reader.participants(ofShare: share.name, in: share.zone)
        let manages = manages(share)
        let owner = try owner(manages: manages)
        try writeLink(share, to: &writer)
        writer.member("publicPermission", SharePermission(share.publicPermission).rawValue)
        writer.key("participants")
        writer.beginArray()
        owner.write(to: &writer)
        var current = members == nil ? owner : nil
        for row in rows where row.isListed {
            let isCaller = row.user != nil && row.user == members?.access.name
            // Who has left is for those to see who manage the share.
            guard manages || isCaller || row.status == .accepted || row.status == .invited else { continue }
            let participant = try dictionary(of: row, showsAddress: manages || isCaller)
            participant.write(to: &writer)
            if isCaller { current = participant }
        }
        writer.endArray()
        writer.key("owner")
        owner.write(to: &writer)
        if let current {
            writer.key("currentUserParticipant")
            current.write(to: &writer)
        }
        writer.member("denyAccessRequests", !share.options.contains(.takesRequests))
        writer.member("publicAnonymousAccess", share.options.contains(.showsToEverybody))
        writer.member("allowAnyoneToResolve", share.options.contains(.letsAnyoneResolve))
        writer.member("linkEndsAt", share.endsAt)
        if manages { try writeManaged(share, rows, to: &writer) }
    }

    /// The link that leads to a share, and its root, which has the link; a zone's share has it itself.
    private func writeLink(_ share: ShareRow, to writer: inout JSONWriter) throws {
        let row = try SealedStore.base(of: reader).record(
            named: share.root ?? share.name, in: hierarchy.zone.id)
        let link = try row.flatMap { try RecordBody.relations(of: $0.body).shortGUID }
        if share.root != nil { writer.member("shortGUID", link) }
        writer.member("webpageURL", link.map { LinkCode.address(of: $0, context.baseURL) })
        guard let root = share.root else { return }
        writer.key("forRecord")
        writer.beginObject()
        writer.member("recordName", root)
        writer.member("recordChangeTag", row.map { ChangeTag.text($0.sequence) })
        writer.endObject()
    }

    /// What only those see who manage the share.
    private func writeManaged(_ share: ShareRow, _ rows: [ParticipantRow], to writer: inout JSONWriter) throws
    {
        for case (let name, let status) in [("requesters", .requested), ("blocked", .blocked)]
            as [(StaticString, ParticipantRow.Status)]
        {
            writer.key(name)
            writer.beginArray()
            for row in rows where row.status == status {
                try dictionary(of: row, showsAddress: true).write(to: &writer)
            }
            writer.endArray()
        }
        let forOne = try rows.filter { row in
            guard row.address == nil, row.role != .visitor, row.isListed else { return false }
            let digest = LinkCode.digest(LinkCode.forOne(row, secret))
            return try row.isForWhoeverOpens || reader.invitation(digest: digest) != nil
        }
        guard !forOne.isEmpty else { return }
        writer.key("oneTimeStableUrlInfo")
        writer.beginObject()
        writer.key("oneTimeLinks")
        writer.beginArray()
        for row in forOne {
            let link = LinkCode.forOne(row, secret)
            writer.beginObject()
            writer.member("participantId", row.id)
            writer.member("shortGUID", link)
            writer.member("webpageURL", LinkCode.address(of: link, context.baseURL))
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    // MARK: People

    /// The owner as a participant.
    func owner(manages: Bool = false) throws -> ParticipantDictionary {
        let name = context.database.owner ?? ""
        var owner = ParticipantDictionary(
            participantID: "owner-\(hierarchy.zone.id)", role: .owner, status: .accepted,
            permission: .readWrite, userRecordName: name)
        try fill(&owner, name)
        return owner
    }

    /// A participant as answers have it.
    func dictionary(of row: ParticipantRow, showsAddress: Bool) throws -> ParticipantDictionary {
        var participant = ParticipantDictionary(
            participantID: row.id, role: ParticipantDictionary.Role(row.role),
            status: ParticipantDictionary.Status(row.status), permission: SharePermission(row.permission),
            userRecordName: row.user)
        participant.isApprovedRequester = row.isApproved
        participant.addedAt = row.addedAt
        if showsAddress, let address = row.address { participant.lookup = UserLookup(address: address) }
        if let user = row.user { try fill(&participant, user) }
        return participant
    }

    /// Adds the name that somebody lets others see.
    private func fill(_ participant: inout ParticipantDictionary, _ user: String) throws {
        let row = try people[user] ?? reader.user(named: user, of: context.tenant)
        people[user] = .some(row)
        guard let discovery = row?.discovery, discovery.isAllowed != false else { return }
        if !discovery.givenName.isEmpty { participant.givenName = discovery.givenName }
        if !discovery.familyName.isEmpty { participant.familyName = discovery.familyName }
    }
}

extension ZoneAccess {
    /// The user who comes in; nil for nobody in particular.
    var name: String? { if case .participant(let name) = visitor { name } else { nil } }
}

extension ParticipantRow {
    /// Whether the participant is in the share's list: neither somebody who asks to be let in, nor somebody who was put out.
    var isListed: Bool { [.invited, .accepted, .unsubscribed].contains(status) }

    /// Whether a link makes whoever opens it this participant.
    var isForWhoeverOpens: Bool { user == nil && address == nil && status == .invited }
}

extension SharePermission {
    init(_ permission: ShareRow.Permission) {
        self =
            switch permission {
            case .none: .none
            case .read: .readOnly
            case .write: .readWrite
            }
    }

    /// What the store has of it; nil for a word that says nothing.
    var stored: ShareRow.Permission? {
        switch self {
        case .none: .some(.none)
        case .readOnly: .read
        case .readWrite: .write
        case .unknown: nil
        }
    }
}

extension ParticipantDictionary.Role {
    init(_ role: ParticipantRow.Role) {
        self =
            switch role {
            case .user: .user
            case .administrator: .administrator
            case .visitor: .publicUser
            }
    }
}

extension ParticipantDictionary.Status {
    init(_ status: ParticipantRow.Status) {
        self =
            switch status {
            case .invited: .invited
            case .accepted: .accepted
            case .removed: .removed
            case .unsubscribed: .unsubscribed
            case .requested, .blocked: .unknown
            }
    }
}

extension UserLookup {
    /// A lookup of what a participant was invited by.
    init(address: String) {
        self = address.contains("@") ? UserLookup(emailAddress: address) : UserLookup(phoneNumber: address)
    }
}
