import CoreData

/// A store in a property list, on the class that Apple made for it.
final class ListStore: NSAtomicStore {
    static let kind = "ListStore"

    override var type: String { ListStore.kind }

    override func load() throws {
        metadata = [NSStoreTypeKey: ListStore.kind, NSStoreUUIDKey: identifier ?? UUID().uuidString]
    }

    override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let objectID = self.objectID(
            for: managedObject.entity, withReferenceObject: newReferenceObject(for: managedObject))
        let node = NSAtomicStoreCacheNode(objectID: objectID)
        updateCacheNode(node, from: managedObject)
        return node
    }

    override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        for key in managedObject.entity.attributesByName.keys {
            node.setValue(managedObject.value(forKey: key), forKey: key)
        }
    }

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        UUID().uuidString
    }

    override func save() throws {}
}
