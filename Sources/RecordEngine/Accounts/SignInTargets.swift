import Foundation
import RecordModel

/// Where the sign-in page may send people: what an operator said when making the app's API token, and nothing else.
enum SignInTargets {
    /// The most origins of one token.
    static let mostOrigins = 50
    /// The longest callback, in bytes.
    static let longestCallback = 2_000

    /// - Throws: `BAD_REQUEST` for what is not an address of an app, or no origin.
    static func check(callback: String?, origins: [String]) throws(ServiceError) {
        if let callback { try check(callback: callback) }
        guard origins.count <= mostOrigins else {
            throw ServiceError(.badRequest, "A token has at most \(mostOrigins) origins.")
        }
        for origin in origins where !isOrigin(origin) {
            throw ServiceError(
                .badRequest, "'\(origin.prefix(100))' is not an origin.",
                remedy:
                    "Write it as browsers do: https://app.example.org, with a port where it is not the usual one."
            )
        }
    }

    /// `https` everywhere, `http` to this machine, and schemes of apps, as CloudKit has them: `cloudkit-…`.
    private static func check(callback: String) throws(ServiceError) {
        let parts = URLComponents(string: callback)
        let scheme = parts?.scheme?.lowercased() ?? ""
        let host = parts?.host ?? ""
        let isOfThisMachine = ["localhost", "127.0.0.1", "[::1]", "::1"].contains(host)
        let isGood =
            scheme == "https" && !host.isEmpty || scheme == "http" && isOfThisMachine
            || scheme.contains(/^[a-z][a-z0-9+.\-]*[.\-][a-z0-9+.\-]*$/)
        let isPlain = callback.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isGood, isPlain, parts?.fragment == nil, parts?.user == nil,
            callback.utf8.count <= longestCallback
        else {
            throw ServiceError(
                .badRequest,
                "'\(callback.prefix(100))' is not an address that the sign-in page can send people to.",
                remedy:
                    "Give an https address, or one with a scheme of the app: cloudkit-icloud.com.example.app://"
            )
        }
    }

    private static func isOrigin(_ text: String) -> Bool {
        guard let parts = URLComponents(string: text), ["https", "http"].contains(parts.scheme),
            parts.host?.isEmpty == false, parts.path.isEmpty, parts.query == nil, parts.fragment == nil,
            parts.user == nil
        else { return false }
        return text == text.lowercased() && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
