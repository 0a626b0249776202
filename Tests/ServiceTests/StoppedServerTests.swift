import Foundation
import Synchronization
import Testing

/// Servers that are stopped under clients.
@Suite struct StoppedServerTests {
    /// NIO stops the process when a connection's writer goes away unfinished, which those had that a server had
    /// accepted and not begun to handle.
    @Test("A server that stops while clients connect ends, and the process goes on", .timeLimit(.minutes(2)))
    func clientsThatConnect() async throws {
        try await ServiceFixture.with { fixture in
            for _ in 0..<20 {
                let isOver = Flag()
                try await fixture.withServer { url in
                    let port = try #require(url.port)
                    for _ in 0..<8 {
                        Thread { while !isOver.isSet, Self.connect(port) {} }.start()
                    }
                    try await Task.sleep(for: .milliseconds(30))
                }
                isOver.set()
            }
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)
        var isSet: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }

    /// Makes a connection and leaves; false where nobody listens any more.
    private static func connect(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return RawConnection.connect(descriptor, to: port)
    }
}
