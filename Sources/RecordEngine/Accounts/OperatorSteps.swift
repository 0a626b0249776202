import Crypto
import RecordModel
public import RecordStorage

/// The second step of operators: a code of an authenticator app after the secret or the link, or one of ten recovery codes.
///
/// Between the two steps a browser has a ticket, of which the store knows the digest. The key of a new app is made of the
/// ticket, so nothing is kept of it before somebody has shown that the app has it.
public final class OperatorSteps: Sendable {
    /// A key for an authenticator app.
    public struct Offer: Sendable {
        /// The key as people type it.
        public var key: String
        /// The key as apps take it over.
        public var link: String
    }

    /// What came of a code that was tried: what the write of ``setUp(_:code:client:)`` and ``pass(_:code:client:)`` gives back.
    public struct Attempt: Sendable {
        /// The operator of the ticket.
        public let operatorName: String
        /// Whether the code was right.
        public let isRight: Bool
    }

    /// How long a ticket is good, in milliseconds.
    public static let ticketMilliseconds: Int64 = 10 * 60_000

    private let store: any RecordStore
    private let environment: ServiceEnvironment
    private let attempts = AttemptLimits()

    /// Makes the second steps of a store's operators.
    public init(store: any RecordStore, environment: ServiceEnvironment) {
        self.store = store
        self.environment = environment
    }

    /// Whether an operator has set one up.
    ///
    /// - Throws: `StorageError` where the store cannot be read.
    public static func isOn(_ name: String, _ reader: any StoreReader) throws -> Bool {
        try reader.operatorTokens(of: name).contains { $0.kind == .oneTimeCode }
    }

    /// What a ticket's operator adds to an app; nil for a ticket that is too old, and for who has an app already.
    ///
    /// - Throws: `StorageError` where the store cannot be read.
    public func offer(_ ticket: String) async throws -> Offer? {
        let now = environment.now()
        let name = try await store.read(.short) { store throws -> String? in
            guard let name = try Self.name(of: ticket, now: now, store), try !Self.isOn(name, store)
            else { return nil }
            return name
        }
        return name.map { name in
            let key = OneTimeCode.text(of: Self.key(of: ticket))
            return Offer(key: key, link: OneTimeCode.link(key: key, issuer: "Stratus", account: name))
        }
    }

    /// Sets the second step up, for whoever shows that the app has the key. The ticket is used up, and what browsers
    /// entered before without the step ends.
    ///
    /// - Returns: the operator and the recovery codes, which are shown once; nil for a ticket that is too old.
    /// - Throws: `AUTHENTICATION_FAILED` for a wrong code; `THROTTLED`; `StorageError`.
    public func setUp(
        _ ticket: String, code: String, client: String
    ) async throws -> (name: String, recoveryCodes: [String])? {
        let now = environment.now()
        let key = Self.key(of: ticket)
        let codes = OneTimeCode.recoveryCodes(environment.random)
        let name = try await trying(ticket, client, now) { name, store in
            guard try !Self.isOn(name, store) else { return nil }
            guard let step = OneTimeCode.step(of: code, secret: key, now: now) else { return false }
            for (row, digest) in try Self.tokens(of: name, store)
            where row.kind == .session || row.kind == .recoveryCode {
                try store.deleteOperatorToken(digest: digest)
            }
            try Self.insert(.oneTimeCode, OneTimeCode.Kept(key: key, step: step).bytes, name, now, store)
            for code in codes { try Self.insert(.recoveryCode, Self.digest(code, name), name, now, store) }
            return true
        }
        return name.map { ($0, codes) }
    }

    /// The operator of a ticket whose second step a code passes. The ticket and the code are used up.
    ///
    /// - Returns: nil for a ticket that is too old.
    /// - Throws: `AUTHENTICATION_FAILED` for a wrong or used code; `THROTTLED`; `StorageError`.
    public func pass(_ ticket: String, code: String, client: String) async throws -> String? {
        let now = environment.now()
        return try await trying(ticket, client, now) { name, store in
            guard try Self.isOn(name, store) else { return nil }
            return try Self.use(code, of: name, now: now, store)
        }
    }

