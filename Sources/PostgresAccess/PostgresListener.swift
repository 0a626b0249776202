internal import CLibPQ
internal import Foundation
internal import Glibc
internal import Synchronization

/// Listens on a channel with a connection of its own, on a thread of its own.
///
/// Notices are hints: those that were sent while the connection was lost are gone. So the closure is called again
/// after each connecting.
public final class PostgresListener: Sendable {
    private let stopping = Atomic(false)
    private let end = ThreadEnd()
    private let channel: String
    private let connect: @Sendable () throws -> PostgresConnection
    private let onNotice: @Sendable () -> Void

    /// How often the thread looks whether it should end, in milliseconds.
    private static let lookMilliseconds: Int32 = 250
    /// How long it waits before it connects again, in seconds.
    private static let secondsBetweenTries = 0.5

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - channel: a plain name.
    ///   - connect: makes the connection, again each time it was lost.
    ///   - onNotice: called on the thread, which it must not keep.
    public init(
        channel: String, connect: @escaping @Sendable () throws -> PostgresConnection,
        onNotice: @escaping @Sendable () -> Void
    ) {
        self.channel = channel
        self.connect = connect
        self.onNotice = onNotice
        let thread = Thread { [self] in work() }
        thread.name = "stratus-notices"
        thread.start()
    }

    /// Ends the thread and its connection.
    public func stop() async {
        stopping.store(true, ordering: .relaxed)
        await end.wait()
    }

    private var isStopping: Bool { stopping.load(ordering: .relaxed) }

    private func work() {
        while !isStopping {
            do {
                let connection = try connect()
                defer { connection.close() }
                try connection.run(sql: "LISTEN \(channel)")
                onNotice()
                while !isStopping {
                    if try connection.hasNotice(withinMilliseconds: Self.lookMilliseconds) { onNotice() }
                }
            } catch {
                // Whoever reads or writes meanwhile gets the error; here it is tried again.
                Thread.sleep(forTimeInterval: Self.secondsBetweenTries)
            }
        }
        end.come()
    }
}

extension PostgresConnection {
    /// Waits for notices on the channels that the connection listens on.
    ///
    /// - Returns: whether any came, all of which are taken.
    /// - Throws: ``PostgresFailure`` when the connection is lost.
    fileprivate func hasNotice(withinMilliseconds time: Int32) throws -> Bool {
        guard let handle else { throw PostgresFailure.closed }
        var entry = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        let ready = poll(&entry, 1, time)
        guard ready > 0 else {
            guard ready == 0 || errno == EINTR else { throw PostgresFailure(connection: handle) }
            return false
        }
        guard PQconsumeInput(handle) == 1 else { throw PostgresFailure(connection: handle) }
        var isThere = false
        while let notice = PQnotifies(handle) {
            PQfreemem(notice)
            isThere = true
        }
        return isThere
    }
}
