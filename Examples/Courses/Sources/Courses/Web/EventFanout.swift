import Synchronization

/// Gives each event to every reader, and waits for none.
///
/// A reader that has ``capacity`` unread events when the next comes is let go: its stream ends after them. A page then
/// connects again and begins with the list as it is.
final class EventFanout: Sendable {
    /// How many events a reader may fall behind.
    static let capacity = 64
    /// How many readers there may be; each costs a connection and that many events.
    static let maximumReaders = 500

    private struct Readers {
        var streams: [Int: AsyncStream<ServerSentEvent>.Continuation] = [:]
        var next = 0
    }

    private let readers = Mutex(Readers())

    /// How many read now.
    var readerCount: Int { readers.withLock { $0.streams.count } }

    /// A stream that begins with an event and goes on with all that are sent from now on; nil when it is too full.
    func subscribe(first: ServerSentEvent) -> AsyncStream<ServerSentEvent>? {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ServerSentEvent.self, bufferingPolicy: .bufferingOldest(Self.capacity))
        let number = readers.withLock { readers -> Int? in
            guard readers.streams.count < Self.maximumReaders else { return nil }
            readers.next += 1
            readers.streams[readers.next] = continuation
            // Inside the lock, so that nothing is sent before it.
            continuation.yield(first)
            return readers.next
        }
        guard let number else { return nil }
        continuation.onTermination = { [weak self] _ in
            self?.readers.withLock { $0.streams[number] = nil }
        }
        return stream
    }

    /// Sends an event to all readers.
    func send(_ event: ServerSentEvent) {
        let slow = readers.withLock { readers in
            readers.streams.filter { _, continuation in
                if case .dropped = continuation.yield(event) { return true }
                return false
            }
        }
        // Outside of the lock: finishing calls `onTermination`, which takes it.
        for continuation in slow.values { continuation.finish() }
    }
}
