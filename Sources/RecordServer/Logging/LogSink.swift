import Foundation
import Synchronization

/// Where log lines go: a buffer that one thread empties, so that no request waits for the terminal.
///
/// The buffer is bounded. When whoever reads the log is too slow, lines are lost, and their number is told in a line of
/// its own as soon as one can be written, and by ``lost``.
public final class LogSink: Sendable {
    private struct State {
        var buffer: [UInt8] = []
        /// Lines that were lost and not told of yet.
        var dropped = 0
        var isClosed = false
        /// Whether the thread waits to be woken.
        var isAsleep = false
    }

    /// How a write ended.
    private enum Outcome {
        case written
        /// So much of it could not be written, and will not be.
        case failed(rest: ArraySlice<UInt8>)
    }

    private let state = Mutex(State())
    private let descriptor: Int32
    /// Signalled to the thread when it is asleep.
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let lostLines = Atomic<Int>(0)

    /// The most bytes that wait.
    private static let capacity = 4 << 20
    /// How long the thread gathers lines before it writes them, in seconds.
    private static let interval = 0.05

    /// Starts the thread that writes to a file descriptor.
    public init(descriptor: Int32 = 1) {
        self.descriptor = descriptor
        state.withLock { $0.buffer.reserveCapacity(64 << 10) }
        let thread = Thread { [self] in work() }
        thread.name = "stratus-log"
        thread.start()
    }

    /// How long a log that nobody reads may hold up the end of the process, in seconds.
    private static let timeToClose = 5.0

    /// How many lines were lost, because whoever reads the log was too slow or had gone.
    public var lost: Int { lostLines.load(ordering: .relaxed) }

    /// Whether a person is looking: the descriptor is a terminal.
    public var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Adds a line, which ends in a line feed.
    public func write(_ line: [UInt8]) {
        let wakes = state.withLock { state in
            if state.buffer.count + line.count > Self.capacity {
                state.dropped += 1
                lostLines.add(1, ordering: .relaxed)
            } else {
                state.buffer += line
            }
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if wakes { wake.signal() }
    }

    /// Writes what waits and ends the thread; gives up on a log that nobody reads.
    public func close() {
        let wakes = state.withLock { state in
            state.isClosed = true
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if wakes { wake.signal() }
        // Ended or not, the process goes on to its end.
        _ = ended.wait(timeout: .now() + Self.timeToClose)
    }

    private func work() {
        var spare: [UInt8] = []
        spare.reserveCapacity(64 << 10)
        while true {
            spare.removeAll(keepingCapacity: spare.capacity < 1 << 20)
            let (dropped, isClosed, isAsleep) = state.withLock { state in
                swap(&state.buffer, &spare)
                state.isAsleep = spare.isEmpty && state.dropped == 0 && !state.isClosed
                defer { state.dropped = 0 }
                return (state.dropped, state.isClosed, state.isAsleep)
            }
            if isAsleep {
                wake.wait()
                continue
            }
            let isWritten = flush(spare)
            if dropped > 0 {
                let notice = "\(dropped) log lines were dropped: the reader is too slow\n"
                // Told again with the next ones where it cannot be written now.
                if !isWritten || !flush(Array(notice.utf8), isLine: false) {
                    state.withLock { $0.dropped += dropped }
                }
            }
            if isClosed, spare.isEmpty { break }
            Thread.sleep(forTimeInterval: Self.interval)
        }
        ended.signal()
    }

    /// Writes lines; those that cannot be written are counted as lost.
    private func flush(_ bytes: [UInt8], isLine: Bool = true) -> Bool {
        guard case .failed(let rest) = write(bytes[...]) else { return true }
        if isLine {
            let lines = rest.count { $0 == 0x0A }
            lostLines.add(lines, ordering: .relaxed)
            state.withLock { $0.dropped += lines }
        }
        return false
    }

    /// Writes all, waiting for a reader that is slow: this thread has nothing else to do, and what waits meanwhile is
    /// bounded.
    private func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
        var rest = bytes
        var end: ContinuousClock.Instant?
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK:
                // A descriptor that does not block, a pipe that another program shares for example.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, 100)  // Whatever it says, the next write tells more.
                if state.withLock({ $0.isClosed }) {
                    end = end ?? .now + .seconds(Self.timeToClose)
                    if let end, .now > end { return .failed(rest: rest) }
                }
            // Whoever read the log is gone, or its disk is full.
            default: return .failed(rest: rest)
            }
        }
        return .written
    }
}

/// How log lines look.
public enum LogFormat: String, Sendable, CaseIterable {
    /// For a person.
    case text
    /// For a machine: one JSON object a line.
    case json
}
