import RecordModel

/// Where a notification stands among all of a user: by its change, then by its subscription.
///
/// It is also the notification's id, as a UUID that is the same each time the notification is told: so a client that
/// gets it twice sees that it is one.
struct NotificationPlace: Hashable, Comparable, Sendable {
    /// The sequence number of the change.
    var change: Int64
    /// The sequence number with which the subscription was made.
    var subscription: Int64

    init(change: Int64, subscription: Int64) {
        self.change = change
        self.subscription = subscription
    }

    /// The place after all notifications of a change.
    init(endOf change: Int64) { self.init(change: change, subscription: .max) }

    static func < (left: Self, right: Self) -> Bool {
        (left.change, left.subscription) < (right.change, right.subscription)
    }

    /// 32 digits in five groups.
    var id: String {
        func digits(_ number: Int64) -> String {
            let text = String(UInt64(bitPattern: number), radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        var text = digits(change) + digits(subscription)
        for offset in [8, 13, 18, 23] { text.insert("-", at: text.index(text.startIndex, offsetBy: offset)) }
        return text
    }

    /// Reads an id; nil for a text that is none of ours.
    init?(id: String) {
        let digits = id.filter { $0 != "-" }
        guard digits.utf8.count == 32, let change = UInt64(digits.prefix(16), radix: 16),
            let subscription = UInt64(digits.suffix(16), radix: 16)
        else { return nil }
        self.init(change: Int64(bitPattern: change), subscription: Int64(bitPattern: subscription))
        guard self.change >= 0, self.subscription >= 0 else { return nil }
    }
}
