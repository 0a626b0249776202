/// What a request says about a share, beside the fields of its record; what it does not mention stays as it is.
public struct ShareTerms: Hashable, Sendable {
    /// The record that is shared, with the tag that the client knows; nil for the share of a zone, and in updates.
    public var root: (name: String, changeTag: String?)? {
        get { rootName.map { ($0, rootTag) } }
        set { (rootName, rootTag) = (newValue?.name, newValue?.changeTag) }
    }
    private var rootName: String?
    private var rootTag: String?
    /// What everybody may do who has the link.
    public var publicPermission: SharePermission?
    /// All participants; who is missing is removed.
    public var participants: [ParticipantDictionary]?
    /// Whether nobody may ask to be let in.
    public var deniesAccessRequests: Bool?
    /// Whether whoever has the link may look at what is shared without an account.
    public var showsToEverybody: Bool?
    /// Whether people who are not let in see what the share is.
    public var letsAnyoneResolve: Bool?
    /// When the link ends, in milliseconds; null for never, nil where the request does not say. Our extension.
    public var linkEndsAt: Int64??
    /// Whose requests are refused, by identifier or record name of the user. Our extension.
    public var denied: [String] = []
    /// Who is let in no more and whose requests are not noted, by identifier or record name. Our extension.
    public var blocked: [String] = []
    /// Who is blocked no more, by identifier or record name. Our extension.
    public var unblocked: [String] = []

    /// Says nothing.
    public init() {}

    /// Reads what a record's dictionary says of a share; nil where that is nothing.
    init?(json: JSONObject) throws(JSONError) {
        if let root = try json.object("forRecord") {
            rootName = try root.requiredString("recordName")
            rootTag = try root.string("recordChangeTag")
        }
        publicPermission = try json.word("publicPermission", SharePermission.init(rawValue:))
        if json["participants"] != nil {
            var participants: [ParticipantDictionary] = []
            for object in try json.objects("participants") {
                participants.append(try ParticipantDictionary(json: object))
            }
            self.participants = participants
        }
        deniesAccessRequests = try json.bool("denyAccessRequests")
        showsToEverybody = try json.bool("publicAnonymousAccess")
        letsAnyoneResolve = try json.bool("allowAnyoneToResolve")
        if json.members.contains(where: { $0.key == "linkEndsAt" }) {
            linkEndsAt = .some(try json.int("linkEndsAt").map(Int64.init))
        }
        denied = try json.strings("denyRequesters") ?? []
        blocked = try json.strings("blockRequesters") ?? []
        unblocked = try json.strings("unblockIdentities") ?? []
        if self == ShareTerms() { return nil }
    }

    /// Writes the members into a record's dictionary that is open.
    func writeMembers(to writer: inout JSONWriter) {
        if let rootName {
            writer.key("forRecord")
            writer.beginObject()
            writer.member("recordName", rootName)
            writer.member("recordChangeTag", rootTag)
            writer.endObject()
        }
        writer.member("publicPermission", publicPermission?.rawValue)
        if let participants {
            writer.key("participants")
            writer.beginArray()
            for participant in participants { participant.write(to: &writer) }
            writer.endArray()
        }
        writer.member("denyAccessRequests", deniesAccessRequests)
        writer.member("publicAnonymousAccess", showsToEverybody)
        writer.member("allowAnyoneToResolve", letsAnyoneResolve)
        if let linkEndsAt {
            writer.key("linkEndsAt")
            if let linkEndsAt { writer.int(linkEndsAt) } else { writer.null() }
        }
        if !denied.isEmpty { writer.member("denyRequesters", denied) }
        if !blocked.isEmpty { writer.member("blockRequesters", blocked) }
        if !unblocked.isEmpty { writer.member("unblockIdentities", unblocked) }
    }
}
