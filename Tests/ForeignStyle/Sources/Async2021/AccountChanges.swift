import CloudKit

/// Account changes as a sequence.
func firstAccountChange(in center: NotificationCenter, started: () -> Void) async -> Notification.Name? {
    let changes = center.notifications(named: .CKAccountChanged)
    var iterator = changes.makeAsyncIterator()
    started()
    return await iterator.next()?.name
}

func countAccountChanges(upTo limit: Int, in center: NotificationCenter) async -> Int {
    var count = 0
    for await _ in center.notifications(named: .CKAccountChanged).map({ $0.name }) {
        count += 1
        if count == limit { break }
    }
    return count
}
