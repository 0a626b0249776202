import CloudKit
import Foundation
import RecordWire
import TestSeeds
import Testing

/// Tasks that are cancelled at any moment of a request over a socket.
///
/// With Foundation's `URLSession` on Linux a request that was cancelled while its answer came waited for itself for
/// ever, mostly within the first ten, and an upload that was cancelled while its file was read stopped the process.
@Suite struct CancelledRequestTests {
    @Test(
        "A cancelled request ends, and the next one is answered", .timeLimit(.minutes(1)),
        arguments: Seed.some(1))
    func requests(seed: Seed) async throws {
        try await atAnyMoment(seed, rounds: 120) { transport, _, _ in
            try await transport.send(TransportRequest(path: "/limits"))
        }
    }

    @Test("A cancelled upload ends", .timeLimit(.minutes(1)), arguments: Seed.some(1))
    func uploads(seed: Seed) async throws {
        try await atAnyMoment(seed, rounds: 120) { transport, file, _ in
            try await transport.upload(file, by: TransferRequest(address: "/no-upload")) { _ in }
        }
    }

    @Test("A cancelled download ends", .timeLimit(.minutes(1)), arguments: Seed.some(1))
    func downloads(seed: Seed) async throws {
        try await atAnyMoment(seed, rounds: 120) { transport, _, target in
            try await transport.download(to: target, by: TransferRequest(address: "/limits")) { _ in }
        }
    }

    /// Eight clients at once, each of which makes requests and gives them up after up to six milliseconds.
    private func atAnyMoment(
        _ seed: Seed, rounds: Int,
        _ request: @escaping @Sendable (HTTPTransport, URL, URL) async throws -> TransportResponse
    ) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(count: 300_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await ServiceFixture.with { fixture in
            try await fixture.withServer { url in
                let transport = HTTPTransport(url: url)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for client in 0..<8 {
                        group.addTask {
                            var random = Random(seed: seed.value + UInt64(client))
                            for _ in 0..<rounds {
                                let delay = random.int(0...6_000)
                                try await Self.giveUp(after: delay) { target in
                                    try await request(transport, file, target)
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let answer = try await transport.send(TransportRequest(path: "/limits"))
                #expect(answer.status == 200)
            }
        }
    }

    private static func giveUp(
        after microseconds: Int, _ request: @escaping @Sendable (URL) async throws -> TransportResponse
    ) async throws {
        let target = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: target) }
        let task = Task { try await request(target) }
        try await Task.sleep(for: .microseconds(microseconds))
        task.cancel()
        // Either answer is right; none is not.
        switch await task.result {
        case .success(let answer): #expect(answer.status > 0)
        case .failure(let error): #expect("\(error)".contains("cancelled"), "\(error)")
        }
    }
}
