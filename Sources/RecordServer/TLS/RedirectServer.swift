import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import RecordModel
public import ServiceLifecycle

/// Sends whoever asks over plain HTTP to the address over TLS. It reads no body, and answers one request for each connection. Its
/// connections are counted apart from the server's, of which a flood of these takes nothing.
public struct RedirectServer: Service {
    private let host: String
    private let port: Int
    private let target: String?
    private let securePort: Int
    private let onRunning: @Sendable (Int) -> Void
    /// How long a client may take to ask.
    var patience = TimeAmount.seconds(10)

    /// - Parameters:
    ///   - host: the address to listen at.
    ///   - port: the port; 0 lets the system choose.
    ///   - target: the address of the server, without a `/` at its end; nil takes the name that is asked for.
    ///   - securePort: the port of the server, for a name that is asked for.
    ///   - onRunning: called with the port when it listens.
    public init(
        host: String, port: Int, target: String?, securePort: Int,
        onRunning: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        self.target = target
        self.securePort = securePort
        self.onRunning = onRunning
    }

    /// Listens until a graceful shutdown or a cancellation.
    ///
    /// - Throws: `IOError` of SwiftNIO where the port cannot be listened at: it is in use, or needs rights;
    ///   `SocketAddressError.UnknownHost` for a name that has no address.
    public func run() async throws {
        let target = target
        let securePort = securePort
        let patience = patience
        let connections = ConnectionTable(
            capacity: Limits.redirectedConnections, share: Limits.redirectedConnectionsPerAddress)
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                // None of them is ever busy, so those that have been there for longest make room for new ones.
                _ = connections.add(channel, from: ClientAddress(channel.remoteAddress))
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(
                        RedirectHandler(target: target, securePort: securePort, patience: patience))
                }
            }
            .bind(host: host, port: port).get()
        onRunning(channel.localAddress?.port ?? port)
        await withGracefulShutdownHandler {
            await withTaskCancellationHandler {
                // However it was closed, it is.
                try? await channel.closeFuture.get()
            } onCancel: {
                channel.close(promise: nil)
            }
        } onGracefulShutdown: {
            channel.close(promise: nil)
        }
    }
}

/// Answers one request with the address over TLS.
private final class RedirectHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let target: String?
    private let securePort: Int
    private let patience: TimeAmount
    private var deadline: Scheduled<Void>?

    init(target: String?, securePort: Int, patience: TimeAmount) {
        self.patience = patience
        self.target = target
        self.securePort = securePort
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: patience) {
            channel.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        let place = address(of: head)
        var headers = HTTPHeaders([("Content-Length", "0"), ("Connection", "close")])
        if let place { headers.add(name: "Location", value: place) }
        // 308 keeps the method and the body (RFC 9110, 15.4.9).
        let answer = HTTPResponseHead(
            version: .http1_1, status: place == nil ? .badRequest : .permanentRedirect, headers: headers)
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    private func address(of head: HTTPRequestHead) -> String? {
        guard head.uri.hasPrefix("/") else { return nil }
        if let target { return target + head.uri }
        let hosts = head.headers["Host"]
        guard hosts.count == 1, let host = hosts.first, HostName.isValid(host) else { return nil }
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
        return "https://\(name)" + (securePort == 443 ? "" : ":\(securePort)") + head.uri
    }
}
