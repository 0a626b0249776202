import Foundation
import Testing

@testable import StratusCloudKit

@Suite struct UnservedOperationTests {
    private func code(_ error: (any Error)?) -> CKError.Code? { (error as? CKError)?.code }

    /// Through a protocol, since the classes are deprecated.
    @Test("What the service never keeps ends once with an error that says what to use, without a request")
    func deprecatedOperations() async {
        let cloud = TestCloud()
        let log = EventLog()
        let operations = (Outdated() as any OutdatedOperations).operations { name, error in
            log.note("\(name) \(code(error) == .serverRejectedRequest)")
        }
        await withCheckedContinuation { continuation in
            for (one, next) in zip(operations, operations.dropFirst()) { next.addDependency(one) }
            operations.last?.completionBlock = { continuation.resume() }
            for operation in operations { cloud.container.add(operation) }
        }
        #expect(log.events == ["changes true", "read true", "badge true"])
        #expect(cloud.transport.requests.isEmpty)
        for feature in UnservedFeature.allCases {
            #expect(feature.error.errorUserInfo[NSLocalizedRecoverySuggestionErrorKey] != nil)
        }
    }

    @Test("A zone keeps its encryption scope in copies and archives")
    func encryptionScope() throws {
        let zone = CKRecordZone(zoneName: "Z")
        #expect(zone.encryptionScope == .perRecord)
        zone.encryptionScope = .perZone
        let copy = try #require(zone.copy() as? CKRecordZone)
        zone.encryptionScope = .perRecord
        #expect(copy.encryptionScope == .perZone && copy == zone)
        let data = try NSKeyedArchiver.archivedData(withRootObject: copy, requiringSecureCoding: true)
        let read = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecordZone.self, from: data))
        #expect(read.encryptionScope == .perZone && read == zone)
    }

    @Test("Several fields of a record are read and set by key-value coding")
    func keyValueCoding() throws {
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "n"))
        record.setValuesForKeys(["text": "a", "stars": 5, "gone": NSNull()])
        let values = record.dictionaryWithValues(forKeys: ["text", "stars", "gone"])
        #expect(values["text"] as? String == "a" && values["stars"] as? Int == 5 && values["gone"] is NSNull)
        #expect(record.changedKeys().sorted() == ["gone", "stars", "text"])
        let other = CKRecord(recordType: "Note")
        other.setValuesForKeys(record.dictionaryWithValues(forKeys: record.allKeys()))
        #expect(other.allKeys() == ["stars", "text"] && other["text"] == "a")
        other.setNilValueForKey("text")
        other.setValue(3, forKeyPath: "stars")
        #expect(other.allKeys() == ["stars"] && other.value(forKeyPath: "stars") as? Int == 3)
        #expect(other.value(forKeyPath: "stars.none") == nil && other.value(forKeyPath: "") == nil)
    }
}

private protocol OutdatedOperations {
    func operations(_ done: @escaping @Sendable (String, (any Error)?) -> Void) -> [CKOperation]
}

private struct Outdated: OutdatedOperations {
    @available(*, deprecated, message: "As what it makes.")
    func operations(_ done: @escaping @Sendable (String, (any Error)?) -> Void) -> [CKOperation] {
        let changes = CKFetchNotificationChangesOperation(previousServerChangeToken: nil)
        changes.resultsLimit = 5
        changes.notificationChangedBlock = { _ in done("a notification", nil) }
        changes.fetchNotificationChangesCompletionBlock = { [unowned changes] token, error in
            done(token == nil && !changes.moreComing ? "changes" : "changes with a token", error)
        }
        let read = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: [CKNotification.ID()])
        read.markNotificationsReadCompletionBlock = { done($0 == nil ? "read" : "read some", $1) }
        let badge = CKModifyBadgeOperation(badgeValue: 3)
        badge.modifyBadgeCompletionBlock = { [unowned badge] error in
            done(badge.badgeValue == 3 ? "badge" : "another", error)
        }
        return [changes, read, badge]
    }
}
