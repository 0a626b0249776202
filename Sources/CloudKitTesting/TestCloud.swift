import Foundation
public import RecordEngine
public import RecordModel
import RecordStorage
import RecordStorageMemory
public import StratusCloudKit
import Synchronization

/// A whole record service in the process of a test: the server's own engine over a store in memory that goes away
/// with it. No file, no socket, no account, no network.
///
/// ```swift
/// let cloud = try await TestCloud()
/// let database = try await cloud.container(user: "ada").privateCloudDatabase
/// …
/// await cloud.close()
/// ```
///
/// What the app sees is what a server would answer: same rules, same limits, same errors, same order.
public final class TestCloud: Sendable {
    /// The identifier of the containers that the cloud gives out.
    public let containerIdentifier: String
    /// The environment that they are in.
    public let environment: CKContainer.ServiceConfiguration.Environment
    /// What goes wrong on purpose.
    public let faults = CloudFaults()
    /// The engine, for tests that want to look behind the client.
    public let service: RecordService

    private let store = MemoryStore()
    private let desk = ListenerRegistry()
    private let tenant: Tenant
    private static let apiToken = "test-api-token"

    /// Starts an empty cloud.
    ///
    /// - Parameters:
    ///   - containerIdentifier: the container's name.
    ///   - environment: in production only a deployed schema is accepted.
    ///   - now: the cloud's clock, in milliseconds since 1970; nil for that of the machine.
    /// - Throws: `ServiceError` with the code `BAD_REQUEST` for an identifier that is not valid.
    public init(
        containerIdentifier: String = "iCloud.test",
        environment: CKContainer.ServiceConfiguration.Environment = .development,
        now: (@Sendable () -> Int64)? = nil
    ) async throws {
        let now = now ?? { Int64(Date().timeIntervalSince1970 * 1000) }
        self.containerIdentifier = containerIdentifier
        self.environment = environment
        tenant = Tenant(
            container: try ContainerID(containerIdentifier),
            environment: environment == .production ? .production : .development)
        service = RecordService(
            store: store, secret: ServiceSecret(bytes: Array("the secret of a cloud for tests!".utf8)),
            environment: ServiceEnvironment(
                now: now,
                random: { count in
                    var generator = SystemRandomNumberGenerator()
                    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
                }),
            assets: MemoryAssetStore(now: now))
        let token = TokenRow(
            kind: .api, tenant: tenant, user: nil, label: "tests", createdAt: now(), expiresAt: nil,
            asksForPeople: true)
        try await store.write { try $0.insert(token, digest: AccessToken.digest(Self.apiToken)) }
    }

    /// The container as one user's app sees it; nil for an app that nobody is signed in to.
    ///
    /// Each user has a private database of their own, and a shared one with what others share with them:
    ///
    /// ```swift
    /// let ada = try await cloud.container(user: "ada")
    /// let ben = try await cloud.container(user: "ben")
    /// // Ada saves a share with a participant …
    /// _ = try await ben.accept(try await ben.shareMetadata(for: url)) as CKShare
    /// let zones = try await ben.sharedCloudDatabase.allRecordZones()
    /// ```
    /// - Throws: `StorageError` where the user cannot be stored.
    public func container(user: String?) async throws -> CKContainer {
        var webAuthToken: String?
        if let user {
            let token = "test-user-\(user)"
            let row = TokenRow(
                kind: .web, tenant: tenant, user: Self.recordName(of: user), label: user, createdAt: 0,
                expiresAt: nil)
            try await store.write { store in
                let digest = AccessToken.digest(token)
                if try store.token(digest: digest) == nil { try store.insert(row, digest: digest) }
            }
            webAuthToken = token
        }
        return CKContainer(
            identifier: containerIdentifier,
            configuration: .init(
                environment: environment, apiToken: Self.apiToken, webAuthToken: webAuthToken),
            transport: InProcessTransport(service: service, faults: faults, listeners: desk))
    }

