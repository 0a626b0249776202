import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOEmbedded
import RecordModel
import TestSupport
import Testing

@testable import RecordServer

@Suite struct OutgoingAnswerTests {
    /// Takes one piece, and the rest when it is told to.
    private struct SlowWriter: ResponseBodyWriter {
        let gate: AsyncStream<Void>
        let taken: AsyncStream<Int>.Continuation

        func write(_ buffer: ByteBuffer) async throws {
            taken.yield(buffer.readableBytes)
            for await _ in gate {}
            try Task.checkCancellation()
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    private static func connection() async throws -> NIOAsyncTestingChannel {
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1))
        return channel
    }

    @Test func `An answer counts until its client has taken it`() async throws {
        let answers = OutgoingAnswers(capacity: 1_000_000)
        let channel = try await Self.connection()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let (pieces, taken) = AsyncStream<Int>.makeStream()
        let body = answers.body(ByteBuffer(repeating: 0x61, count: 700_000), to: channel)
        #expect(body.contentLength == 700_000 && answers.held == 700_000)
        let sending = Task { try await body.write(SlowWriter(gate: gate, taken: taken)) }
        var iterator = pieces.makeAsyncIterator()
        var sum = try #require(await iterator.next())
        #expect(sum < 300_000 && answers.held == 700_000)
        opening.finish()
        try await sending.value
        taken.finish()
        while let piece = await iterator.next() { sum += piece }
        #expect(sum == 700_000 && answers.held == 0)
    }

    @Test func `Small answers and thrown away ones count nothing`() async throws {
        let answers = OutgoingAnswers(capacity: 1_000_000)
        let channel = try await Self.connection()
        _ = answers.body(ByteBuffer(repeating: 0x61, count: 1_000), to: channel)
        _ = answers.body(ByteBuffer(repeating: 0x61, count: 700_000), to: channel)
        #expect(try await eventually { answers.held == 0 })
    }

    @Test func `Who takes little is cut off when others need the room`() async throws {
        let answers = OutgoingAnswers(capacity: 1_000_000, grace: .zero, patience: .seconds(120))
        let channel = try await Self.connection()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let (pieces, taken) = AsyncStream<Int>.makeStream()
        let body = answers.body(ByteBuffer(repeating: 0x61, count: 900_000), to: channel)
        let sending = Task { try await body.write(SlowWriter(gate: gate, taken: taken)) }
        var iterator = pieces.makeAsyncIterator()
        _ = await iterator.next()
        // As the server does when a connection closes.
        channel.closeFuture.whenComplete { _ in
            sending.cancel()
            opening.finish()
        }
        try await answers.waitForRoom()
        await #expect(throws: (any Error).self) { try await sending.value }
        #expect(answers.held == 0 && answers.cutOff == 1)
    }

    @Test func `Who holds nothing does not wait for what others hold, within bounds`() async throws {
        let answers = OutgoingAnswers(
            capacity: 1_000_000, grace: .seconds(600), patience: .milliseconds(20))
        let channel = try await Self.connection()
        var bodies = [
            answers.body(ByteBuffer(repeating: 0x61, count: 900_000), to: channel, of: .token("loud"))
        ]
        await #expect(throws: ServiceError.self) { try await answers.waitForRoom(for: .token("loud")) }
        try await answers.waitForRoom(for: .token("quiet"))
        for number in 0..<2 {
            bodies.append(
                answers.body(
                    ByteBuffer(repeating: 0x61, count: 950_000), to: channel, of: .token("\(number)")))
        }
        await #expect(throws: ServiceError.self) { try await answers.waitForRoom(for: .token("quiet")) }
        #expect(bodies.count == 3)
    }

    @Test func `An answer counts from the moment it is made`() async throws {
        let answers = OutgoingAnswers(
            capacity: 1_000_000, grace: .seconds(600), patience: .milliseconds(20))
        let channel = try await Self.connection()
        let first = answers.making(for: .token("a"))
        let second = answers.making(for: .token("a"))
        #expect(first.isFree && second.isFree)
        first.hold(900_000)
        #expect(answers.held == 900_000 && !second.isFree)
        #expect(answers.making(for: .token("b")).isFree, "who holds nothing does not wait")
        await #expect(throws: ServiceError.self) { try await second.wait() }
        // From one to the other there is no moment in which it does not count.
        var body: ResponseBody? = answers.body(
            ByteBuffer(repeating: 0x61, count: 900_000), to: channel, of: .token("a"))
        first.end()
        first.end()
        first.hold(900_000)
        #expect(answers.held == 900_000 && body?.contentLength == 900_000 && first.isFree)
        body = nil
        #expect(try await eventually { answers.held == 0 && second.isFree })
        second.hold(1_000)
        #expect(answers.held == 0, "small ones are not counted")
    }

