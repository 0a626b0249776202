import HTTPTypes
import HummingbirdCore

/// The address by which clients reach the server.
struct PublicAddress: Sendable {
    /// The one that was set, without a `/` at its end; nil takes the one that each request names.
    var publicURL: String?
    /// Whether connections are encrypted.
    var isSecure = false

    /// The address by which a client knows the server: the one that was set, or the one it asked.
    func base(of request: Request) -> String {
        publicURL ?? (isSecure ? "https" : "http") + "://\(request.head.authority ?? "localhost")"
    }
}
