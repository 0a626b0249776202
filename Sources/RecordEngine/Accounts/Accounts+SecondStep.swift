public import RecordModel
public import RecordStorage
import RecordWire

/// The second step of signing in: a code of an authenticator app, or one of ten recovery codes, each good once.
extension Accounts {
    /// What an account has of a second step.
    public struct SecondStep: Sendable {
        /// Whether one is asked for.
        public var isOn: Bool
        /// How many recovery codes were not used.
        public var recoveryCodes: Int
    }

    /// A key for an authenticator app, before somebody has shown that the app has it.
    public struct SecondStepOffer: Sendable {
        /// The key as people type it.
        public var key: String
        /// The key as apps take it over.
        public var link: String
        /// What the form carries along.
        public var sealed: String
    }

    private static let ticketMilliseconds: Int64 = 10 * 60_000

    /// What an account has.
    ///
    /// - Throws: `StorageError` where the store cannot be read.
    public func secondStep(of account: AccountRow) async throws -> SecondStep {
        let rows = try await store.read(.short) { try $0.credentials(of: account.id) }
        return SecondStep(
            isOn: rows.contains { $0.kind == .oneTimeCode },
            recoveryCodes: rows.count { $0.kind == .recoveryCode })
    }

    /// Makes a key, for whoever knows the password.
    ///
    /// - Throws: `AUTHENTICATION_FAILED`, `THROTTLED`.
    public func offerSecondStep(
        to account: AccountRow, password: String, title: String, client: Client
    ) async throws -> SecondStepOffer {
        try await prove(password, of: account, client: client)
        let secret = environment.random(OneTimeCode.secretBytes)
        return offer(secret, to: account, title: title)
    }

    /// The offer of a form again, after a code that was wrong; nil for one that is too old, or another account's.
    public func repeatedOffer(_ sealed: String, to account: AccountRow, title: String) -> SecondStepOffer? {
        secret(in: sealed, of: account).map { offer($0, to: account, title: title) }
    }

