import CloudKit

actor AsyncChanges {
    private let database: CKDatabase
    private var token: CKServerChangeToken?

    init(database: CKDatabase) {
        self.database = database
    }

    func next(in zoneID: CKRecordZone.ID) async throws -> (changed: [CKRecord], deleted: [CKRecord.ID]) {
        var changed: [CKRecord] = []
        var deleted: [CKRecord.ID] = []
        var more = true
        while more {
            let changes = try await database.recordZoneChanges(inZoneWith: zoneID, since: token)
            changed += try changes.modificationResultsByID.values.map { try $0.get().record }
            deleted += changes.deletions.map(\.recordID)
            token = changes.changeToken
            more = changes.moreComing
        }
        return (changed, deleted)
    }
}
