/// What somebody is looked up by: one of the three.
public struct UserLookup: Hashable, Sendable {
    /// A mail address.
    public var emailAddress: String?
    /// A phone number, by which nobody is known.
    public var phoneNumber: String?
    /// The record name in the container.
    public var userRecordName: String?

    /// Looks for somebody.
    public init(emailAddress: String? = nil, phoneNumber: String? = nil, userRecordName: String? = nil) {
        self.emailAddress = emailAddress
        self.phoneNumber = phoneNumber
        self.userRecordName = userRecordName
    }

    /// Reads a lookup.
    ///
    /// - Throws: ``JSONError`` where a member is no string.
    public init(json: JSONObject) throws(JSONError) {
        emailAddress = try json.string("emailAddress")
        phoneNumber = try json.string("phoneNumber")
        userRecordName = try json.string("userRecordName")
    }

    /// Writes the lookup as the protocol has it.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if let emailAddress { writer.member("emailAddress", emailAddress) }
        if let phoneNumber { writer.member("phoneNumber", phoneNumber) }
        if let userRecordName { writer.member("userRecordName", userRecordName) }
        writer.endObject()
    }
}

/// The body of `users/discover`, `users/lookup/email` and `users/lookup/id`.
public struct UsersRequest: WireRequest, Hashable {
    /// Who is looked for; nil for all who can be found.
    public var lookups: [UserLookup]?
    /// The most users in the answer, where all are asked for.
    public var resultsLimit: Int?
    /// Where the page before ended, where all are asked for.
    public var continuationMarker: String?

    /// Asks for somebody, or for a page of all.
    public init(lookups: [UserLookup]?, resultsLimit: Int? = nil, continuationMarker: String? = nil) {
        self.lookups = lookups
        self.resultsLimit = resultsLimit
        self.continuationMarker = continuationMarker
    }

    public init(json: JSONObject) throws(JSONError) {
        resultsLimit = try json.int("resultsLimit")
        continuationMarker = try json.string("continuationMarker")
        let name = json["lookupInfos"] == nil ? "users" : "lookupInfos"
        guard json[name] != nil else { return }
        var lookups: [UserLookup] = []
        for object in try json.objects(name) { lookups.append(try UserLookup(json: object)) }
        self.lookups = lookups
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if let lookups {
            writer.key("lookupInfos")
            writer.beginArray()
            for lookup in lookups { lookup.write(to: &writer) }
            writer.endArray()
        }
        if let resultsLimit { writer.member("resultsLimit", resultsLimit) }
        if let continuationMarker { writer.member("continuationMarker", continuationMarker) }
        writer.endObject()
    }
}
