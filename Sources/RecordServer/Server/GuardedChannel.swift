import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
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

    /// What the first read of a connection has room for. NIO keeps the room while the connection is open, and doubles it
    /// for a client that fills it; most requests fit.
    private static let firstReadBytes = 1_024
    /// What NIO would take at least and at most without being told.
    private static let (leastReadBytes, mostReadBytes) = (64, 65_536)

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let use = connections.add(channel, from: proxies.client(of: channel))
        do {
            try channel.syncOptions?.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(
                    minimum: Self.leastReadBytes, initial: Self.firstReadBytes, maximum: Self.mostReadBytes))
            try channel.pipeline.syncOperations.addHandler(StalledAnswerHandler(stall: stall))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return setup(channel: channel, use: use, logger: logger)
    }

    /// Adds HTTP/1.1 to a connection that is counted already, after what else it has.
    func setup(channel: any Channel, use: ConnectionUse, logger: Logger) -> EventLoopFuture<Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            value.stays(as: channel)
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(RequestGuard(use), position: .after(decoder))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        // What is done for a client that left is given up.
        await ConnectionTask.run(until: value.channel) { await base.handle(value: value, logger: logger) }
    }
}

extension HTTP1Channel.Value {
    /// Keeps the value until its channel is closed.
    ///
    /// A server that stops lets go of connections that it has accepted and not begun to handle, and NIO stops the
    /// process where an open one's writer goes away unfinished. A closed one's is finished.
    func stays(as channel: any Channel) {
        channel.closeFuture.whenComplete { _ in withExtendedLifetime(self) {} }
    }
}
