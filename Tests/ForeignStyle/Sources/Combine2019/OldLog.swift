import CloudKit
import os.log

/// The log of 2016.
enum OldLog {
    static let sync = OSLog(subsystem: "com.example.notes", category: "sync")

    static func failed(_ error: Error, record: CKRecord.ID) {
        os_log(
            "saving %{public}@ failed: %{private}@", log: sync, type: .error, record.recordName,
            error.localizedDescription)
    }

    static func started(_ count: Int) {
        os_log("saving %d records", log: sync, type: .debug, count)
        os_log("started")
    }
}
