internal import Foundation
internal import JWTKit

/// The public keys of a provider (RFC 7517).
struct PublishedKeys: Sendable {
    /// One of them, as far as it matters here.
    struct Key: Decodable, Hashable, Sendable {
        let kty: String
        let kid: String?
        let alg: String?
        let use: String?
        let crv: String?
        let n: String?
        let e: String?
        let x: String?
        let y: String?
    }

    /// What cannot be read is no key; the others count.
    private struct Document: Decodable {
        struct Entry: Decodable {
            let key: Key?
            init(from decoder: any Decoder) throws { key = try? Key(from: decoder) }
        }
        let keys: [Entry]
    }

    /// The most keys that are looked at.
    private static let most = 64
    /// The longest number of a key, in letters of base64: 8,192 bits. Checking costs more with larger ones.
    private static let longestNumber = 1_400

    private let keys: [Key]

    /// Reads a list of keys.
    ///
    /// - Throws: ``ProviderFailure``.
    init(_ body: [UInt8]) throws(ProviderFailure) {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(body)) else {
            throw ProviderFailure(.badDescription, "The provider's list of keys cannot be read.")
        }
        keys = document.keys.prefix(Self.most).compactMap(\.key).filter { key in
            [key.n, key.e, key.x, key.y].allSatisfy { $0?.utf8.count ?? 0 <= Self.longestNumber }
        }
    }

    /// The key that a token says it was signed with; nil for none.
    ///
    /// A token without a key's id is checked where one key alone can have signed it.
    func key(named name: String?, for algorithm: TokenAlgorithm) -> Key? {
        let fitting = keys.filter { algorithm.fits($0) }
        guard let name else { return fitting.count == 1 ? fitting[0] : nil }
        return fitting.first { $0.kid == name }
    }
}

/// The ways of signing that are taken: those with a public key. `none` is not one, nor is HS256, for which the client's
/// secret or a published key would be the key.
enum TokenAlgorithm: String, Sendable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case eddsa = "EdDSA"

    private var keyType: String {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "RSA"
        case .es256, .es384, .es512: "EC"
        case .eddsa: "OKP"
        }
    }

    private var curve: String? {
        switch self {
        case .es256: "P-256"
        case .es384: "P-384"
        case .es512: "P-521"
        case .eddsa: "Ed25519"
        default: nil
        }
    }

    /// Whether a key is one for signing in this way.
    func fits(_ key: PublishedKeys.Key) -> Bool {
        key.kty == keyType && key.use ?? "sig" == "sig" && key.alg ?? rawValue == rawValue
            && (curve == nil || key.crv == curve)
    }

    /// The key in the form in which tokens are checked with it; nil where a number of it is missing.
    func jwk(_ key: PublishedKeys.Key, identifier: JWKIdentifier) -> JWK? {
        guard let algorithm = JWK.Algorithm(rawValue: rawValue) else { return nil }
        switch keyType {
        case "RSA":
            guard let n = key.n, let e = key.e else { return nil }
            return .rsa(algorithm, identifier: identifier, modulus: n, exponent: e)
        case "EC":
            guard let x = key.x, let y = key.y, let curve = key.crv.flatMap({ ECDSACurve(rawValue: $0) })
            else { return nil }
            return .ecdsa(algorithm, identifier: identifier, x: x, y: y, curve: curve)
        default:
            guard let x = key.x, let curve = key.crv.flatMap({ EdDSACurve(rawValue: $0) }) else { return nil }
            return .octetKeyPair(algorithm, identifier: identifier, x: x, y: nil, curve: curve)
        }
    }
}
