public import StratusCloudKit
public import StratusCoreData

// Members of Core Data's container that take CloudKit's types. They are in a module of their own, since an app with Core
// Data alone compiles nothing of CloudKit; add `import CoreDataCloudKit` where they are used.

extension NSPersistentCloudKitContainer {
    /// The record of an object: nil, as for every object that is not mirrored.
    public func record(for managedObjectID: NSManagedObjectID) -> CKRecord? { nil }

    /// The records of objects: none, as for objects that are not mirrored.
    public func records(for managedObjectIDs: [NSManagedObjectID]) -> [NSManagedObjectID: CKRecord] { [:] }

    /// The ID of an object's record: nil, as for every object that is not mirrored.
    public func recordID(for managedObjectID: NSManagedObjectID) -> CKRecord.ID? { nil }

    /// The IDs of objects' records: none, as for objects that are not mirrored.
    public func recordIDs(for managedObjectIDs: [NSManagedObjectID]) -> [NSManagedObjectID: CKRecord.ID] {
        [:]
    }

    /// Deletes the records of a zone and their objects.
    ///
    /// - Throws: `CocoaError` 134060, since this version does not mirror; nothing is deleted.
    @discardableResult
    public func purgeObjectsAndRecordsInZone(
        with zoneID: CKRecordZone.ID, in persistentStore: NSPersistentStore?
    ) async throws -> CKRecordZone.ID { throw mirroringError }

    /// Deletes the records of a zone and their objects. The handler is called with an error, since this version does not
    /// mirror; nothing is deleted.
    public func purgeObjectsAndRecordsInZone(
        with zoneID: CKRecordZone.ID, in persistentStore: NSPersistentStore?,
        completion: (@Sendable (CKRecordZone.ID?, (any Error)?) -> Void)? = nil
    ) { completion?(nil, mirroringError) }
}
