public import StratusCloudKit
public import StratusCoreData

// Sharing. Each member says that it is not offered yet, and changes nothing.

extension NSPersistentCloudKitContainer {
    /// Shares objects, with the participants of a share or with a new one.
    ///
    /// - Throws: `CocoaError` 134060, since this version does not mirror.
    public func share(
        _ managedObjects: [NSManagedObject], to share: CKShare?
    ) async throws -> (Set<NSManagedObjectID>, CKShare, CKContainer) { throw mirroringError }

    /// Shares objects. The handler is called with an error, since this version does not mirror.
    public func share(
        _ managedObjects: [NSManagedObject], to share: CKShare?,
        completion:
            @escaping @Sendable (Set<NSManagedObjectID>?, CKShare?, CKContainer?, (any Error)?) -> Void
    ) { completion(nil, nil, nil, mirroringError) }

    /// The shares that objects belong to.
    ///
    /// - Throws: `CocoaError` 134060, since this version does not mirror.
    public func fetchShares(matching objectIDs: [NSManagedObjectID]) throws -> [NSManagedObjectID: CKShare] {
        throw mirroringError
    }

    /// The shares in a store; nil means all stores.
    ///
    /// - Throws: `CocoaError` 134060, since this version does not mirror.
    public func fetchShares(in persistentStore: NSPersistentStore?) throws -> [CKShare] {
        throw mirroringError
    }

    /// Accepts invitations to shares.
    ///
    /// - Throws: `CocoaError` 134060, since this version does not mirror.
    @discardableResult
    public func acceptShareInvitations(
        from metadata: [CKShare.Metadata], into persistentStore: NSPersistentStore
    ) async throws -> [CKShare.Metadata] { throw mirroringError }

    /// Accepts invitations to shares. The handler is called with an error, since this version does not mirror.
    public func acceptShareInvitations(
        from metadata: [CKShare.Metadata], into persistentStore: NSPersistentStore,
        completion: (@Sendable ([CKShare.Metadata]?, (any Error)?) -> Void)? = nil
    ) { completion?(nil, mirroringError) }

    /// Finds people who can take part in a share.
    ///
    /// - Throws: `CocoaError` 134060, since this version does not mirror.
    public func fetchParticipants(
        matching lookupInfos: [CKUserIdentity.LookupInfo], into persistentStore: NSPersistentStore
    ) async throws -> [CKShare.Participant] { throw mirroringError }

    /// Finds people who can take part in a share. The handler is called with an error, since this version does not mirror.
    public func fetchParticipants(
        matching lookupInfos: [CKUserIdentity.LookupInfo], into persistentStore: NSPersistentStore,
        completion: @escaping @Sendable ([CKShare.Participant]?, (any Error)?) -> Void
    ) { completion(nil, mirroringError) }

    /// Saves a share that was changed.
    ///
    /// - Throws: `CocoaError` 134060, since this version does not mirror.
    @discardableResult
    public func persistUpdatedShare(
        _ share: CKShare, in persistentStore: NSPersistentStore
    ) async throws -> CKShare { throw mirroringError }

    /// Saves a share that was changed. The handler is called with an error, since this version does not mirror.
    public func persistUpdatedShare(
        _ share: CKShare, in persistentStore: NSPersistentStore,
        completion: (@Sendable (CKShare?, (any Error)?) -> Void)? = nil
    ) { completion?(nil, mirroringError) }
}
