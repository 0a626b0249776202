/// Somebody in a share, as requests and answers carry them (Documentation/Protocol.md, 'Shares').
public struct ParticipantDictionary: Hashable, Sendable {
    /// What somebody is to the share.
    public enum Role: String, Hashable, Sendable, CaseIterable {
        case owner = "OWNER"
        case administrator = "ADMINISTRATOR"
        case user = "USER"
        case publicUser = "PUBLIC_USER"
        case unknown = "UNKNOWN"

        /// The role of a word; pages of CloudKit JS call a user `PRIVATE_USER`.
        public init?(word: String) {
            self.init(rawValue: word == "PRIVATE_USER" ? "USER" : word)
        }
    }

    /// How far somebody is on the way in, or out again.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        case invited = "INVITED"
        case accepted = "ACCEPTED"
        case removed = "REMOVED"
        case unsubscribed = "UNSUBSCRIBED"
        case unknown = "UNKNOWN"

        /// The status of a word; pages of CloudKit JS call an invitation `PENDING`.
        public init?(word: String) {
            self.init(rawValue: word == "PENDING" ? "INVITED" : word)
        }
    }

    /// Tells the participants of a share apart; nil lets the server choose.
    public var participantID: String?
    /// What the participant is.
    public var role: Role
    /// How far the participant is.
    public var status: Status
    /// What the participant may do; nil where a request does not say.
    public var permission: SharePermission?
    /// The record name of the participant's user, where it is known.
    public var userRecordName: String?
    /// The given name that the participant lets others see.
    public var givenName: String?
    /// The family name that the participant lets others see.
    public var familyName: String?
    /// What the participant was invited by; nil for somebody who came by a link, and for whoever opens a link for one.
    public var lookup: UserLookup?
    /// Whether the participant had asked to be let in.
    public var isApprovedRequester = false
    /// When the participant was added, in milliseconds; nil in requests.
    public var addedAt: Int64?

    /// Names a participant.
    public init(
        participantID: String? = nil, role: Role = .user, status: Status = .invited,
        permission: SharePermission? = nil, userRecordName: String? = nil, lookup: UserLookup? = nil
    ) {
        self.participantID = participantID
        self.role = role
        self.status = status
        self.permission = permission
        self.userRecordName = userRecordName
        self.lookup = lookup
    }

    /// Reads a participant.
    ///
    /// - Throws: ``JSONError`` where a member is of another kind, or a word is not one of its list.
    public init(json: JSONObject) throws(JSONError) {
        participantID = try json.string("participantId")
        role = try json.word("type", Role.init(word:)) ?? .user
        status = try json.word("acceptanceStatus", Status.init(word:)) ?? .unknown
        permission = try json.word("permission", SharePermission.init(rawValue:))
        isApprovedRequester = try json.bool("isApprovedRequester") ?? false
        addedAt = try json.int("dateAddedToShare").map(Int64.init)
        if let identity = try json.object("userIdentity") { try readIdentity(identity) }
    }

    /// Reads the owner of a share of whom an answer gives no more than who it is.
    ///
    /// - Throws: ``JSONError`` where a member is of another kind.
    init(ownerIdentity: JSONObject) throws(JSONError) {
        self.init(role: .owner, status: .accepted, permission: .readWrite)
        try readIdentity(ownerIdentity)
    }

    private mutating func readIdentity(_ json: JSONObject) throws(JSONError) {
        userRecordName = try json.string("userRecordName")
        if let name = try json.object("nameComponents") {
            givenName = try name.string("givenName")
            familyName = try name.string("familyName")
        }
        if let lookup = try json.object("lookupInfo") { self.lookup = try UserLookup(json: lookup) }
    }

    /// Writes the participant as the protocol has it.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("participantId", participantID)
        writer.member("type", role.rawValue)
        writer.member("acceptanceStatus", status.rawValue)
        writer.member("permission", permission?.rawValue)
        writer.key("userIdentity")
        writeIdentity(to: &writer)
        writer.member("isApprovedRequester", isApprovedRequester)
        writer.member("orgUser", false)
        writer.member("dateAddedToShare", addedAt)
        writer.endObject()
    }

    /// Writes who the participant is.
    public func writeIdentity(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("userRecordName", userRecordName)
        if givenName != nil || familyName != nil {
            writer.key("nameComponents")
            writer.beginObject()
            writer.member("givenName", givenName)
            writer.member("familyName", familyName)
            writer.endObject()
        }
        if let lookup {
            writer.key("lookupInfo")
            lookup.write(to: &writer)
        }
        writer.endObject()
    }
}

/// What somebody may do with what is shared.
public enum SharePermission: String, Hashable, Sendable, CaseIterable {
    case none = "NONE"
    case readOnly = "READ_ONLY"
    case readWrite = "READ_WRITE"
    case unknown = "UNKNOWN"
}

extension JSONObject {
    /// The value of a word; nil where it is absent.
    ///
    /// - Throws: ``JSONError`` where the member is no text, or a word that nobody knows.
    func word<Value>(_ name: String, _ value: (String) -> Value?) throws(JSONError) -> Value? {
        guard let word = try string(name) else { return nil }
        guard let value = value(word) else {
            throw .shape("'\(word.prefix(40))' is not a value of '\(name)'.")
        }
        return value
    }
}
