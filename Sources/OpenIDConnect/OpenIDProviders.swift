internal import Foundation
public import RecordEngine
public import RecordStorage
internal import Synchronization

/// Providers of OpenID Connect: Authorization Code with PKCE, state and nonce; descriptions and keys by discovery.
///
/// What providers say of themselves is kept for an hour, in memory. A token that names a key which is not known, or that the
/// known key of that name did not sign, has the keys asked for again: at most once a minute for each provider, so that nobody
/// can make this server ask without end.
public final class OpenIDProviders: IdentityProviders {
    private struct Kept<Value: Sendable>: Sendable {
        let value: Value
        /// Milliseconds since 1970.
        let at: Int64
    }

    private struct Memory: Sendable {
        var descriptions: [String: Kept<ProviderDescription>] = [:]
        var keys: [String: Kept<PublishedKeys>] = [:]
        var failures: [String: Kept<ProviderFailure>] = [:]
    }

    /// How long what a provider says of itself is kept.
    static let keptMilliseconds: Int64 = 3_600_000
    /// How long it takes at least until keys are asked for again.
    static let keyPauseMilliseconds: Int64 = 60_000
    /// How long a provider that did not answer is left alone.
    static let failureMilliseconds: Int64 = 5_000
    /// The most providers that are remembered.
    private static let most = 1_024

    private let environment: ServiceEnvironment
    private let transport: ProviderTransport
    private let memory = Mutex(Memory())

    /// Takes a clock.
    public convenience init(environment: ServiceEnvironment) {
        self.init(environment: environment, seconds: ProviderTransport.seconds)
    }

    init(environment: ServiceEnvironment, seconds: Double) {
        self.environment = environment
        transport = ProviderTransport(seconds: seconds)
    }

    /// Checks whether an issuer describes itself as a provider.
    ///
    /// - Throws: ``ProviderFailure``.
    public func check(issuer: String) async throws {
        let description = try await description(of: issuer)
        _ = try await keys(of: description, issuer)
    }

    public func address(of provider: SignInProviderRow, for visit: ProviderVisit) async throws -> String {
        let description = try await description(of: provider.issuer)
        var query = [
            ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", visit.redirect),
            ("scope", provider.scopes), ("state", visit.state), ("nonce", visit.nonce),
            ("code_challenge", visit.challenge), ("code_challenge_method", "S256"),
        ]
        if provider.postsForm { query.append(("response_mode", "form_post")) }
        let text = query.map { "\($0)=\(FormText.encoded($1))" }.joined(separator: "&")
        let address = description.authorizationEndpoint
        return address + (address.contains("?") ? "&" : "?") + text
    }

    public func identity(
        at provider: SignInProviderRow, code: String, for visit: ProviderVisit
    ) async throws -> ProvidedIdentity {
        let description = try await description(of: provider.issuer)
        let token = try await token(provider, description, code, visit)
        guard let head = IDToken.head(of: token) else {
            throw ProviderFailure(.badToken, "The provider's token is not signed in a way that is taken.")
        }
        let claims = try await claims(of: token, head, by: description, provider.issuer)
        try claims.check(
            IDToken.Expectation(
                issuer: provider.issuer, clientID: provider.clientID, nonce: visit.nonce,
                now: Double(environment.now()) / 1_000))
        return claims.identity
    }

    /// What a token says, if the key that it names has signed it.
    private func claims(
        of token: String, _ head: (algorithm: TokenAlgorithm, key: String?),
        by description: ProviderDescription,
        _ issuer: String
    ) async throws -> IDToken {
        let known = try await keys(of: description, issuer).key(named: head.key, for: head.algorithm)
        if let known, let claims = try await IDToken.checked(token, head.algorithm, known) { return claims }
        let fresh = try await keys(of: description, issuer, isOutdated: true)
            .key(named: head.key, for: head.algorithm)
        guard let fresh else { throw ProviderFailure(.badToken, "The provider's token has an unknown key.") }
        guard fresh != known, let claims = try await IDToken.checked(token, head.algorithm, fresh) else {
            let name = (fresh.kid ?? "").prefix(100)
            throw ProviderFailure(.badToken, "The provider's key '\(name)' has not signed its token.")
        }
        return claims
    }

    /// Gives the code for a token.
    private func token(
        _ provider: SignInProviderRow, _ description: ProviderDescription, _ code: String,
        _ visit: ProviderVisit
    ) async throws -> String {
        struct Answer: Decodable {
            let idToken: String
            private enum CodingKeys: String, CodingKey { case idToken = "id_token" }
        }
        let proof = try await ClientProof(
            provider, description.secretMethods, now: Double(environment.now()) / 1_000)
        let (status, body) = try await transport.post(
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", visit.redirect),
                ("code_verifier", visit.verifier),
            ] + proof.form, to: description.tokenEndpoint, headers: proof.headers)
        guard status == 200, let answer = try? JSONDecoder().decode(Answer.self, from: Data(body)) else {
            throw ProviderFailure(.refused, "'\(provider.issuer)' gave no token: status \(status).")
        }
        return answer.idToken
    }

    private func description(of issuer: String) async throws -> ProviderDescription {
        let now = environment.now()
        if let kept = memory.withLock({ $0.descriptions[issuer] }), kept.at + Self.keptMilliseconds > now {
            return kept.value
        }
        let address = ProviderDescription.address(of: issuer)
        return try await ask(address, now) { memory, found in
            memory.descriptions[issuer] = Kept(value: found, at: now)
        } read: { body in
            try ProviderDescription.read(body, of: issuer)
        }
    }

    /// - Parameter isOutdated: whether those that are kept lack a key, or have another one under its name.
    private func keys(
        of description: ProviderDescription, _ issuer: String, isOutdated: Bool = false
    ) async throws -> PublishedKeys {
        let now = environment.now()
        let lifetime = isOutdated ? Self.keyPauseMilliseconds : Self.keptMilliseconds
        if let kept = memory.withLock({ $0.keys[issuer] }), kept.at + lifetime > now { return kept.value }
        return try await ask(description.keysAddress, now) { memory, found in
            memory.keys[issuer] = Kept(value: found, at: now)
        } read: { body in
            try PublishedKeys(body)
        }
    }

    /// Asks for a document, unless it has just failed to come.
    private func ask<Value: Sendable>(
        _ address: String, _ now: Int64, keep: @Sendable (inout Memory, Value) -> Void,
        read: @Sendable ([UInt8]) throws -> Value
    ) async throws -> Value {
        if let failure = memory.withLock({ $0.failures[address] }),
            failure.at + Self.failureMilliseconds > now
        {
            throw failure.value
        }
        do {
            let value = try read(try await transport.get(address))
            memory.withLock { memory in
                if memory.descriptions.count + memory.keys.count > Self.most { memory = Memory() }
                memory.failures[address] = nil
                keep(&memory, value)
            }
            return value
        } catch let failure as ProviderFailure where failure.code != .busy {
            // That too many requests are under way here is no fault of this provider.
            memory.withLock { memory in
                if memory.failures.count > Self.most { memory.failures = [:] }
                memory.failures[address] = Kept(value: failure, at: now)
            }
            throw failure
        }
    }
}
