import CoreData

/// What a notification of IDs holds, by each of its keys.
func summary(of notification: Notification) -> String {
    let keys: [(String, String)] = [
        ("inserted", NSInsertedObjectIDsKey), ("updated", NSUpdatedObjectIDsKey),
        ("deleted", NSDeletedObjectIDsKey),
        ("refreshed", NSRefreshedObjectIDsKey), ("invalidated", NSInvalidatedObjectIDsKey),
    ]
    return keys.compactMap { name, key in
        guard let ids = notification.userInfo?[key] as? Set<NSManagedObjectID>, !ids.isEmpty else {
            return nil
        }
        return "\(name) \(ids.count)"
    }
    .joined(separator: ", ")
}
