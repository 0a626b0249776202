/// `tokens/create`, `tokens/register` and `tokens/unregister`.
public struct TokenRequest: WireRequest, Hashable {
    /// The environment of pushes: `development` or `production`.
    public var apnsEnvironment: String
    /// For `tokens/register` and `tokens/unregister`: the token.
    public var apnsToken: String?
    /// What the client calls itself.
    public var clientID: String?
    /// A browser's `PushSubscription`; our extension.
    public struct WebPush: Hashable, Sendable {
        /// The address at its push service.
        public var endpoint: String
        /// Its public key and its secret, in base64url.
        public var key: String
        public var auth: String
    }

    /// For `tokens/register` and `tokens/unregister`: where a browser is reached.
    public var webPush: WebPush?
    /// For `tokens/create`: whether the key for browsers is asked for, and no address.
    public var wantsWebPushKey = false

    /// Makes a request.
    public init(apnsEnvironment: String, apnsToken: String? = nil, clientID: String? = nil) {
        self.apnsEnvironment = apnsEnvironment
        self.apnsToken = apnsToken
        self.clientID = clientID
    }

    public init(json: JSONObject) throws(JSONError) {
        apnsEnvironment = try json.requiredString("apnsEnvironment")
        guard apnsEnvironment == "development" || apnsEnvironment == "production" else {
            throw .shape("'apnsEnvironment' must be 'development' or 'production'.")
        }
        apnsToken = try json.string("apnsToken")
        clientID = try json.string("clientId")
        if json["webPush"]?.bool != nil {
            wantsWebPushKey = try json.bool("webPush") ?? false
        } else if let object = try json.object("webPush") {
            let keys = try object.object("keys") ?? JSONObject()
            webPush = try WebPush(
                endpoint: object.requiredString("endpoint"), key: keys.requiredString("p256dh"),
                auth: keys.requiredString("auth"))
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("apnsEnvironment", apnsEnvironment)
        writer.member("apnsToken", apnsToken)
        writer.member("clientId", clientID)
        if wantsWebPushKey { writer.member("webPush", true) }
        if let webPush {
            writer.key("webPush")
            writer.beginObject()
            writer.member("endpoint", webPush.endpoint)
            writer.key("keys")
            writer.beginObject()
            writer.member("p256dh", webPush.key)
            writer.member("auth", webPush.auth)
            writer.endObject()
            writer.endObject()
        }
        writer.endObject()
    }
}
