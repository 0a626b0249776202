import CloudKit
import Foundation
import Testing

@testable import Async2021

@Suite struct AsyncTests {
    @Test func savesAndReads() async throws {
        try await withCloud { container in
            let store = AsyncStore(database: container.privateCloudDatabase)
            let saved = try await store.save(["a", "b", "c", "d", "e"])
            #expect(Set(try await store.all().map(\.recordID)) == Set(saved))
            let names = try await recordNames(of: "Note", in: container.privateCloudDatabase)
            #expect(names.count == 5)
            try await store.delete(saved[0])
            #expect(try await store.all().count == 4)
        }
    }

    @Test func groupsReads() async throws {
        try await withCloud { container in
            let saved = try await container.privateCloudDatabase.save(note("grouped"))
            #expect(try await readQuickly(saved.recordID, from: container).recordID == saved.recordID)
            #expect(try await status(of: container) == .available)
        }
    }

    @Test func followsAZone() async throws {
        try await withCloud { container in
            let database = container.privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Trips"))
            let changes = AsyncChanges(database: database)
            let saved = try await database.save(note("first", in: zone.zoneID))
            #expect(try await changes.next(in: zone.zoneID).changed.map(\.recordID) == [saved.recordID])
            try await database.deleteRecord(withID: saved.recordID)
            #expect(try await changes.next(in: zone.zoneID).deleted == [saved.recordID])
        }
    }

    @Test func subscribingFailsWithAReason() async throws {
        try await withCloud { container in
            let database = container.privateCloudDatabase
            await #expect(throws: CKError.self) { try await subscribe(to: .default, in: database) }
        }
    }

    @Test func sharesAZone() async throws {
        try await withCloud { container in
            let database = container.privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Trips"))
            let share = try await shareZone(zone.zoneID, with: "ada@example.com", in: container)
            #expect(isZoneWide(share) && share.participants.count == 2)
            try await database.save(share)
            #expect(try await database.recordZone(for: zone.zoneID).share?.recordID == share.recordID)
            let url = try #require(URL(string: "https://www.example.com/share/1"))
            await #expect(throws: CKError.self) { try await accept(url, in: container) }
        }
    }

    @Test func encryptedValuesTravel() async throws {
        try await withCloud { container in
            let record = Encrypted.record(secret: "told to nobody")
            #expect(Encrypted.keys(of: record) == ["number", "secret"])
            let saved = try await container.privateCloudDatabase.save(record)
            let read = try await container.privateCloudDatabase.record(for: saved.recordID)
            #expect(Encrypted.secret(of: read) == "told to nobody")
        }
    }

    @Test func triesAgain() async throws {
        var calls = 0
        let answer = try await retrying { () async throws -> Int in
            calls += 1
            if calls < 3 { throw CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: 0.001]) }
            return calls
        }
        #expect(answer == 3)
    }
}
