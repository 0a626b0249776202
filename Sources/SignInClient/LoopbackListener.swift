internal import Foundation

/// A port of this machine at which a browser comes back once.
///
/// It is on 127.0.0.1 alone. One thread serves few connections, each with few bytes and little time, since any program of
/// the machine may connect; what does not carry the state of this sign-in is refused and waited past.
final class LoopbackListener: Sendable {
    /// The port, which the system chose.
    let port: UInt16
    private let socket: Int32
    /// What is written to one end when the wait is over.
    private let wake: (read: Int32, write: Int32)

    /// Opens a port.
    ///
    /// - Throws: ``SignInProblem``.
    init() throws {
        guard let opened = LoopbackSocket.open() else {
            throw SignInProblem(
                .noListener, "This machine gives no port to wait for the browser at.",
                remedy: "Sign in by a code.")
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            // Nobody was at it.
            close(opened.socket)
            throw SignInProblem(.noListener, "This process has too many files open.")
        }
        (socket, port) = opened
        wake = (ends[0], ends[1])
    }

    deinit {
        // Who was at it was answered or is cut off; nothing is kept in any of them.
        for descriptor in [socket, wake.read, wake.write] { _ = close(descriptor) }
    }

    /// Waits for the browser.
    ///
    /// - Returns: the code of its address.
    /// - Throws: ``SignInProblem`` where nobody came in time, or the page said no; `CancellationError`.
    func code(path: String, state: String, seconds: Int) async throws -> String {
        let end = ContinuousClock.now + .seconds(seconds)
        let visit = LoopbackVisit(path: path, state: state)
        let code = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<String, any Error>) in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try self.serve(visit, until: end) })
                }
            }
        } onCancel: {
            // A pipe that takes no byte has one that was not read yet, which is all that is needed.
            _ = write(wake.write, "x", 1)
        }
        return code
    }

    private func serve(_ visit: LoopbackVisit, until end: ContinuousClock.Instant) throws -> String {
        var guests: [LoopbackGuest] = []
        defer { for guest in guests { close(guest.socket) } }
        while true {
            let now = ContinuousClock.now
            guard now < end else {
                throw SignInProblem(.late, "Nobody signed in in time.", remedy: "Start again.")
            }
            var polled =
                [socket, wake.read].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                + guests.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
            // A call that a signal ended tells nothing, and comes again.
            if poll(&polled, nfds_t(polled.count), 1_000) < 0, errno != EINTR {
                throw SignInProblem(
                    .noListener, "Waiting for the browser failed.", remedy: "Sign in by a code.")
            }
            guard polled[1].revents == 0 else { throw CancellationError() }
            for (index, entry) in polled.enumerated().dropFirst(2).reversed() {
                let guest = index - 2
                guard entry.revents != 0 || guests[guest].isLate(now) else { continue }
                guard let target = guests[guest].read(isLate: guests[guest].isLate(now)) else { continue }
                let outcome = visit.outcome(of: target)
                LoopbackSocket.deliver(outcome.page, to: guests[guest].socket)
                // It had its answer, as far as it took it.
                close(guests[guest].socket)
                guests.remove(at: guest)
                if let result = outcome.result { return try result.get() }
            }
            if polled[0].revents != 0, guests.count < LoopbackGuest.most, let guest = LoopbackGuest(socket) {
                guests.append(guest)
            }
        }
    }
}

/// A connection of something on this machine.
struct LoopbackGuest {
    /// The most at once; more wait in the system's queue.
    static let most = 16
    private static let mostBytes = 16_384
    private static let seconds = 10

    let socket: Int32
    private var bytes: [UInt8] = []
    private let end = ContinuousClock.now + .seconds(Self.seconds)

    /// Takes a connection; nil where it has gone already.
    init?(_ listener: Int32) {
        socket = accept(listener, nil, nil)
        guard socket >= 0 else { return nil }
        // One that blocks would hold the thread, and with it everybody who comes after.
        guard fcntl(socket, F_SETFL, O_NONBLOCK) == 0 else {
            // Nothing was read from it.
            close(socket)
            return nil
        }
    }

    func isLate(_ now: ContinuousClock.Instant) -> Bool { now >= end }

    /// Reads what has come.
    ///
    /// - Returns: what the request asks for, empty where it is none; nil while more is to come.
    mutating func read(isLate: Bool) -> String? {
        guard !isLate else { return "" }
        var chunk = [UInt8](repeating: 0, count: 4_096)
        let count = recv(socket, &chunk, chunk.count, 0)
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) ? nil : "" }
        bytes += chunk.prefix(count)
        guard bytes.count <= Self.mostBytes else { return "" }
        let head = String(decoding: bytes, as: UTF8.self)
        guard head.contains("\r\n\r\n") else { return nil }
        let words = head.prefix { !$0.isNewline }.split(separator: " ")
        return words.count == 3 && words[0] == "GET" ? String(words[1]) : ""
    }
}
