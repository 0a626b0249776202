import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
public import RecordEngine
import RecordModel
public import RecordStorage
public import ServiceLifecycle

/// How a server shows itself to the world.
public struct ServerOptions: Sendable {
    /// The address to listen at.
    public var host: String
    /// The port; 0 lets the system choose one.
    public var port: Int
    /// The version that `/healthz` and `/limits` name.
    public var version: String
    /// The address by which clients reach the server where something is in front of it, without a `/` at
    /// its end; nil takes the one that each request names.
    public var publicURL: String?
    /// How patient the server is with slow clients.
    public var transfers: TransferLimits
    /// How much memory requests may take together.
    public var budgets: MemoryBudgets
    /// The addresses of proxies, whose `X-Forwarded-For` tells where requests come from; those of this machine need
    /// not be named.
    public var trustedProxies: [String]
    /// How many connections there may be.
    public var connections: ConnectionLimits
    /// How many requests a minute each address, user and token may send.
    public var rates: RateLimits
    /// What connections are encrypted with; nil for plain HTTP.
    public var certificates: CertificateStore?

    /// Collects the options.
    public init(
        host: String = "127.0.0.1", port: Int = 8080, version: String = "dev", publicURL: String? = nil,
        transfers: TransferLimits = .published, budgets: MemoryBudgets = .published,
        trustedProxies: [String] = [], connections: ConnectionLimits = .published,
        rates: RateLimits = .published, certificates: CertificateStore? = nil
    ) {
        self.certificates = certificates
        self.rates = rates
        self.budgets = budgets
        self.trustedProxies = trustedProxies
        self.connections = connections
        self.transfers = transfers
        self.host = host
        self.port = port
        self.version = version
        self.publicURL = publicURL
    }
}

/// The record service over HTTP: sockets, addresses, headers, logs and metrics around a `RecordService`.
///
/// It is a service of swift-service-lifecycle. When it is asked to stop, it turns `/readyz` red, takes no more
/// connections, and lets what runs end.
public struct StratusServer: Service {
    private let application: Application<ServiceResponder>
    let state: ServerState
    private let service: RecordService

    /// Puts a server together; nothing listens yet.
    ///
    /// - Parameters:
    ///   - service: what answers.
    ///   - store: whose health `/readyz` tells.
    ///   - options: where it listens, and what it tells of itself.
    ///   - log: where one line for each request goes.
    ///   - history: what remembers the requests; it is saved while the server runs and when it stops.
    ///   - sites: what is served beside the protocol. The first whose prefix fits answers; one with an empty
    ///     prefix comes last.
    ///   - reports: what else `/readyz` and `/metrics` tell.
    ///   - start: what browsers get at `/`; programs get JSON there.
    ///   - onRunning: called with the port when the server listens.
    public init(
        service: RecordService, store: any RecordStore, options: ServerOptions, log: RequestLog,
        history: RequestHistory = RequestHistory(), sites: [any Site] = [],
        reports: ServerReports = ServerReports(),
        start: (any Site)? = nil,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        let state = ServerState(
            store: store, version: options.version, history: history, transfers: options.transfers,
            budgets: options.budgets,
            connections: ConnectionTable(
                capacity: OpenFileLimit.connections(wanting: options.connections.all),
                share: options.connections.perAddress, networkShare: options.connections.perNetwork),
            streams: StreamPlaces(
                capacity: options.connections.all, share: options.connections.perAddress,
                networkShare: options.connections.perNetwork),
            proxies: TrustedProxies(
                options.trustedProxies, trustsLoopback: options.connections.trustsLoopback),
            rates: options.rates, lostLogLines: { log.lostLines }, reports: reports)
        let responder = ServiceResponder(
            service: service, state: state, log: log,
            sites: [CourierSite(service: service)] + sites.filter { !$0.prefix.isEmpty }
                + sites.filter(\.prefix.isEmpty), start: start,
            address: PublicAddress(publicURL: options.publicURL, isSecure: options.certificates != nil))
        var configuration = ApplicationConfiguration(
            address: .hostname(options.host, port: options.port), serverName: nil,
            // A new one is taken before an old one goes.
            availableConnectionsDelegate: MaximumAvailableConnections(
                options.connections.all + Self.connectionsToSpare))
        configuration.reuseAddress = true
        var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
        decoder.maxHeaderListSize = Limits.requestHeadBytes
        decoder.maxHeaderFieldSize = Limits.requestHeadBytes
        var channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: InterimResponse.handlers(), httpDecoderConfiguration: decoder)
        channel.idleTimeout = .seconds(Int64(Limits.idleConnectionSeconds))
        application = Application(
            responder: responder,
            server: HTTPServerBuilder { [channel] others in
                let plain = GuardedChannel(
                    base: HTTP1Channel(
                        responder: responder.answering(handingOn: others), configuration: channel),
                    stall: TimeAmount(options.transfers.stall), connections: state.connections,
                    proxies: state.proxies)
                guard let certificates = options.certificates else { return plain }
                return SecureChannel(plain: plain, certificates: certificates, places: state.streams)
            },
            configuration: configuration,
            onServerRunning: { channel in
                state.set(.ready)
                await onRunning(channel.localAddress?.port ?? options.port)
            },
            // The framework's own remarks matter only when something is wrong. It gives each request a logger of its own, so
            // nothing of it may be made before it is written.
            logger: log.logger(label: "stratus.http", level: .warning))
        self.state = state
        self.service = service
    }

    /// Listens until a graceful shutdown or a cancellation.
    ///
    /// - Throws: `IOError` of SwiftNIO where the address cannot be listened at: it is in use, or needs rights;
    ///   `SocketAddressError.UnknownHost` for a name that has no address.
    public func run() async throws {
        let deadlines = state.deadlines
        let bodies = state.bodies
        let answers = state.answers
        let memory = state.memory
        let history = state.history
        let service = service
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await deadlines.watch(bodies, answers) }
            group.addTask { await memory.watch() }
            group.addTask { await history.keep() }
            try await withGracefulShutdownHandler {
                try await application.run()
            } onGracefulShutdown: {
                state.set(.draining)
                history.endTails()
                Task { await service.drainReceivers() }
            }
            group.cancelAll()
        }
    }

    /// How many connections may exist that are about to be closed.
    private static let connectionsToSpare = 256
}
