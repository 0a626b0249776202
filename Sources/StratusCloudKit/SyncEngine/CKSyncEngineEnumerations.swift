// Cases as numbers, which CloudKit's Objective-C interface has in the place of Swift's enumerations with values.
// Swift code uses the latter; these exist so that every documented name does, and nothing here takes or gives them.

/// The kinds of ``CKSyncEngine/Event``.
public enum CKSyncEngineEventType: Int, Hashable, Sendable {
    /// The state changed.
    case stateUpdate = 0
    /// Somebody signed in or out.
    case accountChange = 1
    /// Zones changed at the service.
    case fetchedDatabaseChanges = 2
    /// Records changed at the service.
    case fetchedRecordZoneChanges = 3
    /// Changes of zones were sent.
    case sentDatabaseChanges = 4
    /// Changes of records were sent.
    case sentRecordZoneChanges = 5
    /// Fetching begins.
    case willFetchChanges = 6
    /// Fetching one zone begins.
    case willFetchRecordZoneChanges = 7
    /// Fetching one zone ended.
    case didFetchRecordZoneChanges = 8
    /// Fetching ended.
    case didFetchChanges = 9
    /// Sending begins.
    case willSendChanges = 10
    /// Sending ended.
    case didSendChanges = 11
}

/// The kinds of ``CKSyncEngine/Event/AccountChange/ChangeType``.
public enum CKSyncEngineAccountChangeType: Int, Hashable, Sendable {
    /// Somebody signed in.
    case signIn = 0
    /// The user signed out.
    case signOut = 1
    /// Another user signed in.
    case switchAccounts = 2
}

/// The kinds of ``CKSyncEngine/PendingRecordZoneChange``.
public enum CKSyncEnginePendingRecordZoneChangeType: Int, Hashable, Sendable {
    /// A record is to be saved.
    case saveRecord = 0
    /// A record is to be deleted.
    case deleteRecord = 1
}

/// The kinds of ``CKSyncEngine/PendingDatabaseChange``.
public enum CKSyncEnginePendingDatabaseChangeType: Int, Hashable, Sendable {
    /// A zone is to be saved.
    case saveZone = 0
    /// A zone is to be deleted.
    case deleteZone = 1
}

/// The numbers of ``CKSyncEngine/SyncReason``.
public enum CKSyncEngineSyncReason: Int, Hashable, Sendable {
    /// The engine does so by itself.
    case scheduled = 0
    /// The app asked for it.
    case manual = 1
}

/// The numbers of ``CKDatabase/DatabaseChange/Deletion/Reason``, from 0 as Objective-C counts them.
public enum CKSyncEngineZoneDeletionReason: Int, Hashable, Sendable {
    /// Somebody deleted the zone.
    case deleted = 0
    /// The user removed the app's data.
    case purged = 1
    /// The user reset the encrypted data.
    case encryptedDataReset = 2
}
