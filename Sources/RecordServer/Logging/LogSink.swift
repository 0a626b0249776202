import Foundation
import Synchronization

/// Where log lines go: a buffer that one thread empties, so that no request waits for the terminal.
///
/// The buffer is bounded. When whoever reads the log is too slow, lines are dropped, and their number is logged
/// in a line of its own.
public final class LogSink: Sendable {
    private struct State {
        var buffer: [UInt8] = []
        var dropped = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let descriptor: Int32
    private let hasEnded = Atomic<Bool>(false)

    /// The most bytes that wait.
    private static let capacity = 4 << 20
    /// How often the thread looks, in seconds.
    private static let interval = 0.05

    /// Starts the thread that writes to a file descriptor.
    public init(descriptor: Int32 = 1) {
        self.descriptor = descriptor
        state.withLock { $0.buffer.reserveCapacity(64 << 10) }
        let thread = Thread { [self] in work() }
        thread.name = "stratus-log"
        thread.start()
    }

    /// Whether a person is looking: the descriptor is a terminal.
    public var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Adds a line, which ends in a line feed.
    public func write(_ line: [UInt8]) {
        state.withLock { state in
            if state.buffer.count + line.count > Self.capacity {
                state.dropped += 1
            } else {
                state.buffer += line
            }
        }
    }

    /// Writes what waits and ends the thread.
    public func close() {
        state.withLock { $0.isClosed = true }
        while !hasEnded.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 0.005) }
    }

    private func work() {
        var spare: [UInt8] = []
        spare.reserveCapacity(64 << 10)
        while true {
            spare.removeAll(keepingCapacity: spare.capacity < 1 << 20)
            let (dropped, isClosed) = state.withLock { state in
                swap(&state.buffer, &spare)
                defer { state.dropped = 0 }
                return (state.dropped, state.isClosed)
            }
            flush(spare)
            if dropped > 0 {
                flush(Array("\(dropped) log lines were dropped: the reader is too slow\n".utf8))
            }
            if isClosed, spare.isEmpty { break }
            Thread.sleep(forTimeInterval: Self.interval)
        }
        hasEnded.store(true, ordering: .releasing)
    }

    private func flush(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            // Nobody can learn that the log is gone.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// How log lines look.
public enum LogFormat: String, Sendable, CaseIterable {
    /// For a person.
    case text
    /// For a machine: one JSON object a line.
    case json
}
