import Crypto
import Foundation
import RecordModel
import RecordStorage
import RecordWire

/// The name that Sign in with Apple tells beside its answer, the first time that somebody lets an app in.
///
/// Nobody signs it: the browser brings it. So it counts as much as what people type on their account page, and is bounded
/// like that; what is not a name, or too long, counts as none and keeps nobody out.
struct ProvidedName: Sendable, Hashable {
    /// Who tells names in this way.
    static let issuer = "https://appleid.apple.com"
    /// The longest text that is looked at, in bytes.
    private static let longest = 4_096

    let givenName: String
    let familyName: String

    private init?(_ givenName: String?, _ familyName: String?) {
        self.givenName = (try? Accounts.name(givenName ?? "")) ?? ""
        self.familyName = (try? Accounts.name(familyName ?? "")) ?? ""
        guard !self.givenName.isEmpty || !self.familyName.isEmpty else { return nil }
    }

    /// Reads Apple's `{"name": {"firstName": …, "lastName": …}, "email": …}`; nil where it tells no name.
    init?(user text: String) {
        guard text.utf8.count <= Self.longest,
            let name = try? JSONReader.read(Array(text.utf8)).object?["name"]?.object
        else { return nil }
        self.init(name["firstName"]?.string, name["lastName"]?.string)
    }

    fileprivate init?(_ bytes: [UInt8]) {
        var bytes = TokenBytes(bytes)
        guard case .text(let givenName)? = bytes.readValue(), case .text(let familyName)? = bytes.readValue()
        else { return nil }
        self.init(givenName, familyName)
    }

    fileprivate var bytes: [UInt8] {
        var bytes = TokenBytes()
        bytes.write(StorageValue.text(givenName))
        bytes.write(StorageValue.text(familyName))
        return bytes.bytes
    }
}

extension Accounts {
    /// The name in what Apple posts, for the address with which the browser comes back; nil where there is none.
    ///
    /// Addresses stay in histories and in the logs of proxies, so that only this server can read it there.
    ///
    /// - Parameters:
    ///   - user: the form's `user`.
    ///   - state: the form's `state`: the name is read again beside that one only.
    public func carriedName(ofUser user: String, besides state: String) -> String? {
        guard let name = ProvidedName(user: user),
            let nonce = try? AES.GCM.Nonce(data: environment.random(12)),
            let box = try? AES.GCM.seal(name.bytes, using: nameKey(state), nonce: nonce).combined
        else { return nil }
        return Base64.encodeURL(Array(box))
    }

    func providedName(carried text: String?, besides state: String) -> ProvidedName? {
        guard let text, let bytes = Base64.decode(text), let box = try? AES.GCM.SealedBox(combined: bytes),
            let name = try? AES.GCM.open(box, using: nameKey(state))
        else { return nil }
        return ProvidedName(Array(name))
    }

    private func nameKey(_ state: String) -> SymmetricKey {
        SymmetricKey(data: code("provider name", state, 32))
    }

    /// The user with the name that the provider told, which others see only after the person has agreed; with the one that
    /// it has where there is one, or where the person has answered.
    static func keep(
        _ name: ProvidedName?, from provider: SignInProviderRow, of user: UserRow, _ store: any StoreWriter
    ) throws -> UserRow {
        guard let name, provider.issuer == ProvidedName.issuer, user.discovery == UserDiscovery() else {
            return user
        }
        var user = user
        user.discovery.givenName = name.givenName
        user.discovery.familyName = name.familyName
        try store.setDiscovery(user.discovery, ofUserNamed: user.recordName, tenant: user.tenant)
        return user
    }
}
