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
    /// - Throws: `StorageError` where the code cannot be stored.
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

    /// Gives a program the token for its code, once: an attempt that fails uses the code up, too. Where two have a code and
    /// its secret, nobody knows which of them is the program: the second one ends the session of the first
    /// (RFC 6749, 4.1.2).
    ///
    /// - Parameters:
    ///   - code: what the browser brought.
    ///   - verifier: what the challenge was made of.
    ///   - redirect: where the browser was sent.
    ///   - apiToken: the app's, for which the code was given.
    ///   - tenant: the app's container and environment.
    ///   - client: who asks; the session is named after it.
    /// - Returns: ``DeviceAnswer/granted(token:user:)`` or ``DeviceAnswer/over``.
    /// - Throws: `AUTHENTICATION_FAILED` where the app's API token was revoked a moment ago, which leaves the code unused;
    ///   `StorageError` where the store cannot be read or written.
    public func redeemProgram(
        _ code: String, verifier: String, redirect: String, apiToken: String, in tenant: Tenant,
        client: Client
    ) async throws -> DeviceAnswer {
        guard code.utf8.count == 64, (43...128).contains(verifier.utf8.count) else { return .over }
        let now = environment.now()
        let digest = AccessToken.digest(code)
        let challenge = Base64.encodeURL(Array(SHA256.hash(data: Array(verifier.utf8))))
        let session = environment.random(16).hex
        let (outcome, ended) = try await store.write { [self] store -> (DeviceAnswer, Bool) in
            guard var row = try store.accountLink(digest: digest), row.purpose == .program else {
                return (.over, false)
            }
            let used = UsedCode(row.address)
            let proof = used?.proof ?? row.address
            let isGood =
                row.tenant == tenant && row.apiToken == apiToken && row.expiresAt > now
                && ConstantTime.areEqual(proof.utf8, "\(challenge) \(redirect)".utf8)
            if let used {
                if isGood { try store.deleteSession(used.session) }
                return (.over, isGood)
            }
            try store.deleteAccountLink(digest: digest)
            guard isGood, let id = row.account, let account = try store.account(id), !account.isDisabled,
                let user = try Self.user(of: id, in: tenant, store), !user.isDisabled
            else { return (.over, false) }
            let (token, insert) = sessions.beginning(
                .web, for: account, as: user, lasting: .long, label: DeviceCode.plain(client.label),
                id: session, apiToken: apiToken)
            try insert(store)
            row.address = UsedCode(session: session, proof: row.address).text
            try store.insert(row, digest: digest)
            return (.granted(token: token, user: user.recordName), false)
        }
        if ended { sessions.forget() }
        return outcome
    }
}

/// What stands in the place of a code's proof once it was used, until it would have ended.
private struct UsedCode {
    /// No challenge begins so: it has 43 letters.
    private static let mark = "used"

    /// The session that it began.
    var session: String
    /// The challenge and the program's address.
    var proof: String

    init(session: String, proof: String) {
        self.session = session
        self.proof = proof
    }

    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == Self.mark else { return nil }
        self.init(session: String(parts[1]), proof: String(parts[2]))
    }

    var text: String { "\(Self.mark) \(session) \(proof)" }
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
