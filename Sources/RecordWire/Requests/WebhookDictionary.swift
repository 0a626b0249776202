/// What an operator says of a webhook (Documentation/Webhooks.md).
public struct WebhookDictionary: Hashable, Sendable {
    /// A secret that deliveries are signed with.
    public struct Secret: Hashable, Sendable {
        /// `whsec_` and the key in base64.
        public var text: String
        /// When it ends, in milliseconds; nil for the newest one.
        public var endsAt: Int64?

        /// Makes a secret.
        public init(text: String, endsAt: Int64? = nil) {
            self.text = text
            self.endsAt = endsAt
        }
    }

    /// Where deliveries go.
    public var url: String
    /// What operators call it.
    public var label = ""
    /// The record name of the user whose private database it is told of; nil for the public one.
    public var owner: String?
    /// The types whose records count; none for all.
    public var recordTypes: [String] = []
    /// The zone whose records count; nil for all.
    public var zoneName: String?
    /// What the records have to fulfil, in the predicate format language.
    public var predicate: String?
    /// What it fires on.
    public var firesOn = SubscriptionDictionary.Trigger.allCases
    /// Whether nothing is sent until an operator lets it go on.
    public var isPaused = false
    /// The secrets, the newest first.
    public var secrets: [Secret] = []

    /// Makes a webhook.
    public init(url: String) { self.url = url }

    /// Reads a webhook.
    ///
    /// - Throws: ``JSONError`` where a member is missing, of another kind or none of the known words.
    public init(json: JSONObject) throws(JSONError) {
        url = try json.requiredString("url")
        label = try json.string("label") ?? ""
        owner = try json.string("owner")
        recordTypes = try json.strings("recordTypes") ?? []
        zoneName = try json.string("zoneName")
        predicate = try json.string("predicate")
        if let words = try json.strings("firesOn") { firesOn = try Self.triggers(words) }
        isPaused = try json.bool("paused") ?? false
        for object in try json.objects("secrets") {
            secrets.append(
                Secret(
                    text: try object.requiredString("secret"),
                    endsAt: try object.int("endsAt").map { Int64($0) }))
        }
    }

    /// Reads what to fire on.
    ///
    /// - Throws: ``JSONError`` for another word.
    public static func triggers(_ words: [String]) throws(JSONError) -> [SubscriptionDictionary.Trigger] {
        var triggers: [SubscriptionDictionary.Trigger] = []
        for word in words {
            guard let trigger = SubscriptionDictionary.Trigger(rawValue: word) else {
                throw .shape(
                    "'\(word.prefix(40))' is nothing to fire on; 'create', 'update' and 'delete' are.")
            }
            if !triggers.contains(trigger) { triggers.append(trigger) }
        }
        return triggers
    }

    /// Writes the members of a webhook.
    ///
    /// - Parameters:
    ///   - writer: where to.
    ///   - hasSecrets: whether they are written too; only the store may have them.
    public func writeMembers(to writer: inout JSONWriter, hasSecrets: Bool = false) {
        writer.member("url", url)
        writer.member("label", label)
        writer.member("owner", owner)
        writer.member("recordTypes", recordTypes)
        writer.member("zoneName", zoneName)
        writer.member("predicate", predicate)
        writer.member("firesOn", firesOn.map(\.rawValue))
        writer.member("paused", isPaused)
        guard hasSecrets else { return }
        writer.key("secrets")
        writer.beginArray()
        for secret in secrets {
            writer.beginObject()
            writer.member("secret", secret.text)
            writer.member("endsAt", secret.endsAt)
            writer.endObject()
        }
        writer.endArray()
    }
}
