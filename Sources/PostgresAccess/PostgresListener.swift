internal import CLibPQ
internal import Foundation
internal import Synchronization

/// Listens on channels with a connection of its own, on a thread of its own.
///
/// Notices are hints: those that were sent while the connection was lost are gone. So the closure is called with
/// one without text on each channel after each connecting.
public final class PostgresListener: Sendable {
    /// What came on a channel.
    public struct Notice: Hashable, Sendable {
        public let channel: String
        /// What its sender gave it along; empty for nothing, and for what may have been missed.
        public let text: String
    }

    private let stopping = Atomic(false)
    private let signal = StopSignal()
    private let end = ThreadEnd()
    private let channels: [String]
    private let connect: @Sendable () throws -> PostgresConnection
    private let onNotice: @Sendable (Set<Notice>) -> Void

    /// How long the thread waits before it connects again.
    private static let millisecondsBetweenTries: Int32 = 500

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - channels: plain names.
    ///   - connect: makes the connection, again each time it was lost.
    ///   - onNotice: called with what came, each once, on the thread, which it must not keep.
    public init(
        channels: [String], connect: @escaping @Sendable () throws -> PostgresConnection,
        onNotice: @escaping @Sendable (Set<Notice>) -> Void
    ) {
        self.channels = channels
        self.connect = connect
        self.onNotice = onNotice
        let thread = Thread { [self] in work() }
        thread.name = "stratus-notices"
        thread.start()
    }

    /// Ends the thread and its connection.
    public func stop() async {
        stopping.store(true, ordering: .relaxed)
        signal.give()
        await end.wait()
    }

    private var isStopping: Bool { stopping.load(ordering: .relaxed) }

    private func work() {
        while !isStopping {
            do {
                let connection = try connect()
                defer { connection.close() }
                for channel in channels { try connection.run(sql: "LISTEN \(channel)") }
                onNotice(Set(channels.map { Notice(channel: $0, text: "") }))
                while !isStopping {
                    let found = try connection.notices(orUntil: signal)
                    if !found.isEmpty { onNotice(found) }
                }
            } catch {
                // Whoever reads or writes meanwhile gets the error; here it is tried again.
                _ = signal.wait(milliseconds: Self.millisecondsBetweenTries)
            }
        }
        end.come()
    }
}

extension PostgresConnection {
    /// Waits for notices on the channels that the connection listens on, or for the signal.
    ///
    /// - Returns: all that came; none after the signal.
    /// - Throws: ``PostgresFailure`` when the connection is lost.
    fileprivate func notices(orUntil signal: StopSignal) throws -> Set<PostgresListener.Notice> {
        guard let handle else { throw PostgresFailure.closed }
        let socket = PQsocket(handle)
        guard socket >= 0, let isReadable = signal.wait(for: socket) else {
            throw PostgresFailure(connection: handle)
        }
        guard isReadable else { return [] }
        guard PQconsumeInput(handle) == 1 else { throw PostgresFailure(connection: handle) }
        var notices: Set<PostgresListener.Notice> = []
        while let notice = PQnotifies(handle) {
            notices.insert(
                PostgresListener.Notice(
                    channel: String(cString: notice.pointee.relname),
                    text: String(cString: notice.pointee.extra)))
            PQfreemem(notice)
        }
        return notices
    }
}
