import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import RecordModel

/// A connection over HTTP/1.1 that nobody can use up: it ends when its client takes nothing of an answer, and it
/// holds only so many requests at once.
struct GuardedChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    /// How long its client may take nothing of what waits for it.
    let stall: TimeAmount
    let connections: ConnectionTable
    let proxies: TrustedProxies
    /// What the connection is encrypted with; nil for plain HTTP.
    var certificates: CertificateStore?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            // A server that stops lets go of connections that it has accepted and not begun to handle, and NIO stops
            // the process where an open one's writer goes away unfinished. A closed one's is finished.
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
            let pipeline = channel.pipeline.syncOperations
            if let certificates {
                try pipeline.addHandlers(
                    [
                        NIOSSLServerHandler(context: certificates.certificate.context),
                        TLSGuard(patience: .seconds(Int64(Limits.handshakeSeconds))),
                    ], position: .first)
            }
            try pipeline.addHandler(StalledAnswerHandler(stall: stall), position: .first)
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let use = connections.add(channel, from: proxies.client(of: channel))
            try pipeline.addHandler(RequestGuard(use), position: .after(decoder))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        // What is done for a client that left is given up.
        let work = Task { await base.handle(value: value, logger: logger) }
        value.channel.closeFuture.whenComplete { _ in work.cancel() }
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
    }
}
