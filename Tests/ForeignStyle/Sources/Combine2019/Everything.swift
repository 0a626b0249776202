import CloudKit
import Combine
import CoreData
import os

/// One file with all four.
final class Everything {
    let log = Logger(subsystem: "com.example", category: "everything")
    let subject = CurrentValueSubject<CKAccountStatus, Never>(.couldNotDetermine)
    var bag = Set<AnyCancellable>()

    func mirror(_ record: CKRecord, into object: NSManagedObject) {
        for key in record.allKeys() where object.entity.attributesByName[key] != nil {
            object.setValue(record[key], forKey: key)
        }
        log.info("mirrored \(record.recordID.recordName) with \(record.allKeys().count) keys")
    }
}