    @Test func `What all clients are sent from the same memory needs no room`() async throws {
        let channel = try await Self.connection()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let (pieces, taken) = AsyncStream<Int>.makeStream()
        let body = OutgoingAnswers.shared(ByteBuffer(repeating: 0x61, count: 200_000), to: channel)
        #expect(body.contentLength == 200_000)
        opening.finish()
        try await body.write(SlowWriter(gate: gate, taken: taken))
        taken.finish()
        var sizes: [Int] = []
        for await size in pieces { sizes.append(size) }
        #expect(sizes.reduce(0, +) == 200_000 && sizes.allSatisfy { $0 <= OutgoingAnswers.smallBytes })
    }

    @Test func `Cutting gets down to what waits, the largest party and its slowest first`() async throws {
        // As if three networks had taken all that newcomers may: the loud one has eight of ten.
        let answers = OutgoingAnswers(capacity: 1_200_000, grace: .zero, patience: .seconds(120))
        var channels: [(party: String, channel: NIOAsyncTestingChannel)] = []
        var bodies: [ResponseBody] = []
        for party in ["quiet", "loud", "loud", "loud", "loud", "still", "loud", "loud", "loud", "loud"] {
            let channel = try await Self.connection()
            channels.append((party, channel))
            bodies.append(
                answers.body(ByteBuffer(repeating: 0x61, count: 290_000), to: channel, of: .token(party)))
        }
        #expect(answers.held == 2_900_000)
        let waiting = Task { try await answers.waitForRoom(for: .token("loud")) }
        #expect(try await eventually { answers.cutOff > 0 })
        answers.cutSlow()
        // 938 kB may stay beside the room that one who waits needs: three answers, one of each.
        #expect(answers.cutOff == 7)
        #expect(try await eventually { channels.count { $0.channel.isActive } == 3 })
        #expect(Set(channels.filter(\.channel.isActive).map(\.party)) == ["quiet", "loud", "still"])
        // What is on its way out already is not made free twice.
        answers.cutSlow()
        #expect(answers.cutOff == 7 && bodies.count == 10)
        bodies = []
        try await waiting.value
        #expect(answers.held == 0)
    }

    @Test func `Users do not wait for what visitors hold, whoever these are`() async throws {
        let answers = OutgoingAnswers(
            capacity: 1_000_000, grace: .seconds(600), patience: .milliseconds(20))
        let channel = try await Self.connection()
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .development)
        let bodies = (0..<2).map { number in
            answers.body(ByteBuffer(repeating: 0x61, count: 950_000), to: channel, of: .token("\(number)"))
        }
        await #expect(throws: ServiceError.self) { try await answers.waitForRoom(for: .token("new")) }
        try await answers.waitForRoom(for: .user(tenant, "ada"))
        #expect(bodies.count == 2)
    }

    @Test func `Refusing whoever holds nothing is told, and refusing a holder is not`() async throws {
        let answers = OutgoingAnswers(
            capacity: 1_000_000, grace: .seconds(600), patience: .milliseconds(20))
        let channel = try await Self.connection()
        var bodies = [
            answers.body(ByteBuffer(repeating: 0x61, count: 900_000), to: channel, of: .token("loud"))
        ]
        await #expect(throws: ServiceError.self) { try await answers.waitForRoom(for: .token("loud")) }
        #expect(!answers.isRefusing)
        for party in ["a", "b"] {
            bodies.append(
                answers.body(ByteBuffer(repeating: 0x61, count: 950_000), to: channel, of: .token(party)))
        }
        await #expect(throws: ServiceError.self) { try await answers.waitForRoom(for: .token("new")) }
        #expect(answers.isRefusing && bodies.count == 3)
    }

    @Test func `Without anybody to cut off, a request is told to try again`() async throws {
        let answers = OutgoingAnswers(
            capacity: 1_000_000, grace: .seconds(600), patience: .milliseconds(20))
        let channel = try await Self.connection()
        let body = answers.body(ByteBuffer(repeating: 0x61, count: 900_000), to: channel)
        let error = await #expect(throws: ServiceError.self) { try await answers.waitForRoom() }
        #expect(error?.code == .tryAgainLater && channel.isActive)
        #expect(body.contentLength == 900_000)
    }
}
