public import Foundation

extension NotificationCenter {
    /// The notifications of a name, from when they are first asked for, as a sequence to `await`.
    ///
    /// Each iterator has all notifications that are posted while it exists, in their order; they wait in memory until they
    /// are asked for. Ends with its task only. See
    /// <https://developer.apple.com/documentation/foundation/notificationcenter/notifications(named:object:)>.
    ///
    /// - Parameter object: only what this one posts; it is kept alive by the sequence.
    @preconcurrency
    public func notifications(
        named name: Notification.Name, object: (any AnyObject & Sendable)? = nil
    ) -> Notifications {
        Notifications(center: self, name: name, object: object)
    }

    /// Notifications, one after the other.
    public final class Notifications: AsyncSequence, Sendable {
        /// What one gets.
        public typealias Element = Notification
        /// What gets one after the other.
        public typealias AsyncIterator = Iterator

        private let center: NotificationCenter
        private let name: Notification.Name
        private let object: (any AnyObject & Sendable)?

        init(center: NotificationCenter, name: Notification.Name, object: (any AnyObject & Sendable)?) {
            (self.center, self.name, self.object) = (center, name, object)
        }

        /// Begins to listen.
        public func makeAsyncIterator() -> Iterator {
            Iterator(Listener(center: center, name: name, object: object))
        }

        /// Gets one notification after the other.
        public struct Iterator: AsyncIteratorProtocol {
            private let listener: Listener
            private var waiting: AsyncStream<Posted>.Iterator

            fileprivate init(_ listener: Listener) {
                self.listener = listener
                waiting = listener.stream.makeAsyncIterator()
            }

            /// Waits for the next notification; nil when the task is cancelled.
            public mutating func next() async -> Notification? { await waiting.next()?.notification }
        }
    }
}

/// A notification on its way from who posts it to who waits for it.
///
private struct Posted: Sendable {
    // Unsafe since a notification may hold anything: as on Apple's platforms, what it holds is the poster's to share.
    nonisolated(unsafe) let notification: Notification
}

/// Listens to a center for as long as it exists.
private final class Listener: Sendable {
    let stream: AsyncStream<Posted>
    private let center: NotificationCenter
    // Unsafe as it is an opaque object of Foundation's, which is only handed back.
    nonisolated(unsafe) private let observer: any NSObjectProtocol

    init(center: NotificationCenter, name: Notification.Name, object: (any AnyObject & Sendable)?) {
        let (stream, continuation) = AsyncStream<Posted>.makeStream()
        self.stream = stream
        self.center = center
        observer = center.addObserver(forName: name, object: object, queue: nil) {
            continuation.yield(Posted(notification: $0))
        }
    }

    deinit { center.removeObserver(observer) }
}