    /// Grants rights to a role with records of a type in the public database, beside those that were granted before.
    ///
    /// - Parameters:
    ///   - permissions: the rights.
    ///   - role: `_world`, `_icloud`, `_creator`, or a role that was given to somebody.
    ///   - recordType: the type, which is made where it is missing.
    /// - Throws: `ServiceError` for a role that does not exist.
    public func grant(
        _ permissions: SecurityPermissions, to role: String, onRecordType recordType: String
    ) async throws {
        try await SecurityRoles.grant(
            permissions, to: role, ofTypeNamed: recordType, in: tenant, store: store)
    }

    /// Answers for a user whether others may find them, as users do on their account page.
    ///
    /// - Parameters:
    ///   - isAllowed: the answer.
    ///   - user: who answers.
    ///   - givenName: the given name that others see.
    ///   - familyName: the family name that others see.
    ///   - emailAddress: the address of the user's account; nil for a user without one.
    /// - Throws: `StorageError` where it cannot be stored.
    public func setDiscovery(
        _ isAllowed: Bool, of user: String, givenName: String = "", familyName: String = "",
        emailAddress: String? = nil
    ) async throws {
        let name = Self.recordName(of: user)
        var row = UserRow(tenant: tenant, recordName: name, label: user, createdAt: 0)
        if emailAddress != nil { row.account = String(name.dropFirst()) }
        let discovery = UserDiscovery(isAllowed: isAllowed, givenName: givenName, familyName: familyName)
        try await store.write { [row] store in
            if let account = row.account, let emailAddress {
                try store.store(
                    AccountRow(id: account, address: emailAddress.lowercased(), createdAt: 0))
                if try store.user(named: name, of: row.tenant)?.account == nil {
                    let roles = try store.user(named: name, of: row.tenant)?.roles ?? []
                    try store.deleteUser(named: name, of: row.tenant)
                    var row = row
                    row.roles = roles
                    try store.insert(row)
                }
            } else if try store.user(named: name, of: row.tenant) == nil {
                try store.insert(row)
            }
            try store.setDiscovery(discovery, ofUserNamed: name, tenant: row.tenant)
        }
    }

    /// Gives a user a security role, which is declared where it is new.
    ///
    /// - Throws: `StorageError` where it cannot be stored.
    public func give(role: String, to user: String) async throws {
        let row = UserRow(
            tenant: tenant, recordName: Self.recordName(of: user), label: user, createdAt: 0)
        try await store.write { [tenant] store in
            let roles = try store.schema(of: tenant).roles
            if !roles.contains(role) { try store.setRoles(roles + [role], tenant: tenant) }
            if try store.user(named: row.recordName, of: tenant) == nil { try store.insert(row) }
        }
        try await SecurityRoles.give(role, to: row.recordName, in: tenant, store: store)
    }

    /// Brings the development schema to production, as `stratus schema deploy` does.
    ///
    /// - Throws: `ServiceError` where the two environments contradict each other.
    public func deploySchema() async throws {
        _ = try await SchemaDeployment.deploy(container: tenant.container, store: store)
    }

    /// Waits until those who listen to `CKDatabase.notifications()` have been told of everything that was committed
    /// before the call, and are done with it: they ask for the next notification.
    ///
    /// So a test changes something, delivers, and looks at what the app made of it, without waiting for a time. Somebody
    /// listens from the first poll on: to be sure that a task that was just started does, deliver once before the
    /// first change, with the number of listeners that there have to be.
    /// - Parameters:
    ///   - listeners: how many have to listen.
    ///   - patience: how long to wait for them; one that has not come back by then counts as gone.
    /// - Returns: whether all were told.
    @discardableResult
    public func deliverNotifications(
        listeners: Int = 0, within patience: Duration = .seconds(30)
    ) async -> Bool {
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end, !Task.isCancelled {
            if await desk.haveAllBeenTold(atLeast: listeners, by: service) { return true }
            // Listeners need a moment to take what they are told.
            guard (try? await Task.sleep(for: .milliseconds(1))) != nil else { break }
        }
        desk.forgetBusy()
        return false
    }

    /// Stops the cloud; requests fail from now on.
    public func close() async { await store.close() }

    /// The user record name that a user of the cloud has: the same in every run.
    public static func recordName(of user: String) -> String {
        let digits = AccessToken.make(random: AccessToken.digest("user:" + user))
        return "_" + digits.prefix(32)
    }
}
