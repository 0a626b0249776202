import NIOCore
import RecordEngine
import RecordModel
import Synchronization

/// The bodies that are on their way in, and the bytes that they may take in all.
///
/// When these are used up, it is not the newest that has to go but the slowest: a client that sends slowly would
/// otherwise keep its place for minutes, and whoever has many of them all places.
final class BodyBudget: Sendable {
    private struct Body {
        var channel: any Channel
        var start: ContinuousClock.Instant
        var pace: Pace
        var held: Int
        var total: Int
        /// Whether all of it is there, so that it goes when its request is answered.
        var isWhole = false
    }

    private struct State {
        var next: UInt64 = 0
        var held = 0
        var bodies: [UInt64: Body] = [:]
        var refused = 0
    }

    private let capacity: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// What holds less is not worth sending away.
    private static let smallBytes = 65_536
    /// What a body takes that is passed on as it comes in: what a connection reads ahead.
    static let streamedBytes = 262_144

    init(
        capacity: Int = Limits.heldBodyBytes,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.capacity = capacity
        self.now = now
    }

    /// The bytes that bodies take at the moment.
    var held: Int { state.withLock { $0.held } }

    /// How many bodies had to go.
    var refused: Int { state.withLock { $0.refused } }

    /// Notes a body that will come in several pieces; the number ends it.
    ///
    /// - Parameter isStreamed: whether its pieces are passed on and not collected.
    func begin(_ channel: any Channel, isStreamed: Bool) -> UInt64 {
        let now = now()
        let (number, refused) = state.withLock { state in
            state.next += 1
            let held = isStreamed ? Self.streamedBytes : 0
            state.bodies[state.next] = Body(
                channel: channel, start: now, pace: Pace(at: now), held: held, total: 0)
            state.held += held
            return (state.next, makeRoom(&state, now))
        }
        for channel in refused { channel.refuseBody(.noRoom) }
        return number
    }

    /// Notes a piece.
    ///
    /// - Throws: the refusal, when the body had to go meanwhile.
    func add(_ bytes: Int, to number: UInt64, isStreamed: Bool) throws(BodyRefusal) {
        let now = now()
        let (isThere, refused) = state.withLock { state -> (Bool, [any Channel]) in
            guard state.bodies[number] != nil else { return (false, []) }
            state.bodies[number]?.pace.add(bytes, at: now)
            state.bodies[number]?.total += bytes
            if !isStreamed {
                state.bodies[number]?.held += bytes
                state.held += bytes
            }
            let refused = makeRoom(&state, now)
            return (state.bodies[number] != nil, refused)
        }
        for channel in refused { channel.refuseBody(.noRoom) }
        guard isThere else { throw .noRoom }
    }

    /// Notes that all of a body is there; it counts until ``end(_:)``, and is not sent away any more.
    func complete(_ number: UInt64) { state.withLock { $0.bodies[number]?.isWhole = true } }

    /// Notes that a body is gone.
    func end(_ number: UInt64) {
        state.withLock { state in
            guard let body = state.bodies.removeValue(forKey: number) else { return }
            state.held -= body.held
            assert(state.held >= 0)
        }
    }

    /// Sends away what comes in too slowly.
    func refuseSlow() {
        let now = now()
        let grace = Duration.seconds(Limits.requestGraceSeconds)
        let slow = state.withLock { state in
            let slow = state.bodies.filter { _, body in
                let elapsed = now - body.start
                return !body.isWhole && elapsed > grace
                    && Double(body.total) < Double(Limits.requestBytesPerSecond) * (elapsed / .seconds(1))
            }
            for (number, body) in slow {
                state.bodies[number] = nil
                state.held -= body.held
            }
            state.refused += slow.count
            return slow.values.map(\.channel)
        }
        for channel in slow { channel.refuseBody(.tooSlow) }
    }

    /// Takes out the slowest until the rest fits.
    private func makeRoom(_ state: inout State, _ now: ContinuousClock.Instant) -> [any Channel] {
        var refused: [any Channel] = []
        while state.held > capacity {
            let coming = state.bodies.filter { !$0.value.isWhole }
            let large = coming.filter { $0.value.held >= Self.smallBytes }
            guard
                let slowest = (large.isEmpty ? coming : large)
                    .min(by: { $0.value.pace.rate(at: now) < $1.value.pace.rate(at: now) })
            else { break }
            state.bodies[slowest.key] = nil
            state.held -= slowest.value.held
            refused.append(slowest.value.channel)
        }
        state.refused += refused.count
        return refused
    }
}

/// Why a body is taken no further.
enum BodyRefusal: Error {
    /// Others need the room and send faster.
    case noRoom
    /// It came too slowly for too long.
    case tooSlow

    /// What its client is told.
    var error: ServiceError {
        switch self {
        case .noRoom: return .noRoom
        case .tooSlow:
            var error = ServiceError(
                .tryAgainLater,
                "The request came in too slowly: after \(Limits.requestGraceSeconds) seconds, \(Limits.requestBytesPerSecond) bytes a second are the least.",
                remedy: "Send it again over a better connection, or send less at once.")
            error.retryAfterSeconds = 1
            return error
        }
    }
}

extension Channel {
    /// Ends the body that the connection's client is sending: who waits for it gets the refusal, and what still comes
    /// in is thrown away.
    fileprivate func refuseBody(_ refusal: BodyRefusal) {
        pipeline.fireUserInboundEventTriggered(refusal)
    }
}
