internal import Foundation

/// A record that a query subscription matches was made, changed or deleted.
///
/// Sendable is unchecked as in ``CKNotification``; it adds nothing that is stored.
open class CKQueryNotification: CKNotification, @unchecked Sendable {
    /// What happened to a record.
    public enum Reason: Int, Hashable, Sendable {
        /// It was made, or came to match.
        case recordCreated = 1
        /// It was changed.
        case recordUpdated = 2
        /// It was deleted, or ceased to match.
        case recordDeleted = 3
    }

    /// What happened to the record; an update where the payload does not say.
    open var queryNotificationReason: Reason {
        payload.event.integer("fo").flatMap(Reason.init(rawValue:)) ?? .recordUpdated
    }

    /// The values of the subscription's `desiredKeys`; nil where the payload has none.
    open var recordFields: [String: Any]? {
        payload.event.contains("af") ? payload.event.part("af").values : nil
    }

    /// The record; nil where the payload was cut.
    open var recordID: CKRecord.ID? {
        payload.event.text("rid").map { CKRecord.ID(recordName: $0, zoneID: payload.zoneID ?? .default) }
    }

    /// The database that the record is in.
    open var databaseScope: CKDatabase.Scope { payload.scope }
}

/// Records of a zone changed.
///
/// Sendable is unchecked as in ``CKNotification``; it adds nothing that is stored.
open class CKRecordZoneNotification: CKNotification, @unchecked Sendable {
    /// The zone; nil where the payload was cut.
    open var recordZoneID: CKRecordZone.ID? { payload.zoneID }

    /// The database that the zone is in.
    open var databaseScope: CKDatabase.Scope { payload.scope }
}

/// Zones of a database changed.
///
/// Sendable is unchecked as in ``CKNotification``; it adds nothing that is stored.
open class CKDatabaseNotification: CKNotification, @unchecked Sendable {
    /// The database.
    open var databaseScope: CKDatabase.Scope { payload.scope }
}
