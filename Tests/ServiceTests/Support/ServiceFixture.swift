import AssetStorageFiles
import CloudKit
import Foundation
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import Synchronization
import TestSeeds
import TestSupport
import Testing

/// A service over a store in a temporary directory, with tokens for a test's users. The engine is the chosen one
/// (`STRATUS_TEST_STORE`).
struct ServiceFixture: Sendable {
    private let home: TemporaryDirectory
    var directory: String { home.path }
    let store: any RecordStore
    let service: RecordService
    let tenant: Tenant
    let sink: LogSink
    let logPath: String
    private let clock = Clock()

    /// How far the service's clock is ahead of the machine's.
    private final class Clock: Sendable {
        private let milliseconds = Atomic<Int64>(0)

        var ahead: Int64 { milliseconds.load(ordering: .relaxed) }

        func add(_ more: Int64) { milliseconds.add(more, ordering: .relaxed) }
    }

    /// Lets time pass for the service.
    func wait(seconds: Int) { clock.add(Int64(seconds) * 1_000) }

    static let apiToken = "api-token-of-the-tests"

    /// Makes a service, runs the body and removes everything.
    static func with(
        _ body: (ServiceFixture) async throws -> Void
    ) async throws {
        let fixture = try await ServiceFixture()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(fixture))
        } catch {
            result = .failure(error)
        }
        await fixture.store.close()
        fixture.sink.close()
        try result.get()
    }

    private init() async throws {
        home = try TemporaryDirectory()
        store = try StoreEngine.chosen.open(home)
        let assets = try FileAssetStore(directory: home.path + "/" + AssetPaths.folderName)
        tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .development)
        service = RecordService(
            store: store, secret: ServiceSecret(bytes: [UInt8](repeating: 7, count: 32)),
            environment: ServiceEnvironment(
                now: { [clock] in Int64(Date().timeIntervalSince1970 * 1000) + clock.ahead },
                random: { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } }),
            assets: assets)
        logPath = home.path + "/requests.log"
        sink = LogSink(descriptor: open(logPath, O_CREAT | O_WRONLY | O_APPEND, 0o600))
        try await addToken(Self.apiToken, user: nil)
    }

    /// Lets every user change the public records of a type.
    func letUsersChange(_ recordType: String?) async throws {
        guard let recordType else { return }
        try await SecurityRoles.grant(
            .write, to: SecurityGrant.signedInRole, ofTypeNamed: recordType, in: tenant, store: store)
    }

    private func addToken(_ token: String, user: String?) async throws {
        let row = TokenRow(
            kind: user == nil ? .api : .web, tenant: tenant, user: user, label: "tests", createdAt: 0,
            expiresAt: nil)
        try await store.write { store in
            let digest = AccessToken.digest(token)
            if try store.token(digest: digest) == nil { try store.insert(row, digest: digest) }
        }
    }

    /// The token of a user, made on first use.
    func webToken(of user: String) async throws -> String {
        let token = "web-token-of-\(user)"
        try await addToken(token, user: "_\(user)")
        return token
    }

    /// The container as one user's app sees it, over a transport.
    func container(user: String?, transport: any Transport) async throws -> CKContainer {
        var token: String?
        if let user { token = try await webToken(of: user) }
        return CKContainer(
            identifier: tenant.container.rawValue,
            configuration: .init(apiToken: Self.apiToken, webAuthToken: token), transport: transport)
    }

    /// What the server has beside the protocol.
    var sites: [any Site] { [AssetUploadSite(service: service), AssetDownloadSite(service: service)] }

    var requestLog: RequestLog { RequestLog(sink: sink, format: .json) }

    /// Runs a server on a free port while the body runs, and stops it by cancelling it.
    func withServer(
        history: RequestHistory = RequestHistory(), sites: [any Site] = [],
        transfers: TransferLimits = .published, budgets: MemoryBudgets = .published,
        connections: ConnectionLimits = .published, rates: RateLimits = .published,
        _ body: (URL) async throws -> Void
    ) async throws {
        try await withRunningServer(
            history: history, sites: sites, transfers: transfers, budgets: budgets, connections: connections,
            rates: rates
        ) { _, url in try await body(url) }
    }

    /// The same for a body that looks into the server.
    func withRunningServer(
        history: RequestHistory = RequestHistory(), sites: [any Site] = [],
        transfers: TransferLimits = .published, budgets: MemoryBudgets = .published,
        connections: ConnectionLimits = .published, rates: RateLimits = .published,
        _ body: (StratusServer, URL) async throws -> Void
    ) async throws {
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let server = StratusServer(
            service: service, store: store,
            options: ServerOptions(
                port: 0, version: "test", transfers: transfers, budgets: budgets, connections: connections,
                rates: rates),
            log: requestLog,
            history: history, sites: self.sites + sites, onRunning: { continuation.yield($0) })
        let running = Task { try await server.run() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(server, try #require(URL(string: "http://127.0.0.1:\(port)"))))
        } catch {
            result = .failure(error)
        }
        running.cancel()
        _ = await running.result
        try result.get()
    }
}
