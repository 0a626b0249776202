internal import PostgresAccess
internal import Synchronization

/// Who is called with the users whose subscriptions a node changed.
final class SubscriberListener: Sendable {
    private let closure = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Sets who is called; nil for nobody.
    func set(_ closure: (@Sendable (String) -> Void)?) { self.closure.withLock { $0 = closure } }

    /// Calls who listens with the user of each notice, on the calling thread.
    func take(_ notices: Set<PostgresListener.Notice>) {
        guard let closure = closure.withLock({ $0 }) else { return }
        for notice in notices where notice.channel == PostgresLayout.subscriberChannel && !notice.text.isEmpty
        {
            closure(PostgresText.decoded(notice.text))
        }
    }
}
