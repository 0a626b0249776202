import NIOCore
import Testing

@testable import Courses

@Suite("The fan-out of events in the example")
struct EventFanoutTests {
    private func event(_ number: Int) throws -> ServerSentEvent {
        try ServerSentEvent(id: number, name: "changes", ["number": number])
    }

    @Test("A reader that keeps up gets everything; one that does not is let go and misses nothing in between")
    func slowReader() async throws {
        let fanout = EventFanout()
        let slow = try #require(fanout.subscribe(first: try event(0)))
        let quick = try #require(fanout.subscribe(first: try event(0)))
        var reading = quick.makeAsyncIterator()
        let count = EventFanout.capacity + 10
        for number in 1...count {
            #expect(await reading.next()?.id == number - 1)
            fanout.send(try event(number))
        }
        #expect(await reading.next()?.id == count)
        #expect(fanout.readerCount == 1)
        var ids: [Int] = []
        for await event in slow { ids.append(event.id) }
        #expect(ids == Array(0..<EventFanout.capacity))
    }

    @Test("A reader that leaves is forgotten, and there are not too many")
    func readers() async throws {
        let fanout = EventFanout()
        var streams: [AsyncStream<ServerSentEvent>] = []
        for _ in 0..<EventFanout.maximumReaders {
            streams.append(try #require(fanout.subscribe(first: try event(0))))
        }
        #expect(fanout.subscribe(first: try event(0)) == nil)
        streams.removeLast()
        #expect(fanout.readerCount == EventFanout.maximumReaders - 1)
        #expect(fanout.subscribe(first: try event(0)) != nil)
    }

    @Test("An event on the wire is one block of lines, whatever its texts are")
    func wire() throws {
        let event = try ServerSentEvent(id: 3, name: "changes", ["title": "a\nb\r\u{2028}/</script>"])
        let text = String(buffer: event.bytes)
        #expect(text.hasPrefix("id: 3\nevent: changes\ndata: {"))
        #expect(text.hasSuffix("}\n\n"))
        #expect(text.dropLast(2).split(separator: "\n").count == 3)
        #expect(!text.contains("\r"))
    }
}