    private func offer(_ secret: [UInt8], to account: AccountRow, title: String) -> SecondStepOffer {
        var bytes = TokenBytes()
        bytes.write(environment.now() + Self.ticketMilliseconds)
        let key = OneTimeCode.text(of: secret)
        let name = title.filter { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" }
        let issuer = name.utf8.allSatisfy { $0 < 0x80 } && !name.isEmpty ? name : "Stratus"
        return SecondStepOffer(
            key: key,
            link: OneTimeCode.link(key: key, issuer: issuer, account: account.address),
            sealed: SealedToken.seal(
                bytes.bytes + secret, for: Array("second step \(account.id)".utf8), in: .address,
                secret: self.secret))
    }

    private func secret(in sealed: String, of account: AccountRow) -> [UInt8]? {
        guard
            let payload = SealedToken.open(
                sealed, for: Array("second step \(account.id)".utf8), secret: secret),
            payload.count == 8 + OneTimeCode.secretBytes
        else { return nil }
        var bytes = TokenBytes(Array(payload.prefix(8)))
        guard let end = bytes.readInt(), end > environment.now() else { return nil }
        return Array(payload.suffix(OneTimeCode.secretBytes))
    }

    /// FairQueue the second step on, for whoever shows that the app has the key.
    ///
    /// - Returns: the recovery codes, which are shown once; nil for a wrong code.
    /// - Throws: `EXISTS` where it is on already; `StorageError` where the store cannot be written. The second step stays as it
    ///   was then.
    public func turnOnSecondStep(
        of account: AccountRow, sealed: String, code: String, at place: Place
    ) async throws -> [String]? {
        let now = environment.now()
        guard let secret = secret(in: sealed, of: account),
            let step = OneTimeCode.step(of: code, secret: secret, now: now)
        else { return nil }
        let codes = OneTimeCode.recoveryCodes(environment.random)
        try await store.write { store in
            // Who has the password alone cannot put a key of their own in the place of the owner's.
            guard try !store.credentials(of: account.id).contains(where: { $0.kind == .oneTimeCode }) else {
                throw ServiceError(
                    .exists, "The second step is on already.", remedy: "Turn it off first, with a code.")
            }
            try Self.removeSecondStep(account.id, store)
            try store.store(
                CredentialRow(
                    account: account.id, kind: .oneTimeCode, name: account.id,
                    secret: OneTimeCode.Kept(key: secret, step: step).bytes, createdAt: now))
            for code in codes {
                try store.store(
                    CredentialRow(
                        account: account.id, kind: .recoveryCode,
                        name: Self.name(ofRecoveryCode: code, account.id),
                        secret: [1], createdAt: now))
            }
            try store.insert(Self.deed("account.second.on", account.address, place.tenant, now))
        }
        if let address = MailAddress(account.address) { await notify(.secondStepOn, address, at: place) }
        return codes
    }

    /// FairQueue the second step off, for whoever knows the password and has a code. The owner is told.
    ///
    /// - Throws: `AUTHENTICATION_FAILED` for another password, `THROTTLED` after very many of them;
    ///   ``DepartureRefusal/wrongCode``; `StorageError` where the store cannot be written.
    public func turnOffSecondStep(
        of account: AccountRow, password: String, code: String, at place: Place, client: Client
    ) async throws {
        try await prove(password, of: account, client: client)
        guard try await secondStep(of: account).isOn else { return }
        let now = environment.now()
        let isRight = try await tryCode(code, of: account, at: place, client: client) { store in
            try Self.removeSecondStep(account.id, store)
            try store.insert(Self.deed("account.second.off", account.address, place.tenant, now))
        }
        guard isRight else { throw DepartureRefusal.wrongCode }
        if let address = MailAddress(account.address) { await notify(.secondStepOff, address, at: place) }
    }

    private static func removeSecondStep(_ account: String, _ store: any StoreWriter) throws {
        for row in try store.credentials(of: account)
        where row.kind == .oneTimeCode || row.kind == .recoveryCode {
            try store.deleteCredential(row.kind, named: row.name)
        }
    }

    // MARK: Signing in

    /// What a form carries from the first step to the second one. It ends when the account gets another password.
    public func ticket(for account: AccountRow, in tenant: Tenant) -> String {
        var bytes = TokenBytes()
        bytes.write(environment.now() + Self.ticketMilliseconds)
        return SealedToken.seal(
            bytes.bytes + Array(account.id.utf8), for: Array("ticket \(tenant)".utf8), in: .address,
            secret: secret)
    }

    /// The account of a ticket whose second step a code passes, as a user of the tenant.
    ///
    /// - Returns: nil for a ticket that is too old, or older than the account's password.
    /// - Throws: `AUTHENTICATION_FAILED` for a wrong or used code; `THROTTLED`.
    public func passSecondStep(
        _ ticket: String, code: String, at place: Place, client: Client
    ) async throws -> (account: AccountRow, user: UserRow)? {
        let tenant = place.tenant
        guard let payload = SealedToken.open(ticket, for: Array("ticket \(tenant)".utf8), secret: secret),
            payload.count > 8
        else { return nil }
        var bytes = TokenBytes(Array(payload.prefix(8)))
        let id = String(decoding: payload.dropFirst(8), as: UTF8.self)
        let now = environment.now()
        guard let end = bytes.readInt(), end > now else { return nil }
        let issued = end - Self.ticketMilliseconds
        /// The account, unless who passed the first step did it with a password that is not its own any more.
        @Sendable func known(_ reader: any StoreReader) throws -> AccountRow? {
            let password = try reader.credentials(of: id).first { $0.kind == .password }
            if let password, password.createdAt > issued { return nil }
            return try reader.account(id)
        }
        guard let account = try await store.read(.short, { try known($0) }) else { return nil }
        let isRight = try await tryCode(code, of: account, at: place, client: client) { _ in }
        guard isRight, !account.isDisabled,
            let user = try await store.read(
                .short, { try known($0) == nil ? nil : Self.user(of: id, in: tenant, $0) })
        else { throw ServiceError(.authenticationFailed, "The code is wrong.") }
        return (account, user)
    }

    /// Codes that may be wrong one after the other; from then on only a recovery code is good (NIST SP 800-63B, 5.2.2). Who
    /// gets here knows the password.
    static let mostWrongCodes: Int64 = 100

    /// What became of a code.
    struct TriedCode: Sendable {
        /// Whether it was right.
        var isRight: Bool
        /// Whether it was the last one that may be wrong.
        var isLast = false
    }

    /// Tries a code of the second step, with the waits that passwords have.
    ///
    /// - Parameter work: what is done in the same write where the code is right.
    /// - Throws: `THROTTLED`; `StorageError`.
    func tryCode(
        _ code: String, of account: AccountRow, at place: Place, client: Client,
        _ work: @escaping @Sendable (any StoreWriter) throws -> Void
    ) async throws -> Bool {
        let attempt = try beginStep("second step \(account.address)", by: client)
        let now = environment.now()
        let tried = try await store.write { store in
            let tried = try Self.use(code, of: account.id, now: now, store)
            if tried.isRight { try work(store) }
            if tried.isLast {
                try store.insert(Self.deed("account.second.stop", account.address, place.tenant, now))
            }
            return tried
        }
        if tried.isRight { succeed(attempt) }
        if tried.isLast, let address = MailAddress(account.address) {
            await notify(.secondStepStopped, address, at: place)
        }
        return tried.isRight
    }

    /// Tries a code, which is good no longer then. Wrong ones are counted with the key, until one is right.
    static func use(
        _ code: String, of account: String, now: Int64, _ store: any StoreWriter
    ) throws -> TriedCode {
        let rows = try store.credentials(of: account)
        let recovery = name(ofRecoveryCode: code, account)
        let app = rows.first { $0.kind == .oneTimeCode }
        let known = app.flatMap { OneTimeCode.Kept($0.secret) }
        if rows.contains(where: { $0.kind == .recoveryCode && $0.name == recovery }) {
            try store.deleteCredential(.recoveryCode, named: recovery)
            try forgetWrongCodes(of: account, store)
            return TriedCode(isRight: true)
        }
        guard var row = app, var kept = known, kept.failures < mostWrongCodes else {
            return TriedCode(isRight: false)
        }
        let isRight = kept.use(code, now: now)
        row.secret = kept.bytes
        try store.store(row)
        return TriedCode(isRight: isRight, isLast: kept.failures >= mostWrongCodes)
    }

    /// Takes codes of the app again, for whoever has shown to be the owner by a recovery code or the mail address.
    static func forgetWrongCodes(of account: String, _ store: any StoreWriter) throws {
        guard var row = try store.credentials(of: account).first(where: { $0.kind == .oneTimeCode }),
            var kept = OneTimeCode.Kept(row.secret), kept.failures > 0
        else { return }
        kept.failures = 0
        row.secret = kept.bytes
        try store.store(row)
    }

    /// What the store has of a recovery code: 80 random bits need no stretching.
    private static func name(ofRecoveryCode code: String, _ account: String) -> String {
        AccessToken.digest("\(account) \(OneTimeCode.plain(recoveryCode: code))").hex
    }
}
