/// Who somebody is, as far as the caller may know: the answer of `users/caller`, and a part of others.
public struct UserIdentityResponse: WireResponse {
    /// The user's record name in this container.
    public var userRecordName: String
    /// The given name; nil where there is none to be told.
    public var givenName: String?
    /// The family name; nil where there is none to be told.
    public var familyName: String?
    /// What the user was looked up by; of the caller, the own address.
    public var lookup: UserLookup?
    /// Whether the caller lets others find them; nil before the caller has answered, and of others.
    public var isDiscoverable: Bool?

    public init(json: JSONObject) throws(JSONError) {
        userRecordName = try json.requiredString("userRecordName")
        if let name = try json.object("nameComponents") {
            givenName = try name.string("givenName")
            familyName = try name.string("familyName")
        }
        if let lookup = try json.object("lookupInfo") { self.lookup = try UserLookup(json: lookup) }
        isDiscoverable = try json.bool("isDiscoverable")
    }
}

/// The answer of `users/discover`.
public struct UsersDiscoverResponse: WireResponse {
    /// Those who were found.
    public var users: [UserIdentityResponse]
    /// Where the next page begins; nil after the last.
    public var continuationMarker: String?

    public init(json: JSONObject) throws(JSONError) {
        users = []
        for object in try json.objects("users") { users.append(try UserIdentityResponse(json: object)) }
        continuationMarker = try json.string("continuationMarker")
    }
}
