import HTTPTypes
import HummingbirdCore
package import NIOCore
import NIOHTTP1
import RecordModel
import Synchronization

/// Ends a connection whose other side lets too much time pass between two steps.
final class StallWatch: Sendable {
    private let deadlines: RequestDeadlines
    private let number: UInt64

    init(_ deadlines: RequestDeadlines, _ channel: any Channel, total: Duration?) {
        self.deadlines = deadlines
        number = deadlines.begin(channel, time: deadlines.limits.stall, total: total)
    }

    /// Notes a step: the time begins again.
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
    /// - Throws: `NIOTooManyBytesError` when it is larger than that, `BAD_REQUEST` when the connection breaks. A
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
            let part: ByteBuffer?
            do {
                part = try await body.next()
            } catch {
                throw ServiceError.cutOff(by: error)
            }
            guard let bytes = part else {
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

extension ServiceError {
    /// What a body that cannot be read to its end means: the client went, was too slow, or sent what is no HTTP.
    /// None of these is a failure of the service.
    fileprivate static func cutOff(by error: any Error) -> ServiceError {
        switch error {
        case let error as HTTPParserError where error != .invalidEOFState:
            ServiceError(
                .badRequest, "The body of the request is not valid HTTP/1.1.",
                remedy: "Send Content-Length or Transfer-Encoding: chunked.", cause: error)
        default:
            ServiceError(
                .badRequest, "The body of the request is incomplete.", remedy: "Send it again.",
                cause: error)
        }
    }
}

extension SiteRequest {
    /// The body as a stream, whose sender may pause and take only so long.
    package func incomingBytes() -> IncomingBytes {
        IncomingBytes(
            body: request.body, watch: StallWatch(deadlines, channel, total: deadlines.limits.upload),
            invitation: invitation)
    }

    /// An answer with which the connection ends, for a request whose body nobody reads to its end.
    ///
    /// Where the client still waits to be asked for the body, the server ends the connection by itself.
    package func last(_ answer: SiteAnswer) -> SiteAnswer {
        guard !invitation.isAwaited else { return answer }
        var answer = answer
        answer.response.close(channel)
        return answer
    }

    /// Whether a body follows the head.
    var hasBody: Bool {
        let headers = request.headers
        return headers[.transferEncoding] != nil || headers[.contentLength].map { $0 != "0" } ?? false
    }
}
