public import RecordModel

/// A subscription as requests and answers carry it (Documentation/Protocol.md, 'Subscriptions').
public struct SubscriptionDictionary: Hashable, Sendable {
    /// What a subscription looks at.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The records of one type that fulfil a query.
        case query
        /// The records of one zone.
        case zone
        /// The records of all custom zones, and the zones themselves.
        case database
    }

    /// What happens to a record.
    public enum Trigger: String, Hashable, Sendable, CaseIterable {
        case create, update, delete
    }

    /// The name, unique for the user in the database; nil lets the service choose one.
    public var subscriptionID: String?
    /// What it looks at.
    public var kind: Kind
    /// The zone; nil for all, or the default zone where ``zoneWide`` is false.
    public var zoneID: ZoneID?
    /// For `query`: which records.
    public var query: QueryDictionary?
    /// For `zone` and `database`: the one type whose records count; our extension, which native clients have.
    public var recordType: String?
    /// For `query`: what it fires on.
    public var firesOn: [Trigger] = []
    /// For `query`: whether it fires once and is gone then.
    public var firesOnce = false
    /// For `query`: whether all zones count; nil where the request does not say.
    public var zoneWide: Bool?
    /// What notifications show, as it was sent.
    public var notificationInfo: JSONObject?

    /// Makes a subscription.
    public init(kind: Kind, subscriptionID: String? = nil) {
        self.kind = kind
        self.subscriptionID = subscriptionID
    }

    /// Reads a subscription.
    ///
    /// - Throws: ``JSONError`` where a member is missing, of another kind or none of the protocol's words.
    public init(json: JSONObject) throws(JSONError) {
        let word = try json.requiredString("subscriptionType")
        guard let kind = Kind(rawValue: word) else {
            throw .shape(
                "'\(word.prefix(40))' is not a type of subscription; 'query', 'zone' and 'database' are.")
        }
        self.kind = kind
        subscriptionID = try json.string("subscriptionID")
        if let zone = try json.object("zoneID") { zoneID = try ZoneID(json: zone) }
        if let query = try json.object("query") { self.query = try QueryDictionary(json: query) }
        recordType = try json.string("recordType")
        for word in try json.strings("firesOn") ?? [] {
            guard let trigger = Trigger(rawValue: word) else {
                throw .shape(
                    "'\(word.prefix(40))' is nothing to fire on; 'create', 'update' and 'delete' are.")
            }
            if !firesOn.contains(trigger) { firesOn.append(trigger) }
        }
        firesOnce = try json.bool("firesOnce") ?? false
        zoneWide = try json.bool("zoneWide")
        notificationInfo = try json.object("notificationInfo")
        if let info = notificationInfo { try Self.check(info) }
    }

    /// Refuses what would make notifications of another shape than the protocol's.
    private static func check(_ info: JSONObject) throws(JSONError) {
        for name in [
            "alertBody", "alertLocalizationKey", "alertActionLocalizationKey", "alertLaunchImage",
            "soundName",
            "category", "title", "titleLocalizationKey", "subtitle", "subtitleLocalizationKey",
            "collapseIdKey",
        ] {
            _ = try info.string(name)
        }
        for name in ["shouldBadge", "shouldSendContentAvailable", "shouldSendMutableContent"] {
            _ = try info.bool(name)
        }
        for name in [
            "alertLocalizationArgs", "titleLocalizationArgs", "subtitleLocalizationArgs", "additionalFields",
        ] {
            _ = try info.strings(name)
        }
    }

    /// Writes a subscription.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("subscriptionID", subscriptionID)
        writer.member("subscriptionType", kind.rawValue)
        writer.member("zoneID", zoneID)
        if let query {
            writer.key("query")
            query.write(to: &writer)
        }
        writer.member("recordType", recordType)
        if kind == .query {
            writer.member("firesOn", firesOn.map(\.rawValue))
            writer.member("firesOnce", firesOnce)
            writer.member("zoneWide", zoneWide)
        }
        if let notificationInfo {
            writer.key("notificationInfo")
            writer.value(.object(notificationInfo))
        }
        writer.endObject()
    }
}

/// `subscriptions/lookup`.
public struct SubscriptionsLookupRequest: WireRequest, Hashable {
    /// The names of the subscriptions asked for.
    public var subscriptionIDs: [String]

    /// Asks for subscriptions.
    public init(subscriptionIDs: [String]) { self.subscriptionIDs = subscriptionIDs }

    public init(json: JSONObject) throws(JSONError) {
        guard json["subscriptions"] != nil else { throw .missing("subscriptions") }
        subscriptionIDs = []
        for object in try json.objects("subscriptions") {
            subscriptionIDs.append(try object.requiredString("subscriptionID"))
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("subscriptions")
        writer.beginArray()
        for name in subscriptionIDs {
            writer.beginObject()
            writer.member("subscriptionID", name)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}

/// `subscriptions/modify`.
public struct SubscriptionsModifyRequest: WireRequest, Hashable {
    /// What to do with one subscription.
    public enum Operation: Hashable, Sendable {
        /// Stores it, in the place of the one with its name; `create` and `update` are the same.
        case save(SubscriptionDictionary)
        case delete(String)

        /// The name of the subscription; nil where the service should choose one.
        public var subscriptionID: String? {
            switch self {
            case .save(let subscription): subscription.subscriptionID
            case .delete(let name): name
            }
        }
    }

    /// What to do, in order.
    public var operations: [Operation]
    /// What names this request and all its repetitions, so that it takes effect once; our extension.
    public var idempotencyKey: String?

    /// Makes a request.
    public init(operations: [Operation]) { self.operations = operations }

    public init(json: JSONObject) throws(JSONError) {
        guard json["operations"] != nil else { throw .missing("operations") }
        idempotencyKey = try json.string("idempotencyKey")
        operations = []
        for object in try json.objects("operations") {
            let word = try object.requiredString("operationType")
            guard let subscription = try object.object("subscription") else { throw .missing("subscription") }
            switch word {
            case "create", "update": operations.append(.save(try SubscriptionDictionary(json: subscription)))
            case "delete": operations.append(.delete(try subscription.requiredString("subscriptionID")))
            default:
                throw .shape(
                    "'\(word.prefix(40))' is not an operation type for subscriptions; 'create', 'update' and 'delete' are."
                )
            }
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("idempotencyKey", idempotencyKey)
        writer.key("operations")
        writer.beginArray()
        for operation in operations {
            writer.beginObject()
            switch operation {
            case .save(let subscription):
                writer.member("operationType", "create")
                writer.key("subscription")
                subscription.write(to: &writer)
            case .delete(let name):
                writer.member("operationType", "delete")
                writer.key("subscription")
                writer.beginObject()
                writer.member("subscriptionID", name)
                writer.endObject()
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
