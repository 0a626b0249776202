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

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let use = connections.add(channel, from: proxies.client(of: channel))
        do {
            try channel.pipeline.syncOperations.addHandler(StalledAnswerHandler(stall: stall))
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return setup(channel: channel, use: use, logger: logger)
    }

    /// Adds HTTP/1.1 to a connection that is counted already, behind what else it has.
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
        let work = Task { await base.handle(value: value, logger: logger) }
        value.channel.closeFuture.whenComplete { _ in work.cancel() }
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
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
