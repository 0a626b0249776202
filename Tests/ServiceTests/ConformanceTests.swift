import CloudKit
import Foundation
import Testing

/// What an app may rely on, whichever way its requests go.
@Suite struct ConformanceTests {
    @Test(arguments: CloudKind.allCases)
    func savesAndFetchesEveryValueType(_ kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let database = try await container("ada").privateCloudDatabase
            let target = try await database.save(CKRecord(recordType: "Thing"))
            let record = CKRecord(recordType: "Thing", recordID: CKRecord.ID(recordName: "everything"))
            let date = Date(timeIntervalSince1970: 1_700_000_000.123)
            record["text"] = "Zoë's \"café\" \u{1F600}\n"
            record["whole"] = Int64.max
            record["real"] = 0.1 + 0.2
            record["flag"] = true
            record["when"] = date
            record["bytes"] = Data([0, 1, 254, 255])
            record["place"] = CLLocation(latitude: 48.137, longitude: 11.575)
            record["link"] = CKRecord.Reference(record: target, action: .none)
            record["texts"] = ["a", "b"]
            record["wholes"] = [1, 2, 3]
            _ = try await database.save(record)

            let fetched = try await database.record(for: CKRecord.ID(recordName: "everything"))
            #expect(fetched["text"] as? String == "Zoë's \"café\" \u{1F600}\n")
            #expect(fetched["whole"] as? Int64 == Int64.max)
            #expect(fetched["real"] as? Double == 0.1 + 0.2)
            #expect(fetched["flag"] as? Bool == true)
            let fetchedDate = try #require(fetched["when"] as? Date)
            #expect(abs(fetchedDate.timeIntervalSince(date)) < 0.0005)
            #expect(fetched["bytes"] as? Data == Data([0, 1, 254, 255]))
            #expect((fetched["place"] as? CLLocation)?.coordinate.latitude == 48.137)
            #expect(
                (fetched["link"] as? CKRecord.Reference)?.recordID.recordName == target.recordID.recordName)
            #expect(fetched["texts"] as? [String] == ["a", "b"])
            #expect(fetched["wholes"] as? [Int] == [1, 2, 3])
            #expect(fetched.recordChangeTag != nil)
            #expect(fetched.creationDate != nil)
            #expect(fetched.changedKeys().isEmpty)
        }
    }

    @Test(arguments: CloudKind.allCases)
    func tellsConflictsWithTheServersRecord(_ kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let database = try await container("ada").privateCloudDatabase
            let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "note"))
            record["text"] = "first"
            _ = try await database.save(record)
            let mine = try await database.record(for: record.recordID)
            let theirs = try await database.record(for: record.recordID)
            theirs["text"] = "theirs"
            _ = try await database.save(theirs)
            mine["text"] = "mine"
            let error = await #expect(throws: CKError.self) { try await database.save(mine) }
            #expect(error?.code == .serverRecordChanged)
            #expect(error?.serverRecord?["text"] as? String == "theirs")
            #expect(error?.clientRecord?["text"] as? String == "mine")
            // Merging into the server's record and saving it succeeds.
            let merged = try #require(error?.serverRecord)
            merged["text"] = "merged"
            let saved = try await database.save(merged)
            #expect(saved["text"] as? String == "merged")
        }
    }

    @Test(arguments: CloudKind.allCases)
    func keepsUsersApart(_ kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let ada = try await container("ada").privateCloudDatabase
            let bob = try await container("bob").privateCloudDatabase
            let record = CKRecord(recordType: "Secret", recordID: CKRecord.ID(recordName: "diary"))
            record["text"] = "mine alone"
            _ = try await ada.save(record)
            let error = await #expect(throws: CKError.self) { try await bob.record(for: record.recordID) }
            #expect(error?.code == .unknownItem)
            let query = CKQuery(recordType: "Secret", predicate: NSPredicate(value: true))
            #expect(try await bob.records(matching: query).matchResults.isEmpty)
            #expect(try await ada.records(matching: query).matchResults.count == 1)
            let nobody = try await container(nil).privateCloudDatabase
            let refusal = await #expect(throws: CKError.self) {
                try await nobody.record(for: record.recordID)
            }
            #expect(refusal?.code == .notAuthenticated)
        }
    }

    @Test(arguments: CloudKind.allCases)
    func undoesAtomicBatches(_ kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let database = try await container("ada").privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Notes"))
            let existing = CKRecord(
                recordType: "Note", recordID: CKRecord.ID(recordName: "taken", zoneID: zone.zoneID))
            _ = try await database.save(existing)
            let fresh = CKRecord(
                recordType: "Note", recordID: CKRecord.ID(recordName: "new", zoneID: zone.zoneID))
            let again = CKRecord(
                recordType: "Note", recordID: CKRecord.ID(recordName: "taken", zoneID: zone.zoneID))
            let failure = await #expect(throws: CKError.self) {
                try await database.modifyRecords(saving: [fresh, again], deleting: [])
            }
            #expect(failure?.code == .partialFailure)
            let errors = failure?.partialErrorsByItemID ?? [:]
            #expect((errors[fresh.recordID] as? CKError)?.code == .batchRequestFailed)
            #expect((errors[again.recordID] as? CKError)?.code == .serverRecordChanged)
            let error = await #expect(throws: CKError.self) { try await database.record(for: fresh.recordID) }
            #expect(error?.code == .unknownItem)
        }
    }

    @Test(arguments: CloudKind.allCases)
    func followsZonesByTheirTokens(_ kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let database = try await container("ada").privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Feed"))
            func note(_ name: String) -> CKRecord {
                CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
            }
            _ = try await database.save(note("a"))
            _ = try await database.save(note("b"))
            try await database.deleteRecord(withID: note("a").recordID)
            let first = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
            #expect(Set(first.modificationResultsByID.keys.map(\.recordName)) == ["b"])
            #expect(first.deletions.isEmpty, "who starts from nothing needs no tombstones")
            _ = try await database.save(note("c"))
            try await database.deleteRecord(withID: note("b").recordID)
            let second = try await database.recordZoneChanges(
                inZoneWith: zone.zoneID, since: first.changeToken)
            #expect(Set(second.modificationResultsByID.keys.map(\.recordName)) == ["c"])
            #expect(second.deletions.map(\.recordID.recordName) == ["b"])
            #expect(!second.moreComing)
            let changes = try await database.databaseChanges(since: nil)
            #expect(changes.modifications.map(\.zoneID.zoneName) == ["Feed"])
        }
    }

    @Test(arguments: CloudKind.allCases)
    func answersPredicatesThatTheWireCannotSay(_ kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let database = try await container("ada").publicCloudDatabase
            for (name, age) in [("Ada", 36), ("Bob", 20), ("Cleo", 52), ("Ábel", 9)] {
                let record = CKRecord(recordType: "Person")
                record["name"] = name
                record["age"] = age
                _ = try await database.save(record)
            }
            func names(_ predicate: NSPredicate) async throws -> [String] {
                let query = CKQuery(recordType: "Person", predicate: predicate)
                query.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
                let matches = try await database.records(matching: query).matchResults
                return try matches.compactMap { try $0.1.get()["name"] as? String }
            }
            #expect(try await names(NSPredicate(format: "name == 'Ada' OR age < %d", 10)) == ["Ábel", "Ada"])
            #expect(try await names(NSPredicate(format: "name CONTAINS[cd] %@", "AB")) == ["Ábel"])
            #expect(try await names(NSPredicate(format: "NOT (age BETWEEN {10, 40})")) == ["Ábel", "Cleo"])
            #expect(
                try await names(NSPredicate(format: "name LIKE 'B?b' OR name ENDSWITH 'o'")) == [
                    "Bob", "Cleo",
                ])
            #expect(try await names(NSPredicate(format: "name IN %@", ["Bob", "Ada"])) == ["Bob", "Ada"])
            #expect(try await names(NSPredicate(value: true)).count == 4)
        }
    }
}
