internal import Foundation

/// What a provider says of itself (OpenID Connect Discovery 1.0, 3).
struct ProviderDescription: Decodable, Sendable {
    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let keysAddress: String
    /// How the provider wants the client's secret; nil means by HTTP's basic authentication.
    let secretMethods: [String]?

    private enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case keysAddress = "jwks_uri"
        case secretMethods = "token_endpoint_auth_methods_supported"
    }

    /// Where an issuer describes itself.
    static func address(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// Reads the description of an issuer.
    ///
    /// - Throws: ``ProviderFailure`` for another issuer's, and for addresses to which no secret may go.
    static func read(_ body: [UInt8], of issuer: String) throws(ProviderFailure) -> ProviderDescription {
        guard let description = try? JSONDecoder().decode(Self.self, from: Data(body)) else {
            throw ProviderFailure(.badDescription, "'\(issuer)' has no description of a provider.")
        }
        guard description.issuer == issuer else {
            throw ProviderFailure(
                .badDescription,
                "The description of '\(issuer)' is that of '\(description.issuer.prefix(200))'.")
        }
        for address in [
            description.authorizationEndpoint, description.tokenEndpoint, description.keysAddress,
        ] where !isGood(address, of: issuer) {
            throw ProviderFailure(
                .badDescription, "The description of '\(issuer)' has the address '\(address.prefix(200))'.")
        }
        return description
    }

    /// `https`; plain HTTP only from this machine to itself, as in tests of an app.
    private static func isGood(_ address: String, of issuer: String) -> Bool {
        guard address.utf8.count <= 2_000, address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: address), let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.fragment == nil
        else { return false }
        if parts.scheme == "https" { return true }
        return parts.scheme == "http" && isLocal(host)
            && isLocal(URLComponents(string: issuer)?.host ?? "") && issuer.hasPrefix("http://")
    }

    private static func isLocal(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
    }
}
