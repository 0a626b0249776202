extension NSManagedObjectContext {
    /// What was saved elsewhere, as IDs, or as the addresses of IDs that a notification brings from another process.
    package struct RemoteChanges: Sendable {
        private enum Kind { case inserted, updated, deleted }

        private(set) var inserted: [NSManagedObjectID] = []
        private(set) var updated: [NSManagedObjectID] = []
        private(set) var deleted: [NSManagedObjectID] = []
        private var addresses: [(kind: Kind, url: URL)] = []

        var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && addresses.isEmpty }

        /// Changes of objects by their IDs.
        package init(
            inserted: [NSManagedObjectID], updated: [NSManagedObjectID], deleted: [NSManagedObjectID]
        ) {
            self.inserted = inserted
            self.updated = updated
            self.deleted = deleted
        }

        /// Reads what notifications of saves and of remote changes have: sets and arrays of objects, of IDs or of addresses.
        init(_ info: [AnyHashable: Any]) {
            for (key, value) in info {
                guard let key = key as? String else { continue }
                switch key {
                case NSInsertedObjectsKey, NSInsertedObjectIDsKey: addElements(of: value, as: .inserted)
                case NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey,
                    NSManagedObjectContext.NotificationKey.refreshedObjectIDs.rawValue:
                    addElements(of: value, as: .updated)
                case NSDeletedObjectsKey, NSDeletedObjectIDsKey: addElements(of: value, as: .deleted)
                default: break
                }
            }
        }

        private mutating func addElements(of value: Any, as kind: Kind) {
            let elements: [Any] =
                switch value {
                case let set as NSSet: set.allObjects
                case let array as [Any]: array
                case let set as Set<AnyHashable>: Array(set)
                default: []
                }
            for element in elements {
                if let objectID = (element as? NSManagedObject)?.objectID ?? element as? NSManagedObjectID {
                    add(objectID, kind)
                } else if let url = element as? URL {
                    addresses.append((kind, url))
                }
            }
        }

        private mutating func add(_ objectID: NSManagedObjectID, _ kind: Kind) {
            switch kind {
            case .inserted: inserted.append(objectID)
            case .updated: updated.append(objectID)
            case .deleted: deleted.append(objectID)
            }
        }

        /// Looks up the IDs of the addresses; those of unknown stores are left out.
        func resolved(_ coordinator: NSPersistentStoreCoordinator?) -> RemoteChanges {
            let own = { (objectID: NSManagedObjectID) in coordinator.map { $0.own(objectID) } ?? objectID }
            var changes = RemoteChanges(
                inserted: inserted.compactMap(own), updated: updated.compactMap(own),
                deleted: deleted.compactMap(own))
            for (kind, url) in addresses {
                guard let objectID = coordinator?.managedObjectID(forURIRepresentation: url) else { continue }
                changes.add(objectID, kind)
            }
            return changes
        }
    }
}
