import Crypto
import Foundation
public import RecordModel
public import RecordStorage
import RecordWire

/// Programs of a person's machine that have its browser come back to a port of theirs (RFC 8252).
///
/// The browser carries a code that is good once and for ``RecordModel/Limits/programCodeSeconds``, and only for who knows
/// what its challenge was made of (RFC 7636): another program that sees the address gets nothing.
extension Accounts {
    /// Where a program waits for its browser.
    public struct Program: Sendable, Hashable {
        /// Its address, on this machine: `http://127.0.0.1:49152/`.
        public var redirect: String
        /// What it knows the answer by.
        public var state: String
        /// The SHA-256 of its secret, in base64url.
        public var challenge: String

        /// Takes what an address of the sign-in page says.
        ///
        /// - Returns: nil for what no program sends: another address than one of this machine with a port, a challenge that
        ///   is none, or an app whose API token does not allow it.
        public init?(
            redirect: String, state: String?, challenge: String?, method: String?, of app: TokenRow
        ) {
            guard Accounts.admits(redirect: redirect, to: app), let state, let challenge, method == "S256",
                (8...Limits.programStateBytes).contains(state.utf8.count), Self.isPlain(state),
                challenge.utf8.count == 43, Self.isPlain(challenge)
            else { return nil }
            (self.redirect, self.state, self.challenge) = (redirect, state, challenge)
        }

        /// Letters that no address escapes.
        private static func isPlain(_ text: String) -> Bool {
            text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._~".utf8.contains(byte)
                }
            }
        }

        /// Where the browser goes.
        public func address(code: String) -> String { "\(redirect)?code=\(code)&state=\(state)" }
    }

    /// Whether the browser may be sent to an address of this machine: to any port, with the host and the path of the app's
    /// callback; in development also where the app has neither a callback nor origins.
    static func admits(redirect: String, to app: TokenRow) -> Bool {
        guard let parts = programAddress(redirect), parts.port != nil else { return false }
        guard let callback = app.callback else {
            return app.origins.isEmpty && app.tenant.environment == .development
        }
        guard let allowed = programAddress(callback), allowed.port == nil else { return false }
        return (allowed.host, allowed.path) == (parts.host, parts.path)
    }

    /// An address at which a program waits; nil for another one.
    private static func programAddress(_ text: String) -> (host: String, port: Int?, path: String)? {
        guard text.utf8.count <= SignInTargets.longestCallback,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            let parts = URLComponents(string: text), parts.scheme == "http", let host = parts.host,
            ["127.0.0.1", "[::1]", "::1"].contains(host), parts.user == nil, parts.password == nil,
            parts.query == nil, parts.fragment == nil, parts.path.isEmpty || parts.path.hasPrefix("/"),
            parts.port.map({ (1...65_535).contains($0) }) ?? true
        else { return nil }
        return (host, parts.port, parts.path.isEmpty ? "/" : parts.path)
    }

    /// Makes the code with which a program gets a token.
    ///
    /// - Throws: `StorageError`.
    public func beginProgram(
        _ program: Program, for account: AccountRow, apiToken: String, in tenant: Tenant
    ) async throws -> String {
        let code = AccessToken.make(random: environment.random(32))
        let now = environment.now()
        try await store.write { store in
            try store.insert(
                AccountLinkRow(
                    purpose: .program, account: account.id,
                    address: "\(program.challenge) \(program.redirect)",
                    tenant: tenant, apiToken: apiToken, createdAt: now,
                    expiresAt: now + Int64(Limits.programCodeSeconds) * 1_000),
                digest: AccessToken.digest(code))
        }
        return code
    }

    /// Gives a program the token for its code, once: an attempt that fails uses the code up, too.
    ///
    /// - Parameters:
    ///   - code: what the browser brought.
    ///   - verifier: what the challenge was made of.
    ///   - redirect: where the browser was sent.
    ///   - apiToken: the app's, for which the code was given.
    ///   - tenant: the app's container and environment.
    ///   - client: who asks; the session is named after it.
    /// - Returns: ``DeviceAnswer/granted(token:user:)`` or ``DeviceAnswer/over``.
    /// - Throws: `StorageError`.
    public func redeemProgram(
        _ code: String, verifier: String, redirect: String, apiToken: String, in tenant: Tenant,
        client: Client
    ) async throws -> DeviceAnswer {
        guard code.utf8.count == 64, (43...128).contains(verifier.utf8.count) else { return .over }
        let now = environment.now()
        let digest = AccessToken.digest(code)
        let challenge = Base64.encodeURL(Array(SHA256.hash(data: Array(verifier.utf8))))
        let owner = try await store.write { store -> (AccountRow, UserRow)? in
            guard let row = try store.accountLink(digest: digest), row.purpose == .program else { return nil }
            try store.deleteAccountLink(digest: digest)
            guard row.tenant == tenant, row.apiToken == apiToken, row.expiresAt > now,
                ConstantTime.areEqual(row.address.utf8, "\(challenge) \(redirect)".utf8),
                let id = row.account, let account = try store.account(id), !account.isDisabled,
                let user = try Self.user(of: id, in: tenant, store)
            else { return nil }
            return (account, user)
        }
        guard let (account, user) = owner else { return .over }
        let token = try await sessions.begin(
            .web, for: account, as: user, lasting: .long, label: DeviceCode.plain(client.label))
        return .granted(token: token, user: user.recordName)
    }
}

extension TokenRow {
    /// Where browsers are sent with a token; nil where the callback is one that programs of a machine name a port for.
    public var webCallback: String? {
        guard let callback, let parts = URLComponents(string: callback), parts.scheme == "http",
            parts.port == nil, ["127.0.0.1", "[::1]", "::1"].contains(parts.host ?? "")
        else { return callback }
        return nil
    }
}
