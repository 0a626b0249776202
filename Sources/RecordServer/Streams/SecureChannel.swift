import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOSSL
import NIOTLS
import RecordModel

/// A connection over TLS, which speaks HTTP/2 where its client can and HTTP/1.1 else (ALPN, RFC 7301).
///
/// Over HTTP/2 each request is a channel of its own, with a ``StreamGuard`` in front, and is handled as a connection over
/// HTTP/1.1 with one request is; why not by Hummingbird's HTTP/2 is in Documentation/decisions/0030.
struct SecureChannel: ServerChildChannel {
    static let http2 = "h2"
    static let http1 = "http/1.1"

    struct Value: ServerChildChannelValue {
        let channel: any Channel
        /// What the client chose; fails where it goes before.
        let version: EventLoopFuture<Version>
    }

    enum Version: Sendable {
        case http1(GuardedChannel.Value)
        case http2(NIOHTTP2Handler.AsyncStreamMultiplexer<Stream>)
    }

    /// One request over HTTP/2.
    struct Stream: Sendable {
        let value: GuardedChannel.Value
        /// Held until nothing is done for it any more; nil where there was none.
        let place: StreamPlaces.Place?
    }

    let plain: GuardedChannel
    let certificates: CertificateStore
    let places: StreamPlaces

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let use = plain.connections.add(channel, from: plain.proxies.client(of: channel))
            let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Version> { chosen, channel in
                if case .negotiated(Self.http2) = chosen { return setupHTTP2(channel, use) }
                return plain.setup(channel: channel, use: use, logger: logger).map { .http1($0) }
            }
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(StalledAnswerHandler(stall: plain.stall))
            try pipeline.addHandler(NIOSSLServerHandler(context: certificates.certificate.context))
            try pipeline.addHandler(TLSGuard(patience: .seconds(Int64(Limits.handshakeSeconds))))
            try pipeline.addHandler(negotiation)
            return Value(channel: channel, version: negotiation.protocolNegotiationResult)
        }
    }

    private func setupHTTP2(_ channel: any Channel, _ use: ConnectionUse) -> EventLoopFuture<Version> {
        channel.eventLoop.makeCompletedFuture {
            let manager = NIOHTTP2ServerConnectionManagementHandler(
                eventLoop: channel.eventLoop, configuration: StreamLimits.manager)
            let farewell = FarewellHandler(channel)
            let client = plain.proxies.client(of: channel)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(FrameGuard(farewell))
            let streams = try pipeline.configureAsyncHTTP2Pipeline(
                mode: .server, streamDelegate: StreamCounter(use, manager.http2StreamDelegate),
                frameDelegate: farewell, configuration: StreamLimits.handler
            ) { stream in setupStream(stream, of: client) }
            try pipeline.addHandlers([farewell, manager])
            // It comes to a connection that is open already: the clock of one that never asks would not begin.
            if channel.isActive { manager.channelActive(context: try pipeline.context(handler: manager)) }
            return .http2(streams)
        }
    }

    private func setupStream(_ channel: any Channel, of client: ClientAddress?) -> EventLoopFuture<Stream> {
        channel.eventLoop.makeCompletedFuture {
            let place = places.take(for: client)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(StreamGuard(stall: plain.stall, isRefused: place == nil))
            try pipeline.addHandler(StreamLimits.codec())
            let value = try GuardedChannel.Value(
                wrappingChannelSynchronously: channel,
                configuration: .init(backPressureStrategy: StreamLimits.readAhead))
            value.stays(as: channel)
            return Stream(value: value, place: place)
        }
    }

    func handle(value: Value, logger: Logger) async {
        await withTaskCancellationHandler {
            do {
                switch try await value.version.get() {
                case .http1(let connection): await plain.handle(value: connection, logger: logger)
                case .http2(let connection): try await handle(connection.inbound, logger)
                }
            } catch {
                // The client left, or spoke what is not HTTP/2: nothing of the service failed.
                logger.debug("A connection over TLS ended.", metadata: ["error": "\(error)"])
            }
        } onCancel: {
            value.channel.close(promise: nil)
        }
    }

    private func handle(_ streams: NIOHTTP2AsyncSequence<Stream>, _ logger: Logger) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for try await stream in streams {
                group.addTask {
                    await plain.handle(value: stream.value, logger: logger)
                    stream.place?.end()
                }
            }
        }
    }
}
