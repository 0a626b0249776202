import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire
import Synchronization
import TestSupport
import Testing

@testable import RecordEngine

/// Reads and writes ask for room when it is their turn, and count what they give.
@Suite struct RequestRoomTests {
    /// Room that is not there for the first few who ask inside the store.
    private final class Scarce: AnswerRoom {
        private let state: Mutex<(refusals: Int, waits: Int, held: [Int])>

        init(refusals: Int) { state = Mutex((refusals, 0, [])) }

        var waits: Int { state.withLock { $0.waits } }
        var held: [Int] { state.withLock { $0.held } }

        var isFree: Bool {
            state.withLock { state in
                guard state.refusals > 0 else { return true }
                state.refusals -= 1
                return false
            }
        }

        func wait() async throws { state.withLock { $0.waits += 1 } }
        func hold(_ bytes: Int) { state.withLock { $0.held.append(bytes) } }
    }

    private final class Count: Sendable {
        private let state = Mutex(0)
        var value: Int { state.withLock { $0 } }
        func add() { state.withLock { $0 += 1 } }
    }

    /// Room that is there until it is closed.
    private final class Closing: AnswerRoom {
        private let isClosed = Atomic(false)

        var isFree: Bool { !isClosed.load(ordering: .acquiring) }
        func close() { isClosed.store(true, ordering: .releasing) }
        func wait() async throws { throw ServiceError.noRoom }
        func hold(_ bytes: Int) {}
    }

    private static let output = ServiceOutput(body: [UInt8](repeating: 0x20, count: 100_000))

    @Test func `What finds no room does nothing, waits outside, and is done once`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let room = Scarce(refusals: 2)
        let begun = Count()
        let read = try await RequestStore(base: store, room: RequestRoom(room)).readAnswer(.long) { _ in
            begun.add()
            return Self.output
        }
        #expect(read.body.count == 100_000)
        #expect(begun.value == 1 && room.waits == 2 && room.held == [100_000])
        let next = Scarce(refusals: 1)
        _ = try await RequestStore(base: store, room: RequestRoom(next)).writeAnswer { writer in
            try writer.insert(OperatorRow(name: "bob", createdAt: 1))
            return Self.output
        }
        #expect(next.waits == 1 && next.held == [100_000])
        #expect(try await store.read(.short) { try $0.operators().map(\.name) } == ["bob"])
        await store.close()
    }

    @Test func `Without room for ever it is told to try again, and nothing is written`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let room = Scarce(refusals: .max)
        let error = await #expect(throws: ServiceError.self) {
            try await RequestStore(base: store, room: RequestRoom(room)).write {
                try $0.insert(OperatorRow(name: "bob", createdAt: 1))
            }
        }
        #expect(error?.code == .tryAgainLater && room.held == [])
        #expect(try await store.read(.short) { try $0.operators().count } == 0)
        await store.close()
    }

    @Test func `What was written is answered, whatever room there is`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let room = Closing()
        let roomed = RequestStore(base: store, room: RequestRoom(room))
        try await roomed.write { try $0.insert(OperatorRow(name: "bob", createdAt: 1)) }
        room.close()
        #expect(try await roomed.read(.short) { try $0.operators().count } == 1)
        await store.close()
    }

    @Test func `Of every request, the answer counts once, in memory and on the wire`() async throws {
        let cloud = try await TestCloud()
        let tenant = Tenant(container: cloud.container, environment: .development)
        try await cloud.save("a", ["n": ["value": 1]])
        let requests: [(Endpoint, String)] = [
            (.recordsQuery, #"{"query":{"recordType":"Note"}}"#),
            (.recordsLookup, #"{"records":[{"recordName":"a"}]}"#),
            (.recordsModify, #"{"operations":[{"operationType":"create","record":{"recordType":"Note"}}]}"#),
            (.zonesList, "{}"), (.changesDatabase, "{}"),
        ]
        for (endpoint, body) in requests {
            let room = Scarce(refusals: 1)
            var call = ServiceCall(
                endpoint: endpoint, tenant: tenant, scope: .private,
                credentials: Credentials(apiToken: "\(tenant)-api", webAuthToken: "\(tenant)-alice"),
                body: Array(body.utf8),
                requestID: "room")
            call.room = RequestRoom(room)
            let answer = await cloud.service.answer(call)
            #expect(answer.status == 200 && room.waits == 1, "\(endpoint)")
            if endpoint != .changesDatabase {
                #expect(room.held == [answer.body.count], "\(endpoint): \(room.held)")
            }
        }
        await cloud.store.close()
    }
}
