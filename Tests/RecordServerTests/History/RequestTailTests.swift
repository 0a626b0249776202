import RecordModel
import Synchronization
import Testing

@testable import RecordServer

/// Listeners hear of what comes, within bounds, and leave nothing behind.
@Suite struct RequestTailTests {
    @Test func tellsWhatPassesTheFilterInOrder() async throws {
        let history = RequestHistory()
        var filter = RequestFilter()
        filter.failedOnly = true
        let failures = try history.tail(filter)
        let all = try history.tail()
        var expected: [RequestID] = []
        for number in 0..<100 {
            let entry = SomeRequests.entry(status: number % 3 == 0 ? 500 : 200)
            expected.append(entry.uuid)
            history.record(entry)
        }
        history.endTails()
        var heard: [RequestID] = []
        for await element in all {
            #expect(element.dropped == 0)
            heard.append(try #require(element.request?.id))
        }
        #expect(heard == expected)
        heard = []
        for await element in failures { heard.append(try #require(element.request?.id)) }
        #expect(heard == expected.enumerated().filter { $0.offset % 3 == 0 }.map(\.element))
    }

    @Test func countsWhatASlowListenerMisses() async throws {
        let history = RequestHistory()
        let tail = try history.tail()
        var iterator = tail.makeAsyncIterator()
        for _ in 0..<Limits.tailBacklog + 7 { history.record(SomeRequests.entry()) }
        for _ in 0..<Limits.tailBacklog { #expect(await iterator.next()?.dropped == 0) }
        history.record(SomeRequests.entry())
        #expect(await iterator.next()?.dropped == 7)
        history.record(SomeRequests.entry())
        #expect(await iterator.next()?.dropped == 0)
    }

    @Test func forgetsListenersThatGo() async throws {
        let history = RequestHistory()
        do {
            let dropped = try history.tail()
            #expect(history.listenerCount == 1)
            _ = dropped
        }
        #expect(history.listenerCount == 0)
        let tail = try history.tail()
        let task = Task { for await _ in tail {} }
        task.cancel()
        await task.value
        #expect(history.listenerCount == 0)
        let left = try history.tail()
        history.record(SomeRequests.entry())
        for await _ in left { break }
        #expect(history.listenerCount == 1, "the tail itself is still held")
        _ = left
        #expect(history.followers.load(ordering: .relaxed) == 1)
        history.endTails()
        #expect(history.followers.load(ordering: .relaxed) == 0)
    }

    @Test func refusesTooManyListeners() throws {
        let history = RequestHistory()
        var tails = try (0..<Limits.tailListeners).map { _ in try history.tail() }
        #expect(throws: ServiceError.self) { try history.tail() }
        tails.removeLast()
        tails.append(try history.tail())
        #expect(history.listenerCount == Limits.tailListeners)
        #expect(history.followers.load(ordering: .relaxed) == Limits.tailListeners)
    }

    @Test func servesManyAtOnce() async throws {
        let history = RequestHistory()
        try await withThrowingTaskGroup { group in
            for _ in 0..<10 {
                let tail = try history.tail()
                group.addTask {
                    var last: UInt64 = 0
                    var heard = 0
                    for await element in tail {
                        let sequence = try #require(element.request?.sequence)
                        #expect(sequence > last)
                        last = sequence
                        heard += 1 + element.dropped
                    }
                    #expect(heard <= 400)
                }
            }
            await withDiscardingTaskGroup { writers in
                for _ in 0..<4 {
                    writers.addTask { for _ in 0..<100 { history.record(SomeRequests.entry()) } }
                }
            }
            history.endTails()
            try await group.waitForAll()
        }
        #expect(history.listenerCount == 0)
    }
}
