import HTTPTypes
import HummingbirdCore
package import NIOCore
import Synchronization

/// Ends a connection whose other side lets too much time pass between two steps.
final class StallWatch: Sendable {
    private let deadlines: RequestDeadlines
    private let number: UInt64

    init(_ deadlines: RequestDeadlines, _ channel: any Channel, total: Duration?) {
        self.deadlines = deadlines
        number = deadlines.begin(channel, time: deadlines.limits.stall, total: total)
    }

    /// Notes a step: the time begins anew.
    func goOn() { deadlines.extend(number, by: deadlines.limits.stall) }

    /// Notes that all is done.
    func end() { deadlines.end(number) }
}

/// A request's body as it comes in; the connection ends when it stalls.
package struct IncomingBytes: AsyncSequence, Sendable {
    fileprivate let body: RequestBody
    fileprivate let watch: StallWatch
    fileprivate let invitation: BodyInvitation
    private let counter = Counter()

    fileprivate final class Counter: Sendable {
        let count = Atomic<Int>(0)
        let isAtEnd = Atomic<Bool>(false)
    }

    init(body: RequestBody, watch: StallWatch, invitation: BodyInvitation) {
        self.body = body
        self.watch = watch
        self.invitation = invitation
    }

    /// The whole of a body that is kept in memory.
    ///
    /// Time is allowed by the pause, not in all: a server that is busy takes long to read what was sent in time.
    ///
    /// - Throws: `NIOTooManyBytesError` when it is larger than that, what the connection throws when it breaks. A
    ///   client is cut off that pauses for ``Limits/stallSeconds`` or takes ``Limits/requestReadSeconds``.
    static func whole(
        _ body: RequestBody, upTo limit: Int, _ deadlines: RequestDeadlines, _ channel: any Channel,
        _ invitation: BodyInvitation
    ) async throws -> [UInt8] {
        let watch = StallWatch(deadlines, channel, total: deadlines.limits.request)
        let bytes = IncomingBytes(body: body, watch: watch, invitation: invitation)
        defer { bytes.end() }
        return Array(try await bytes.collect(upTo: limit).readableBytesView)
    }

    /// Walks the body once.
    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        fileprivate let watch: StallWatch
        fileprivate let invitation: BodyInvitation
        fileprivate let counter: Counter

        /// The next piece; nil at the end of the body.
        package mutating func next() async throws -> ByteBuffer? {
            invitation.send()
            guard let bytes = try await body.next() else {
                counter.isAtEnd.store(true, ordering: .relaxed)
                return nil
            }
            counter.count.add(bytes.readableBytes, ordering: .relaxed)
            watch.goOn()
            return bytes
        }
    }

    /// The one iterator that a body has.
    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            body: body.makeAsyncIterator(), watch: watch, invitation: invitation, counter: counter)
    }

    /// How many bytes came in.
    var count: Int { counter.count.load(ordering: .relaxed) }

    /// Whether nothing of it is left to be read.
    var isAtEnd: Bool { counter.isAtEnd.load(ordering: .relaxed) }

    /// Lets go of the connection.
    package func end() { watch.end() }
}

extension SiteRequest {
    /// The body as a stream, whose sender may pause and take only so long.
    package func incomingBytes() -> IncomingBytes {
        IncomingBytes(
            body: request.body, watch: StallWatch(deadlines, channel, total: deadlines.limits.upload),
            invitation: invitation)
    }

    /// Ends the connection in a moment, unless the client does before.
    package func closeSoon() { RequestDeadlines.closeSoon(channel) }

    /// Watches over a body that is sent.
    func watch() -> StallWatch { StallWatch(deadlines, channel, total: nil) }

    /// Whether a body follows the head.
    var hasBody: Bool {
        let headers = request.headers
        return headers[.transferEncoding] != nil || headers[.contentLength].map { $0 != "0" } ?? false
    }
}
