public import AssetStorageFiles
import Foundation
public import RecordEngine
public import RecordModel
public import RecordStorage
import RecordStorageOpening
public import RecordWire
import Synchronization

/// A record service over a real store in a temporary directory, with a clock that only tests move.
public final class TestCloud: Sendable {
    /// Who sends a request.
    public enum Sender: String, Sendable, CaseIterable {
        case alice, bob, carol
        /// An app without a user.
        case nobody

        /// The record name of the user.
        public var userName: String {
            "_" + String(repeating: rawValue.first.map(String.init) ?? "0", count: 32)
        }
    }

    /// An answer with its JSON read.
    public struct Answer: Sendable {
        public let status: Int
        public let json: JSONValue
        public let trace: ServiceTrace

        /// The error's code, of the whole request.
        public var code: String? { json["serverErrorCode"].string }
        /// The records of the answer.
        public var records: [JSONValue] { json["records"].elements }
        /// The zones of the answer.
        public var zones: [JSONValue] { json["zones"].elements }
        /// The error codes of the records, in their order; nil for those that went well.
        public var codes: [String?] { records.map { $0["serverErrorCode"].string } }
        /// The names of the records, in their order.
        public var names: [String] { records.compactMap { $0["recordName"].string } }
    }

    private let clock = Clock()
    private let requests = Atomic<Int>(0)
    private let current: Mutex<(store: any RecordStore, service: RecordService)>
    private let indexes: IndexRules
    private let quotas: StorageQuotas
    private let home: TemporaryDirectory
    /// Where copies of the store are, which go with the cloud.
    private let copies = Mutex<[TemporaryDirectory]>([])
    private let engine: StoreEngine
    /// The container of requests that name none.
    public let container: ContainerID

    /// A clock that goes one millisecond further whenever it is looked at.
    private final class Clock: Sendable {
        private let time = Mutex<Int64>(1_700_000_000_000)

        func tick(_ milliseconds: Int64 = 1) -> Int64 {
            time.withLock { time in
                time += milliseconds
                return time
            }
        }
    }

    /// Lets time pass, and gives the time then.
    @discardableResult
    public func wait(milliseconds: Int64) -> Int64 { clock.tick(milliseconds) }

    /// Opens a cloud with tokens for everybody in both environments.
    ///
    /// - Parameters:
    ///   - indexes: whether queries need the schema's indexes.
    ///   - quotas: how much may be stored.
    ///   - engine: what the records are kept by.
    public init(
        indexes: IndexRules = .open, quotas: StorageQuotas = StorageQuotas(), engine: StoreEngine = .chosen
    ) async throws {
        home = try TemporaryDirectory()
        self.engine = engine
        container = try ContainerID("iCloud.test")
        self.indexes = indexes
        self.quotas = quotas
        let store = try engine.open(home)
        let assets = try FileAssetStore(directory: home.path + "/" + AssetPaths.folderName)
        current = Mutex((store, Self.service(store, assets, clock, indexes, quotas)))
        for environment in CloudEnvironment.allCases {
            let tenant = Tenant(container: container, environment: environment)
            try await addToken("api", .api, tenant, user: nil)
            for sender in Sender.allCases where sender != .nobody {
                try await addToken(sender.rawValue, .web, tenant, user: sender.userName)
            }
        }
    }

