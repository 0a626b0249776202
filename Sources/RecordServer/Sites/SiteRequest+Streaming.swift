import HummingbirdCore
package import NIOCore
import Synchronization

/// Ends a connection whose other side lets too much time pass between two steps.
final class StallWatch: Sendable {
    private let deadlines: RequestDeadlines
    private let number: UInt64
    private let stallSeconds: Int

    init(_ deadlines: RequestDeadlines, _ channel: any Channel, stallSeconds: Int, totalSeconds: Int?) {
        self.deadlines = deadlines
        self.stallSeconds = stallSeconds
        number = deadlines.begin(channel, seconds: stallSeconds, totalSeconds: totalSeconds)
    }

    /// Notes a step: the time begins anew.
    func goOn() { deadlines.extend(number, seconds: stallSeconds) }

    /// Notes that all is done.
    func end() { deadlines.end(number) }
}

/// A request's body as it comes in; the connection ends when it stalls.
package struct IncomingBytes: AsyncSequence, Sendable {
    fileprivate let body: RequestBody
    fileprivate let watch: StallWatch
    private let counter = Counter()

    fileprivate final class Counter: Sendable {
        let count = Atomic<Int>(0)
    }

    fileprivate init(body: RequestBody, watch: StallWatch) {
        self.body = body
        self.watch = watch
    }

    /// Walks the body once.
    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        fileprivate let watch: StallWatch
        fileprivate let counter: Counter

        /// The next piece; nil at the end of the body.
        package mutating func next() async throws -> ByteBuffer? {
            guard let bytes = try await body.next() else { return nil }
            counter.count.add(bytes.readableBytes, ordering: .relaxed)
            watch.goOn()
            return bytes
        }
    }

    /// The one iterator that a body has.
    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: body.makeAsyncIterator(), watch: watch, counter: counter)
    }

    /// How many bytes came in.
    var count: Int { counter.count.load(ordering: .relaxed) }

    /// Lets go of the connection.
    package func end() { watch.end() }
}

extension SiteRequest {
    /// How long a client may go on sending what nobody wants, so that it sees the answer.
    private static let secondsToClose: Int64 = 2

    /// The body as a stream, whose sender may pause and take only so long.
    package func incomingBytes(stallSeconds: Int, totalSeconds: Int) -> IncomingBytes {
        IncomingBytes(
            body: request.body,
            watch: StallWatch(deadlines, channel, stallSeconds: stallSeconds, totalSeconds: totalSeconds))
    }

    /// Watches over a body that is sent.
    func watch(stallSeconds: Int) -> StallWatch {
        StallWatch(deadlines, channel, stallSeconds: stallSeconds, totalSeconds: nil)
    }

    /// Ends the connection in a moment, unless the client does before.
    package func closeSoon() {
        let channel = channel
        channel.eventLoop.scheduleTask(in: .seconds(Self.secondsToClose)) { channel.close(promise: nil) }
    }
}