    /// Forgets the second step of an operator, who has lost the app and the recovery codes.
    ///
    /// - Returns: whether there was one.
    /// - Throws: `NOT_FOUND` where there is no operator of that name.
    public static func forget(_ name: String, in store: any RecordStore) async throws -> Bool {
        try await store.write { store in
            guard try store.operators().contains(where: { $0.name == name }) else {
                throw ServiceError(
                    .notFound, "There is no operator '\(name)'.",
                    remedy: "'stratus operator list' shows them, 'stratus operator add' makes one.")
            }
            let wasOn = try isOn(name, store)
            for (row, digest) in try tokens(of: name, store)
            where row.kind == .oneTimeCode || row.kind == .recoveryCode {
                try store.deleteOperatorToken(digest: digest)
            }
            return wasOn
        }
    }

    // MARK: In the store

    /// Tries a code, with the waits that passwords have.
    ///
    /// - Parameter check: whether the code is right; nil where the ticket is for something else.
    private func trying(
        _ ticket: String, _ client: String, _ now: Int64,
        _ check: @escaping @Sendable (String, any StoreWriter) throws -> Bool?
    ) async throws -> String? {
        guard let name = try await store.read(.short, { try Self.name(of: ticket, now: now, $0) }) else {
            return nil
        }
        let wait = attempts.begin(account: name, client: client, now: now)
        guard wait <= 0 else { throw ServiceError.tooManyAttempts(milliseconds: wait) }
        let attempt = try await store.write { store throws -> Attempt? in
            // Two may use one ticket at once; the writing thread lets in the first.
            guard try Self.name(of: ticket, now: now, store) == name else { return nil }
            guard let isRight = try check(name, store) else { return nil }
            if isRight { try store.deleteOperatorToken(digest: AccessToken.digest(ticket)) }
            return Attempt(operatorName: name, isRight: isRight)
        }
        guard let attempt else { return nil }
        guard attempt.isRight else {
            throw ServiceError(.authenticationFailed, "The code is wrong, or was used.")
        }
        attempts.succeed(account: name, client: client)
        return name
    }

    private static func name(of ticket: String, now: Int64, _ reader: any StoreReader) throws -> String? {
        guard ticket.utf8.count == 64,
            let row = try reader.operatorToken(digest: AccessToken.digest(ticket)), row.kind == .ticket,
            row.expiresAt ?? 0 > now, try reader.operators().contains(where: { $0.name == row.operatorName })
        else { return nil }
        return row.operatorName
    }

    /// Tries a code, which is good no longer then. Wrong ones are counted with the key; after ``Accounts/mostWrongCodes`` of
    /// them only a recovery code is good.
    private static func use(
        _ code: String, of name: String, now: Int64, _ store: any StoreWriter
    ) throws -> Bool {
        let tokens = try Self.tokens(of: name, store)
        let recovery = digest(code, name)
        let app = tokens.first { $0.row.kind == .oneTimeCode }
        var kept = app.flatMap { OneTimeCode.Kept($0.digest) }
        let isRecovery = tokens.contains { $0.row.kind == .recoveryCode && $0.digest == recovery }
        var isRight = isRecovery
        if isRecovery {
            try store.deleteOperatorToken(digest: recovery)
            kept?.failures = 0
        } else {
            guard let failures = kept?.failures, failures < Accounts.mostWrongCodes else { return false }
            isRight = kept?.use(code, now: now) ?? false
        }
        if let app, let kept, kept.bytes != app.digest {
            try store.deleteOperatorToken(digest: app.digest)
            try insert(.oneTimeCode, kept.bytes, name, app.row.createdAt, store)
        }
        return isRight
    }

    private static func tokens(
        of name: String, _ reader: any StoreReader
    ) throws -> [(row: OperatorTokenRow, digest: [UInt8])] {
        try reader.digestedTokens(ofOperator: name).map { ($0.token, $0.digest) }
    }

    private static func insert(
        _ kind: OperatorTokenRow.Kind, _ digest: [UInt8], _ name: String, _ now: Int64,
        _ store: any StoreWriter
    ) throws {
        try store.insert(
            OperatorTokenRow(kind: kind, operatorName: name, createdAt: now, expiresAt: nil), digest: digest)
    }

    private static func key(of ticket: String) -> [UInt8] {
        Array(SHA256.hash(data: Array("operator's app \(ticket)".utf8)).prefix(OneTimeCode.secretBytes))
    }

    /// What the store has of a recovery code: 80 random bits need no stretching.
    private static func digest(_ code: String, _ name: String) -> [UInt8] {
        AccessToken.digest("operator \(name) \(OneTimeCode.plain(recoveryCode: code))")
    }
}