    private static func service(
        _ store: any RecordStore, _ assets: FileAssetStore, _ clock: Clock,
        _ indexes: IndexRules, _ quotas: StorageQuotas
    ) -> RecordService {
        RecordService(
            store: store, secret: ServiceSecret(bytes: Array(repeating: 7, count: 32)),
            environment: ServiceEnvironment(
                now: { clock.tick() },
                random: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } }),
            indexes: indexes, quotas: quotas, assets: assets)
    }

    /// The folder of the files.
    public var assetPaths: AssetPaths { AssetPaths(root: home.path + "/" + AssetPaths.folderName) }

    /// The store.
    public var store: any RecordStore { current.withLock { $0.store } }
    /// The service.
    public var service: RecordService { current.withLock { $0.service } }

    /// Closes the store and opens it again, as a restart does.
    public func reopen() async throws {
        await store.close()
        let store = try engine.open(home)
        let assets = try FileAssetStore(directory: home.path + "/" + AssetPaths.folderName)
        let service = Self.service(store, assets, clock, indexes, quotas)
        current.withLock { $0 = (store, service) }
    }

    /// Copies the store into one of another engine, as `stratus copy-store` does, and goes on with the copy.
    public func moveToCopy(_ engine: StoreEngine) async throws {
        let home = try TemporaryDirectory()
        copies.withLock { $0.append(home) }
        let target = try engine.open(home)
        let copy = StoreCopy(from: store, to: target)
        try await copy.copy()
        let (from, to) = try await copy.compare()
        guard from == to else { throw TestFailure("The copy is not what was copied.") }
        try await copy.finish()
        await target.close()
        await store.close()
        let opened = try engine.open(home)
        let assets = try FileAssetStore(directory: self.home.path + "/" + AssetPaths.folderName)
        let service = Self.service(opened, assets, clock, indexes, quotas)
        current.withLock { $0 = (opened, service) }
    }

    /// Another service on the same store, as another node of a PostgreSQL is one: neither hears of the other.
    public func makeNode() throws -> RecordService {
        let assets = try FileAssetStore(directory: home.path + "/" + AssetPaths.folderName)
        return Self.service(store, assets, clock, indexes, quotas)
    }

    /// Another service on a store of its own, as another node's process has it on the same PostgreSQL. Whoever makes it closes
    /// the store.
    public func makeNodeWithStore() throws -> (store: any RecordStore, service: RecordService) {
        let store = try engine.open(home)
        let assets = try FileAssetStore(directory: home.path + "/" + AssetPaths.folderName)
        return (store, Self.service(store, assets, clock, indexes, quotas))
    }

    /// Closes the store; the directory goes with the cloud.
    public func close() async { await store.close() }

    /// Runs a test with a cloud of its own and closes it afterwards.
    ///
    /// - Parameter engine: what the records are kept by, where the test is about one.
    public static func run(
        indexes: IndexRules = .open, quotas: StorageQuotas = StorageQuotas(), engine: StoreEngine = .chosen,
        _ body: (TestCloud) async throws -> Void
    ) async throws {
        let cloud = try await TestCloud(indexes: indexes, quotas: quotas, engine: engine)
        do {
            try await body(cloud)
        } catch {
            await cloud.close()
            throw error
        }
        await cloud.close()
    }

    /// Adds rights of a role with public records of a type.
    public func grant(
        _ permissions: SecurityPermissions, to role: String, type: String = "Note",
        environment: CloudEnvironment = .development
    ) async throws {
        try await SecurityRoles.grant(
            permissions, to: role, ofTypeNamed: type,
            in: Tenant(container: container, environment: environment), store: store)
    }

    /// Stores a token: its text is the environment and a name.
    public func addToken(
        _ name: String, _ kind: TokenRow.Kind, _ tenant: Tenant, user: String?, expiresAt: Int64? = nil
    ) async throws {
        let row = TokenRow(
            kind: kind, tenant: tenant, user: user, label: name, createdAt: 0, expiresAt: expiresAt)
        let digest = AccessToken.digest("\(tenant)-\(name)")
        try await store.write { try $0.insert(row, digest: digest) }
    }

    /// Sends a request.
    public func send(
        _ endpoint: Endpoint, _ body: JSONValue, as sender: Sender = .alice,
        in scope: DatabaseScope = .private,
        environment: CloudEnvironment = .development
    ) async throws -> Answer {
        try await send(endpoint, bytes: body.bytes, as: sender, in: scope, environment: environment)
    }

    /// Sends a request of raw bytes.
    public func send(
        _ endpoint: Endpoint, bytes: [UInt8], as sender: Sender = .alice, in scope: DatabaseScope = .private,
        environment: CloudEnvironment = .development
    ) async throws -> Answer {
        let tenant = Tenant(container: container, environment: environment)
        let credentials = Credentials(
            apiToken: "\(tenant)-api", webAuthToken: sender == .nobody ? nil : "\(tenant)-\(sender.rawValue)")
        return try await send(endpoint, bytes: bytes, credentials: credentials, tenant: tenant, in: scope)
    }

    /// Sends a request to the public database as an operator.
    public func administer(
        _ endpoint: Endpoint, _ body: JSONValue, environment: CloudEnvironment = .development,
        in scope: DatabaseScope = .public, lookingAs user: String? = nil
    ) async throws -> Answer {
        let answer = await service.answer(
            ServiceCall(
                endpoint: endpoint, tenant: Tenant(container: container, environment: environment),
                scope: scope, credentials: Credentials(apiToken: nil, webAuthToken: nil),
                body: body.bytes, requestID: "operator",
                administration: Administration(name: "root", owner: user)))
        return Answer(status: answer.status, json: try JSONReader.read(answer.body), trace: answer.trace)
    }

    /// Sends a request with any credentials.
    public func send(
        _ endpoint: Endpoint, bytes: [UInt8], credentials: Credentials, tenant: Tenant,
        in scope: DatabaseScope
    ) async throws -> Answer {
        let answer = await service.answer(
            ServiceCall(
                endpoint: endpoint, tenant: tenant, scope: scope, credentials: credentials, body: bytes,
                requestID: "request-\(requests.add(1, ordering: .relaxed).newValue)"))
        return Answer(
            status: answer.status, json: try JSONReader.read(answer.body), trace: answer.trace)
    }
}
