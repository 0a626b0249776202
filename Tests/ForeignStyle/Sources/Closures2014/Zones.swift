import CloudKit

/// Zones made when they are missing.
class Zones {
    let database: CKDatabase

    init(database: CKDatabase) {
        self.database = database
    }

    func ensure(named name: String, completion: @escaping (CKRecordZone?, Error?) -> Void) {
        let zoneID = CKRecordZone.ID(zoneName: name, ownerName: CKCurrentUserDefaultName)
        database.fetch(withRecordZoneID: zoneID) { zone, error in
            if let zone = zone {
                completion(zone, nil)
            } else {
                self.database.save(CKRecordZone(zoneID: zoneID), completionHandler: completion)
            }
        }
    }

    func names(completion: @escaping ([String]) -> Void) {
        database.fetchAllRecordZones { zones, _ in
            completion((zones ?? []).map { $0.zoneID.zoneName }.sorted())
        }
    }
}
