public import RecordModel
import RecordStorage

/// Devices without a browser: one shows a code, its owner types it in on the sign-in page, and it gets a web auth token
/// (RFC 8628).
///
/// What the store has are digests of both codes: that of the device, which is the secret, and that of the user, which leads to
/// it. A code is good once, for ``RecordModel/Limits/deviceCodeSeconds``.
extension Accounts {
    /// What a device shows, and what it asks with.
    public struct DeviceCodes: Sendable {
        /// What the device asks with; nobody else knows it.
        public var deviceCode: String
        /// What somebody types in.
        public var userCode: String
    }

    /// What a device learns when it asks.
    public enum DeviceAnswer: Sendable {
        /// Nobody has typed in the code yet.
        case pending
        /// The device asks too often, and has to wait for so many seconds between two questions from now on.
        case slowDown(seconds: Int)
        /// The owner said no.
        case denied
        /// The code is unknown, used or too old.
        case over
        /// The token of the user.
        case granted(token: String, user: String)
    }

    /// A device that waits for its owner.
    public struct WaitingDevice: Sendable {
        /// What it calls itself.
        public var label: String
        fileprivate var digest: [UInt8]
        fileprivate var row: AccountLinkRow
    }

    /// Makes the codes of a device.
    ///
    /// - Parameters:
    ///   - apiToken: the API token of the app on it.
    ///   - tenant: of which container.
    ///   - client: the device.
    /// - Returns: nil where the token is not good here.
    /// - Throws: `THROTTLED` for an address of the network that asks for very many; `StorageError`.
    public func beginDevice(
        apiToken: String, in tenant: Tenant, client: Client
    ) async throws -> DeviceCodes? {
        guard try await app(of: apiToken, in: tenant) != nil else { return nil }
        let now = environment.now()
        guard deviceLimits.admit(from: client, to: apiToken, in: tenant, now: now) else {
            throw ServiceError.tooManyDevices
        }
        let codes = DeviceCodes(
            deviceCode: AccessToken.make(random: environment.random(32)),
            userCode: DeviceCode.text(of: environment.random(DeviceCode.length)))
        let digest = AccessToken.digest(codes.deviceCode)
        let end = now + Int64(Limits.deviceCodeSeconds) * 1_000
        let label = DeviceCode.plain(client.label)
        try await store.write { store in
            func row(_ purpose: AccountLinkRow.Purpose, _ text: String) -> AccountLinkRow {
                AccountLinkRow(
                    purpose: purpose, account: nil, address: text, tenant: tenant, apiToken: apiToken,
                    createdAt: now, expiresAt: end)
            }
            try store.insert(row(.device, label), digest: digest)
            try store.insert(
                row(.userCode, digest.hex), digest: DeviceCode.digest(codes.userCode, in: tenant))
        }
        return codes
    }

    /// What has become of a device's code. The token is given once.
    ///
    /// - Throws: `AUTHENTICATION_FAILED` where the account or its user was shut out, or the app's API token revoked,
    ///   a moment ago; `StorageError` where the store cannot be read or written; `CancellationError`.
    public func askForDevice(
        _ code: String, apiToken: String, in tenant: Tenant
    ) async throws -> DeviceAnswer {
        guard code.utf8.count == 64 else { return .over }
        let now = environment.now()
        let digest = AccessToken.digest(code)
        let row = try await store.read(.short) { try $0.accountLink(digest: digest) }
        guard let row, row.tenant == tenant, row.apiToken == apiToken, row.expiresAt > now else {
            return .over
        }
        guard row.purpose != .refusedDevice else { return .denied }
        guard row.purpose == .device else { return .over }
        if let seconds = devicePace.wait(digest, now: now) { return .slowDown(seconds: seconds) }
        guard row.account != nil else { return .pending }
        return try await store.write { [sessions] store -> DeviceAnswer in
            // Two may ask at once; the writing thread lets in the first.
            guard let row = try store.accountLink(digest: digest), let id = row.account,
                let account = try store.account(id), !account.isDisabled,
                let user = try Self.user(of: id, in: tenant, store), !user.isDisabled
            else { return .over }
            try store.deleteAccountLink(digest: digest)
            let (token, insert) = sessions.beginning(
                .web, for: account, as: user, lasting: .long, label: row.address, apiToken: apiToken)
            try insert(store)
            return .granted(token: token, user: user.recordName)
        }
    }

    /// The device that shows a code; nil where none does.
    ///
    /// - Throws: `THROTTLED` after attempts of the account that failed, wherever they came from; `StorageError`.
    public func waitingDevice(
        _ userCode: String, for session: PageSession, in tenant: Tenant
    ) async throws -> WaitingDevice? {
        let now = environment.now()
        // Who guesses others' codes has accounts and sessions of its own, and may have many addresses.
        let attempt = try beginStepFromAnywhere("device \(session.account.id)")
        let device = try await store.read(.short) { store -> WaitingDevice? in
            try Self.device(userCode, in: tenant, now: now, store)
        }
        if device != nil { succeed(attempt) }
        return device
    }

    private static func device(
        _ userCode: String, in tenant: Tenant, now: Int64, _ store: any StoreReader
    ) throws -> WaitingDevice? {
        guard let key = try store.accountLink(digest: DeviceCode.digest(userCode, in: tenant)),
            key.purpose == .userCode, key.expiresAt > now,
            let digest = AssetDigest(hex: key.address)?.bytes,
            let row = try store.accountLink(digest: digest), row.purpose == .device
        else { return nil }
        return WaitingDevice(label: row.address, digest: digest, row: row)
    }

    /// Lets the device that shows a code in as the user of a session, or sends it away. The code is used up.
    ///
    /// - Returns: false where no device waits with the code any more.
    /// - Throws: `THROTTLED`; `StorageError`.
    public func answerDevice(
        _ userCode: String, isAllowed: Bool, by session: PageSession, at place: Place
    ) async throws -> Bool {
        let tenant = place.tenant
        guard try await waitingDevice(userCode, for: session, in: tenant) != nil else {
            return false
        }
        let now = environment.now()
        let account = session.account
        return try await store.write { store in
            guard var device = try Self.device(userCode, in: tenant, now: now, store) else { return false }
            try store.deleteAccountLink(digest: DeviceCode.digest(userCode, in: tenant))
            try store.deleteAccountLink(digest: device.digest)
            device.row.account = isAllowed ? account.id : nil
            device.row.purpose = isAllowed ? .device : .refusedDevice
            try store.insert(device.row, digest: device.digest)
            if isAllowed {
                try store.insert(
                    Self.deed("account.device", "\(account.address) \(device.label)", tenant, now))
            }
            return true
        }
    }

    /// Ends the session of a web auth token, for whoever has it (RFC 7009). A token that is not good is none to end.
    ///
    /// - Throws: `StorageError` where the store cannot be read or written; `CancellationError`.
    public func endSession(ofToken token: String, in tenant: Tenant) async throws {
        guard token.utf8.count == 43 else { return }
        let digest = AccessToken.digest(token)
        let session = try await store.read(.short) { store -> String? in
            guard let row = try store.token(digest: digest), row.kind == .web, row.tenant == tenant else {
                return nil
            }
            return row.succession?.session
        }
        if let session { try await sessions.end(session) }
    }
}
