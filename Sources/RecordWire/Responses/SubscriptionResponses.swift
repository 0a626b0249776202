/// The answer of `subscriptions/list`, `lookup` and `modify`.
public struct SubscriptionsResponse: WireResponse {
    /// One element of the answer.
    public enum Item: Hashable, Sendable {
        case subscription(SubscriptionDictionary)
        case deleted(String)
    }

    /// What became of each, in the order of the request.
    public var subscriptions: [ItemResult<Item>]

    public init(json: JSONObject) throws(JSONError) {
        subscriptions = try json.items("subscriptions") { (object) throws(JSONError) -> Item in
            if try object.bool("deleted") == true {
                return .deleted(try object.requiredString("subscriptionID"))
            }
            return .subscription(try SubscriptionDictionary(json: object))
        }
    }
}

/// The answer of `tokens/create`.
public struct TokenResponse: WireResponse {
    /// The token, with which `tokens/register` keeps it.
    public var apnsToken: String
    /// The address to poll.
    public var webcourierURL: String
    /// Where the receiver begins, in place of the id of a last notification; nil from a service that does not say it.
    public var notificationID: String?

    public init(json: JSONObject) throws(JSONError) {
        notificationID = try json.string("notificationID")
        apnsToken = try json.requiredString("apnsToken")
        webcourierURL = try json.requiredString("webcourierURL")
    }
}
