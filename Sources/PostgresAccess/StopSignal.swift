internal import Glibc

/// Tells a thread that it is to stop, also while it waits for a socket.
///
/// It holds a pipe, which becomes readable with the signal and stays so, since nobody reads it.
final class StopSignal: Sendable {
    /// The ends to read and to write; -1 where the system had no descriptors left.
    private let reading: Int32
    private let writing: Int32

    /// How long a wait is at most where there is no pipe to end it early, in milliseconds.
    private static let longestBlindWait: Int32 = 250

    init() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) != 0 { ends = [-1, -1] }
        for end in ends where end >= 0 {
            // Where it fails, a program that this one starts holds an end that it does not know.
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        reading = ends[0]
        writing = ends[1]
    }

    deinit { for end in [reading, writing] where end >= 0 { close(end) } }

    /// Gives the signal, which ends all waits, now and later.
    func give() {
        guard writing >= 0 else { return }
        var byte: UInt8 = 1
        while write(writing, &byte, 1) < 0, errno == EINTR {}
    }

    /// Waits until a socket has something to read, the signal was given, or the time is over.
    ///
    /// - Parameters:
    ///   - socket: what is waited for; -1 for the signal alone.
    ///   - milliseconds: the longest wait; -1 for any time.
    /// - Returns: whether the socket has something to read, or is lost; nil where the wait failed.
    func wait(for socket: Int32 = -1, milliseconds: Int32 = -1) -> Bool? {
        var entries = [
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
            pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
        ]
        let blind = milliseconds < 0 ? Self.longestBlindWait : min(milliseconds, Self.longestBlindWait)
        let ready = poll(&entries, nfds_t(entries.count), reading < 0 ? blind : milliseconds)
        guard ready >= 0 || errno == EINTR else { return nil }
        return ready > 0 && entries[0].revents != 0
    }
}
