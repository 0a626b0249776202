import CloudKit
import CloudKitTesting
import Foundation
import TestSeeds
import Testing

/// Zones that others delete and make again, as a sync engine's app hears of them.
@Suite struct SyncEngineZoneTests {
    private let zone = CKRecordZone(zoneName: "Notes")

    private func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone.zoneID) }

    private func save(_ names: String..., in database: CKDatabase) async throws {
        for name in names {
            let record = CKRecord(recordType: "Note", recordID: id(name))
            record["text"] = name
            try await database.save(record)
        }
    }

    private func makeAgain(_ database: CKDatabase) async throws {
        try await database.deleteRecordZone(withID: zone.zoneID)
        try await database.save(zone)
    }

    private func withDatabase(_ body: (CKDatabase) async throws -> Void) async throws {
        let cloud = try await TestCloud()
        do {
            try await body(try await cloud.container(user: "ada").privateCloudDatabase)
        } catch {
            await cloud.close()
            throw error
        }
        await cloud.close()
    }

    @Test(
        "The records of a zone that was deleted and made again are fetched", arguments: 1...3, [false, true])
    func madeAgain(times: Int, isRestored: Bool) async throws {
        try await withDatabase { database in
            try await database.save(zone)
            try await save("old", in: database)
            let app = SyncingApp()
            var engine = try app.engine(database)
            try await engine.fetchChanges()
            #expect(app.notes == ["old": "old"])
            for _ in 0..<times { try await makeAgain(database) }
            try await save("new", in: database)
            if isRestored { engine = try app.engine(database) }
            app.forgetEvents()
            try await engine.fetchChanges()
            #expect(
                app.events == [
                    "will fetch", #"zones ["Notes"] -["Notes"]"#, "will fetch Notes", "records 1 -0",
                    "did fetch Notes", "did fetch",
                ])
            #expect(app.notes == ["new": "new"])
            #expect(engine.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
            app.forgetEvents()
            try await engine.fetchChanges()
            #expect(app.events == ["will fetch", "did fetch"], "Nothing is fetched twice.")
        }
    }

    @Test("A zone is named once among the deletions, however often it was deleted and made again")
    func namedOnce() async throws {
        try await withDatabase { database in
            try await database.save(zone)
            let start = try await database.databaseChanges(since: nil)
            for _ in 0..<3 { try await makeAgain(database) }
            let changes = try await database.databaseChanges(since: start.changeToken)
            #expect(changes.deletions.map(\.zoneID) == [zone.zoneID])
            #expect(changes.modifications.map(\.zoneID) == [zone.zoneID])
            try await database.deleteRecordZone(withID: zone.zoneID)
            let gone = try await database.databaseChanges(since: start.changeToken)
            #expect(gone.deletions.map(\.zoneID) == [zone.zoneID] && gone.modifications.isEmpty)
        }
    }

    @Test("A zone that is made again between the two halves of a fetch is fetched from its beginning")
    func betweenHalves() async throws {
        try await withDatabase { database in
            try await database.save(zone)
            try await save("old", in: database)
            let app = SyncingApp { [zone] app, event, _ in
                guard case .fetchedDatabaseChanges = event, app.notes["old"] != nil, app.notes["new"] == nil
                else { return }
                do {
                    try await database.deleteRecordZone(withID: zone.zoneID)
                    try await database.save(zone)
                    let record = CKRecord(recordType: "Note", recordID: app.id("new"))
                    record["text"] = "new"
                    try await database.save(record)
                } catch {
                    Issue.record(error)
                }
            }
            let engine = try app.engine(database)
            try await engine.fetchChanges()
            try await save("more", in: database)
            try await engine.fetchChanges()
            #expect(app.notes["new"] == "new")
            try await engine.fetchChanges()
            #expect(app.notes == ["new": "new"])
        }
    }

    @Test(
        "Whatever others do to zones and records, an app that fetches has what the service has",
        arguments: Seed.some(6))
    func law(seed: Seed) async throws {
        var random = seed.random
        try await withDatabase { database in
            let app = SyncingApp()
            var engine = try app.engine(database)
            var there: [String: String]?
            for step in 0..<60 {
                switch random.int(0...9) {
                case 0, 1:
                    if there == nil { try await database.save(zone) }
                    there = there ?? [:]
                case 2:
                    if there != nil { try await database.deleteRecordZone(withID: zone.zoneID) }
                    there = nil
                case 3:
                    if there != nil { try await makeAgain(database) }
                    there = there.map { _ in [:] }
                case 4...6:
                    guard there != nil else { continue }
                    let name = "n\(random.int(0...5))"
                    let record = CKRecord(recordType: "Note", recordID: id(name))
                    record["text"] = "\(step)"
                    _ = try await database.modifyRecords(saving: [record], deleting: [], savePolicy: .allKeys)
                    there?[name] = "\(step)"
                case 7:
                    guard let name = there?.keys.sorted().first else { continue }
                    try await database.deleteRecord(withID: id(name))
                    there?[name] = nil
                case 8: engine = try app.engine(database)
                default:
                    try await engine.fetchChanges()
                    #expect(app.notes == there ?? [:], "\(seed.testDescription), step \(step)")
                }
            }
            try await engine.fetchChanges()
            #expect(app.notes == there ?? [:], "\(seed.testDescription)")
        }
    }
}
