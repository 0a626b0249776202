/// `tokens/create` and `tokens/register`.
public struct TokenRequest: WireRequest, Hashable {
    /// The environment of pushes: `development` or `production`.
    public var apnsEnvironment: String
    /// For `tokens/register`: the token.
    public var apnsToken: String?
    /// What the client calls itself.
    public var clientID: String?

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
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("apnsEnvironment", apnsEnvironment)
        writer.member("apnsToken", apnsToken)
        writer.member("clientId", clientID)
        writer.endObject()
    }
}
