public import RecordModel

/// What a link leads to, as `records/resolve` and `records/accept` answer it.
public struct ResolvedShare: Hashable, Sendable {
    /// The link, as it was asked for.
    public var link: String
    /// The container that the share is in.
    public var containerIdentifier: String
    /// Whether the caller finds the share in the private database, as its owner, rather than in the shared one.
    public var isOwned: Bool
    /// The zone of the share.
    public var zoneID: ZoneID
    /// The name of the record that is shared; nil for the share of a zone.
    public var rootRecordName: String?
    /// The record that is shared, where it was asked for.
    public var rootRecord: RecordDictionary?
    /// The share.
    public var share: RecordDictionary
    /// What the caller is to the share.
    public var role: ParticipantDictionary.Role
    /// How far the caller is on the way in.
    public var status: ParticipantDictionary.Status
    /// What the caller may do, or might after accepting.
    public var permission: SharePermission

    init(json: JSONObject) throws(JSONError) {
        link = try json.object("shortGUID")?.string("value") ?? ""
        containerIdentifier = try json.requiredString("containerIdentifier")
        isOwned = try json.string("databaseScope") == "PRIVATE"
        guard let zone = try json.object("zoneID") else { throw .missing("zoneID") }
        zoneID = try ZoneID(json: zone)
        rootRecordName = try json.string("rootRecordName")
        if let root = try json.object("rootRecord") { rootRecord = try RecordDictionary(json: root) }
        guard let share = try json.object("share") else { throw .missing("share") }
        self.share = try RecordDictionary(json: share)
        // Who is not let in sees who shares, and none of those who take part.
        if let owner = try json.object("ownerIdentity"),
            self.share.shareDictionary?.participants.contains(where: { $0.role == .owner }) == false
        {
            let participant = try ParticipantDictionary(ownerIdentity: owner)
            self.share.shareDictionary?.participants.insert(participant, at: 0)
        }
        role = try json.word("participantType", ParticipantDictionary.Role.init(word:)) ?? .unknown
        status = try json.word("participantStatus", ParticipantDictionary.Status.init(word:)) ?? .unknown
        permission = try json.word("participantPermission", SharePermission.init(rawValue:)) ?? .unknown
    }
}

/// The answer of `records/resolve` and `records/accept`.
public struct ShareLinksResponse: WireResponse {
    /// One result for each link, in their order.
    public var results: [ItemResult<ResolvedShare>]

    public init(json: JSONObject) throws(JSONError) {
        results = try json.items("results", ResolvedShare.init(json:))
    }
}

/// The answer of `records/requestAccess`.
public struct AccessRequestsResponse: WireResponse {
    /// What is wrong with each link, in their order; nil where nothing is.
    public var errors: [ErrorDictionary?]

    public init(json: JSONObject) throws(JSONError) {
        errors = try json.objects("results").map { ErrorDictionary(json: $0) }
    }
}
