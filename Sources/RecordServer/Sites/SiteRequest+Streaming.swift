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

    /// Notes a step: the time starts over.
    func goOn() { deadlines.extend(number, by: deadlines.limits.stall) }

    /// Notes that all is done.
    func end() { deadlines.end(number) }
}

/// A body's place in the budget of all bodies; it takes none where the whole body comes in one piece, as most do.
private final class BodyPlace: Sendable {
    private let budget: BodyBudget
    private let channel: any Channel
    private let isStreamed: Bool
    /// The length that the head tells.
    let expected: Int?
    /// The budget's number for the body; 0 until it has one.
    private let number = Atomic<UInt64>(0)

    init(_ budget: BodyBudget, _ channel: any Channel, isStreamed: Bool, expected: Int?) {
        self.budget = budget
        self.channel = channel
        self.isStreamed = isStreamed
        self.expected = expected
    }

    deinit { end() }

    func add(_ bytes: Int) throws(BodyRefusal) {
        var number = number.load(ordering: .relaxed)
        if number == 0 {
            if let expected, bytes >= expected { return }
            number = budget.begin(channel, isStreamed: isStreamed)
            self.number.store(number, ordering: .relaxed)
        }
        try budget.add(bytes, to: number, isStreamed: isStreamed)
    }

    /// Notes that all of the body is there; it is counted until this goes.
    func complete() {
        let number = number.load(ordering: .relaxed)
        if number != 0 { budget.complete(number) }
    }

    func end() {
        let number = number.exchange(0, ordering: .relaxed)
        if number != 0 { budget.end(number) }
    }
}

/// A body that is kept in memory, and counted for as long.
struct CollectedBody: Sendable {
    static let empty = CollectedBody(bytes: [], place: nil)

    let bytes: [UInt8]
    private let place: BodyPlace?

    fileprivate init(bytes: [UInt8], place: BodyPlace?) {
        self.bytes = bytes
        self.place = place
    }
}

/// A request's body as it comes in; the connection ends when it stalls, and the body when others need its room.
package struct IncomingBytes: AsyncSequence, Sendable {
    fileprivate let body: RequestBody
    fileprivate let watch: StallWatch
    fileprivate let invitation: BodyInvitation
    fileprivate let place: BodyPlace
    private let counter = Counter()

    fileprivate final class Counter: Sendable {
        let count = Atomic<Int>(0)
        let isAtEnd = Atomic<Bool>(false)
    }

    fileprivate init(_ body: RequestBody, _ intake: BodyIntake, total: Duration, isStreamed: Bool) {
        self.body = body
        watch = StallWatch(intake.deadlines, intake.channel, total: total)
        invitation = intake.invitation
        place = BodyPlace(intake.budget, intake.channel, isStreamed: isStreamed, expected: intake.length)
    }

    /// Walks the body once.
    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        fileprivate let watch: StallWatch
        fileprivate let invitation: BodyInvitation
        fileprivate let place: BodyPlace
        fileprivate let counter: Counter

        /// The next piece; nil at the end of the body.
        package mutating func next() async throws -> ByteBuffer? {
            invitation.send()
            do {
                guard let bytes = try await body.next() else {
                    counter.isAtEnd.store(true, ordering: .relaxed)
                    return nil
                }
                let count = counter.count.add(bytes.readableBytes, ordering: .relaxed).newValue
                // Nothing is waited for where all of it is there.
                if count != place.expected { watch.goOn() }
                try place.add(bytes.readableBytes)
                return bytes
            } catch {
                throw ServiceError.cutOff(by: error)
            }
        }
    }

    /// The one iterator that a body has.
    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            body: body.makeAsyncIterator(), watch: watch, invitation: invitation, place: place,
            counter: counter)
    }

    /// How many bytes came in.
    var count: Int { counter.count.load(ordering: .relaxed) }

    /// Whether nothing of it is left to be read.
    var isAtEnd: Bool { counter.isAtEnd.load(ordering: .relaxed) }

    /// Lets go of the connection.
    package func end() {
        watch.end()
        place.end()
    }
}

/// What taking in a request's body needs besides the body.
struct BodyIntake: Sendable {
    let deadlines: RequestDeadlines
    let budget: BodyBudget
    let channel: any Channel
    let invitation: BodyInvitation
    /// The length that the head tells; nil where it comes in chunks.
    let length: Int?

    init(_ request: Request, _ state: ServerState, _ channel: any Channel, _ invitation: BodyInvitation) {
        deadlines = state.deadlines
        budget = state.bodies
        self.channel = channel
        self.invitation = invitation
        length = request.contentLength
    }

    /// The whole of a body that is kept in memory.
    ///
    /// Time is allowed by the pause, not in all: a server that is busy takes long to read what was sent in time.
    ///
    /// - Throws: `QUOTA_EXCEEDED` when it is larger than that, `BAD_REQUEST` when the connection breaks,
    ///   `TRY_AGAIN_LATER` when there is no room for it or it is too slow. A client is cut off that pauses for
    ///   ``Limits/stallSeconds`` or takes ``Limits/requestReadSeconds``.
    func whole(_ body: RequestBody, upTo limit: Int) async throws -> CollectedBody {
        let incoming = IncomingBytes(body, self, total: deadlines.limits.request, isStreamed: false)
        defer { incoming.watch.end() }
        var bytes: [UInt8] = []
        for try await part in incoming {
            guard bytes.count + part.readableBytes <= limit else {
                throw ServiceError.tooLarge(limit)
            }
            // Pages that nothing was written to take no memory, and an array that grows takes twice as much.
            if bytes.isEmpty { bytes.reserveCapacity(max(part.readableBytes, min(length ?? 0, limit))) }
            part.withUnsafeReadableBytes { bytes.append(contentsOf: $0) }
        }
        // Where a task is cancelled, streams end as if they were whole.
        if Task.isCancelled { throw ServiceError.cutOff(by: CancellationError()) }
        incoming.place.complete()
        return CollectedBody(bytes: bytes, place: incoming.place)
    }

    /// The body as a stream, whose sender may pause and take only so long.
    func stream(_ body: RequestBody) -> IncomingBytes {
        IncomingBytes(body, self, total: deadlines.limits.upload, isStreamed: true)
    }
}

extension ServiceError {
    static func tooLarge(_ limit: Int) -> ServiceError {
        ServiceError(
            exceeding: "requestBodyBytes", "The request is larger than \(limit) bytes.",
            remedy: "Send fewer records at once; GET /limits says how large a request may be.")
    }

    /// What a body that cannot be read to its end means: the client went, was too slow, or sent what is not HTTP.
    /// None of these is a failure of the service.
    fileprivate static func cutOff(by error: any Error) -> ServiceError {
        switch error {
        case let refusal as BodyRefusal: refusal.error
        case let error as ServiceError: error
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
    package func incomingBytes() -> IncomingBytes { intake.stream(request.body) }

    /// An answer with which the connection ends, for a request whose body nobody reads to its end.
    ///
    /// Where the client still waits to be asked for the body, the server ends the connection by itself.
    package func last(_ answer: SiteAnswer) -> SiteAnswer {
        guard !intake.invitation.isAwaited else { return answer }
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
