import HummingbirdCore
import NIOCore
import NIOHTTP1
import RecordModel
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

    /// Watches over a client that sends a request.
    convenience init(request deadlines: RequestDeadlines, _ channel: any Channel) {
        self.init(
            deadlines, channel, stallSeconds: Limits.requestStallSeconds,
            totalSeconds: Limits.requestReadSeconds)
    }

    /// Notes a step: the time begins anew.
    func goOn() { deadlines.extend(number, seconds: stallSeconds) }

    /// Notes that all is done.
    func end() { deadlines.end(number) }
}

/// A request's body as it comes in; the connection ends when it stalls.
struct IncomingBytes: AsyncSequence, Sendable {
    fileprivate let body: RequestBody
    fileprivate let watch: StallWatch
    private let counter = Counter()

    fileprivate final class Counter: Sendable {
        let count = Atomic<Int>(0)
    }

    init(body: RequestBody, watch: StallWatch) {
        self.body = body
        self.watch = watch
    }

    /// The whole of a body that is kept in memory.
    ///
    /// Time is allowed by the pause, not in all: a server that is busy takes long to read what was sent in time.
    ///
    /// - Throws: `NIOTooManyBytesError` when it is larger than that, `BAD_REQUEST` when the connection breaks. A
    ///   client is cut off that pauses for ``Limits/requestStallSeconds`` or takes ``Limits/requestReadSeconds``.
    static func whole(
        _ body: RequestBody, upTo limit: Int, _ deadlines: RequestDeadlines, _ channel: any Channel
    ) async throws -> [UInt8] {
        let bytes = IncomingBytes(body: body, watch: StallWatch(request: deadlines, channel))
        defer { bytes.end() }
        return Array(try await bytes.collect(upTo: limit).readableBytesView)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        fileprivate let watch: StallWatch
        fileprivate let counter: Counter

        mutating func next() async throws -> ByteBuffer? {
            let part: ByteBuffer?
            do {
                part = try await body.next()
            } catch {
                throw ServiceError.cutOff(by: error)
            }
            guard let bytes = part else { return nil }
            counter.count.add(bytes.readableBytes, ordering: .relaxed)
            watch.goOn()
            return bytes
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: body.makeAsyncIterator(), watch: watch, counter: counter)
    }

    /// How many bytes came in.
    var count: Int { counter.count.load(ordering: .relaxed) }

    /// Lets go of the connection.
    func end() { watch.end() }
}

extension ServiceError {
    /// What a body that cannot be read to its end means: the client went, was too slow, or sent what is no HTTP.
    /// None of these is a failure of the service.
    fileprivate static func cutOff(by error: any Error) -> ServiceError {
        switch error {
        case let error as HTTPParserError where error != .invalidEOFState:
            ServiceError(
                .badRequest, "The body of the request is not valid HTTP/1.1.",
                remedy: "Tell its length by Content-Length, or by Transfer-Encoding: chunked.", cause: error)
        default:
            ServiceError(
                .badRequest, "The body of the request ended before its end.", remedy: "Send it again.",
                cause: error)
        }
    }
}

extension SiteRequest {
    /// How long a client may go on sending what nobody wants, so that it sees the answer.
    private static let secondsToClose: Int64 = 2

    /// The body as a stream, whose sender may pause and take only so long.
    func incomingBytes(stallSeconds: Int, totalSeconds: Int) -> IncomingBytes {
        IncomingBytes(
            body: request.body,
            watch: StallWatch(deadlines, channel, stallSeconds: stallSeconds, totalSeconds: totalSeconds))
    }

    /// Watches over a body that is sent.
    func watch(stallSeconds: Int) -> StallWatch {
        StallWatch(deadlines, channel, stallSeconds: stallSeconds, totalSeconds: nil)
    }

    /// Ends the connection in a moment, unless the client does before.
    func closeSoon() {
        let channel = channel
        channel.eventLoop.scheduleTask(in: .seconds(Self.secondsToClose)) { channel.close(promise: nil) }
    }
}
