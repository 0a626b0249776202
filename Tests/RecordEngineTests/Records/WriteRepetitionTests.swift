import Foundation
import RecordModel
import RecordStorage
import RecordWire
import Synchronization
import TestSeeds
import TestSupport
import Testing

@testable import RecordEngine
@testable import RecordStorageSQLite

/// What runs a write again, in which order (Documentation/Inside/Write.md, 'A write that runs again').
@Suite struct WriteRepetitionTests {
    /// What a run of the write's closure meets, as its ``AnswerRoom`` sees it.
    private enum Event: Equatable { case full, waits, begins, answers }

    /// Notes each run, and has no room for some of them.
    private final class Journal: AnswerRoom {
        private let full: Set<Int>
        private let state = Mutex((asked: 0, events: [Event]()))

        init(full: Set<Int>) { self.full = full }

        var events: [Event] { state.withLock { $0.events } }

        var isFree: Bool {
            state.withLock { state in
                defer { state.asked += 1 }
                let isFull = full.contains(state.asked)
                state.events.append(isFull ? .full : .begins)
                return !isFull
            }
        }

        func wait() async throws { state.withLock { $0.events.append(.waits) } }
        func hold(_ bytes: Int) { state.withLock { $0.events.append(.answers) } }
    }

    /// One combination of reasons to run again.
    private struct Reasons {
        /// The runs that find no room, counted from 0.
        var full: Set<Int>
        /// Whether the write comes after another one in its transaction, and is too large for that.
        var isPutOff: Bool
        /// Whether an operation counts on one that fails.
        var breaksPromise: Bool

        static let all = (0..<8).flatMap { bits in
            [false, true].flatMap { isPutOff in
                [false, true].map { breaksPromise in
                    Reasons(
                        full: Set((0..<3).filter { bits & 1 << $0 != 0 }), isPutOff: isPutOff,
                        breaksPromise: breaksPromise)
                }
            }
        }

        /// What happens where the request is outside the room, and the room outside the engine.
        var expected: [Event] {
            var events: [Event] = []
            var (asked, isPutOff, breaks) = (0, isPutOff, breaksPromise)
            while true {
                defer { asked += 1 }
                if full.contains(asked) {
                    events += [.full, .waits]
                    // The next attempt does not come after another write.
                    isPutOff = false
                    continue
                }
                events.append(.begins)
                if isPutOff {
                    isPutOff = false
                } else if breaks {
                    breaks = false
                } else {
                    return events + [.answers]
                }
            }
        }
    }

    /// A request of more than 1 MiB that saves a record, which refers to one that another operation fails to change.
    private static func body(_ name: String, breaksPromise: Bool) -> [UInt8] {
        let reference =
            breaksPromise
            ? #","r":{"value":{"recordName":"\#(name)-target","action":"VALIDATE"}}"# : ""
        let update =
            breaksPromise
            ? #",{"operationType":"update","record":{"recordName":"\#(name)-target","recordType":"Note","recordChangeTag":"1"}}"#
            : ""
        let json =
            #"{"idempotencyKey":"\#(name)","operations":[{"operationType":"create","record":{"recordName":"\#(name)","recordType":"Note","fields":{"n":{"value":1}\#(reference)}}}\#(update)]"#
        return Array(json.utf8) + [UInt8](repeating: 0x20, count: LogBounds.largeRequestBytes) + [0x7D]
    }

    @Test func `The client repeats the request, the request the room, and the room the engine`() async throws
    {
        let cloud = try await TestCloud(engine: .sqlite)
        let store = try #require(cloud.store as? SQLiteStore)
        let tenant = Tenant(container: cloud.container, environment: .development)
        // The schema has what all requests need.
        try await cloud.save(
            "first", ["n": ["value": 1], "r": ["value": ["recordName": "x", "action": "NONE"]]])
        for (number, reasons) in Reasons.all.enumerated() {
            let journal = Journal(full: reasons.full)
            var call = ServiceCall(
                endpoint: .recordsModify,
                tenant: tenant, scope: .private,
                credentials: Credentials(apiToken: "\(tenant)-api", webAuthToken: "\(tenant)-alice"),
                body: Self.body("r\(number)", breaksPromise: reasons.breaksPromise), requestID: "r\(number)")
            call.room = RequestRoom(journal)
            let answer = try await Self.answer(call, cloud.service, store, behindAnother: reasons.isPutOff)
            try #require(answer.status == 200)
            #expect(journal.events == reasons.expected, "\(reasons)")
            let record = try await cloud.record("r\(number)")
            #expect((record == nil) == reasons.breaksPromise, "\(reasons)")

            // As a client does that did not hear the answer: nothing is done again.
            let second = Journal(full: [])
            call.room = RequestRoom(second)
            let repeated = await cloud.service.answer(call)
            #expect(repeated.status == 200 && second.events == [.begins, .answers])
            let again = try await cloud.record("r\(number)")
            #expect(again?["recordChangeTag"] == record?["recordChangeTag"], "\(reasons)")
        }
        await cloud.store.close()
    }

    /// Has a request answered, perhaps as the second write of a transaction.
    private static func answer(
        _ call: ServiceCall, _ service: RecordService, _ store: SQLiteStore, behindAnother: Bool
    ) async throws -> ServiceAnswer {
        guard behindAnother else { return await service.answer(call) }
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let isOver = DispatchSemaphore(value: 0)
        // The writing thread is kept from everything until both writes wait for it.
        async let blocker: Void = store.write { _ in
            begin.finish()
            isOver.wait()
        }
        for await _ in begun {}
        async let small: Void = store.write { _ in }
        #expect(try await eventually { store.writes.waitingCount == 1 })
        async let answer = service.answer(call)
        #expect(try await eventually { store.writes.waitingCount == 2 })
        isOver.signal()
        _ = try await (blocker, small)
        return await answer
    }
}
