import HTTPTypes
import Hummingbird
import RecordEngine

/// The headers that every answer carries (Documentation/Protocol.md, 'Bodies and headers').
enum ResponseHeaders {
    static let referrerPolicy = HTTPField.Name.constant("Referrer-Policy")
    static let requestUUID = HTTPField.Name.constant("X-Apple-Request-UUID")
    /// The headers of a request that is signed with a server-to-server key.
    private static let keyID = HTTPField.Name.constant("X-Apple-CloudKit-Request-KeyID")
    private static let signatureDate = HTTPField.Name.constant("X-Apple-CloudKit-Request-ISO8601Date")
    private static let signature = HTTPField.Name.constant("X-Apple-CloudKit-Request-SignatureV1")
    /// The web auth token with which a client goes on.
    static let webAuthToken = HTTPField.Name.constant("X-Apple-CloudKit-Web-Auth-Token")
    static let rateLimit = HTTPField.Name.constant("RateLimit")
    static let rateLimitPolicy = HTTPField.Name.constant("RateLimit-Policy")
    private static let link = HTTPField.Name.constant("Link")
    // Those of each answer are made once: a value is looked through for illegal bytes when its field is made.
    private static let json = HTTPField(name: .contentType, value: Reply.json)
    /// Tokens travel in the address, never in cookies, so that every page may ask.
    private static let allOrigins = HTTPField(name: .accessControlAllowOrigin, value: "*")
    private static let exposed = HTTPField(
        name: .accessControlExposeHeaders,
        value:
            "X-Apple-Request-UUID, X-Apple-CloudKit-Web-Auth-Token, x-apple-cloudkit-session, Link, Retry-After, RateLimit, "
            + "RateLimit-Policy")
    private static let accepted =
        "Content-Type, Range, If-Range, If-None-Match, X-Apple-CloudKit-Request-KeyID, X-Apple-CloudKit-Request-ISO8601Date, "
        + "X-Apple-CloudKit-Request-SignatureV1"

    /// What a server-to-server key signed; nil where a request has none of the headers.
    static func signature(of request: Request) -> RequestSignature? {
        RequestSignature(
            keyID: request.headers[keyID], date: request.headers[signatureDate],
            signature: request.headers[signature], target: request.head.path ?? "")
    }

    static func fields(for reply: Reply, requestID: String) -> HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(8)
        if let type = reply.contentType {
            fields.append(type == Reply.json ? json : HTTPField(name: .contentType, value: type))
        }
        fields.append(allOrigins)
        fields.append(exposed)
        fields.append(HTTPField(name: requestUUID, value: requestID))
        for field in reply.headers { fields.append(field) }
        if reply.status == 204 {
            fields.append(HTTPField(name: .accessControlAllowMethods, value: "GET, HEAD, POST, PUT, OPTIONS"))
            fields.append(HTTPField(name: .accessControlAllowHeaders, value: accepted))
            fields.append(HTTPField(name: .accessControlMaxAge, value: "86400"))
        }
        if reply.status >= 400 {
            // Where the limits are that the request may have met.
            fields.append(HTTPField(name: link, value: "</limits>; rel=\"describedby\""))
        }
        if reply.status == 429 || reply.status == 503 {
            fields.append(HTTPField(name: .retryAfter, value: String(reply.retryAfterSeconds)))
        }
        return fields
    }
}
