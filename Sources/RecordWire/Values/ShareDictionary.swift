/// What an answer says of a share beside the fields of its record (Documentation/Protocol.md, 'Sharing').
public struct ShareDictionary: Hashable, Sendable {
    /// The address of the share's link.
    public var webpageURL: String?
    /// What everybody may do who has the link.
    public var publicPermission: SharePermission
    /// Those in the share whom the caller may see, the owner first.
    public var participants: [ParticipantDictionary] = []
    /// The participant that the caller is; nil for nobody in the share.
    public var currentUserParticipantID: String?
    /// Those who ask to be let in; only the owner and administrators see them.
    public var requesters: [ParticipantDictionary] = []
    /// Those whose requests are not noted; only the owner and administrators see them.
    public var blocked: [ParticipantDictionary] = []
    /// Whether nobody may ask to be let in.
    public var deniesAccessRequests: Bool
    /// The name of the record that is shared; nil for the share of a zone.
    public var rootName: String?
    /// The links that let in whoever opens them first, by the participants that they are for.
    public var oneTimeLinks: [String: String] = [:]

    /// Reads what the dictionary of a share's record says.
    ///
    /// - Throws: ``JSONError`` where a member is of another kind, or a word is not one of its list.
    public init(json: JSONObject) throws(JSONError) {
        webpageURL = try json.string("webpageURL")
        publicPermission = try json.word("publicPermission", SharePermission.init(rawValue:)) ?? .unknown
        for object in try json.objects("participants") {
            participants.append(try ParticipantDictionary(json: object))
        }
        if let owner = try json.object("owner"), !participants.contains(where: { $0.role == .owner }) {
            participants.insert(try ParticipantDictionary(json: owner), at: 0)
        }
        currentUserParticipantID = try json.object("currentUserParticipant")?.string("participantId")
        for object in try json.objects("requesters") {
            requesters.append(try ParticipantDictionary(json: object))
        }
        for object in try json.objects("blocked") {
            blocked.append(try ParticipantDictionary(json: object))
        }
        deniesAccessRequests = try json.bool("denyAccessRequests") ?? true
        rootName = try json.object("forRecord")?.requiredString("recordName")
        for link in try json.object("oneTimeStableUrlInfo")?.objects("oneTimeLinks") ?? [] {
            oneTimeLinks[try link.requiredString("participantId")] = try link.string("webpageURL")
        }
    }
}
