import CloudKit
import CloudKitTesting
import Foundation
import Testing

/// The feeds of those with whom something is shared.
@Suite struct SharedSyncTests {
    /// A copy of what a database has, kept by its feeds.
    private final class Replica {
        let database: CKDatabase
        private var token: CKServerChangeToken?
        private var tokens: [CKRecordZone.ID: CKServerChangeToken] = [:]
        private(set) var records: [CKRecordZone.ID: [String: CKRecord]] = [:]

        init(_ database: CKDatabase) { self.database = database }

        var names: [String] { records.values.flatMap(\.keys).sorted() }

        func sync() async throws {
            var isMore = true
            while isMore {
                let changes = try await database.databaseChanges(since: token)
                for deletion in changes.deletions {
                    records[deletion.zoneID] = nil
                    tokens[deletion.zoneID] = nil
                }
                for change in changes.modifications { try await sync(change.zoneID) }
                (token, isMore) = (changes.changeToken, changes.moreComing)
            }
        }

        private func sync(_ zoneID: CKRecordZone.ID) async throws {
            var isMore = true
            while isMore {
                let changes = try await database.recordZoneChanges(inZoneWith: zoneID, since: tokens[zoneID])
                for (recordID, result) in changes.modificationResultsByID {
                    records[zoneID, default: [:]][recordID.recordName] = try result.get().record
                }
                for deletion in changes.deletions {
                    records[zoneID, default: [:]][deletion.recordID.recordName] = nil
                }
                (tokens[zoneID], isMore) = (changes.changeToken, changes.moreComing)
            }
        }
    }

    @Test("A participant's copy follows what is shared, what is moved away, and the end of it")
    func participant() async throws {
        try await SharingStage.with { stage in
            let database = stage.ann.privateCloudDatabase
            try await database.save(stage.record("List", "secret"))
            let (list, share) = try await stage.shareList(with: ["ben@example.org"])
            let ben = Replica(stage.ben.sharedCloudDatabase)
            try await ben.sync()
            #expect(ben.records.isEmpty)
            try await stage.accept(share, as: stage.ben)
            try await ben.sync()
            #expect(ben.names == ["groceries", "milk", share.recordID.recordName].sorted())
            #expect(ben.records[stage.zoneOfOthers]?[share.recordID.recordName] is CKShare)

            let bread = stage.record("Item", "bread")
            bread.setParent(list)
            try await database.save(bread)
            try await ben.sync()
            #expect(ben.names.contains("bread"))
            bread.setParent(nil as CKRecord?)
            try await database.save(bread)
            try await ben.sync()
            #expect(!ben.names.contains("bread"), "What leaves the list leaves those who see the list.")
            let milk = stage.record("Item", "milk")
            try await database.deleteRecord(withID: milk.recordID)
            try await ben.sync()
            #expect(ben.names == ["groceries", share.recordID.recordName].sorted())

            let current = try await stage.current(share)
            current.removeParticipant(try #require(current.participants.last))
            try await database.save(current)
            try await ben.sync()
            #expect(ben.records.isEmpty)
            #expect(try await database.record(for: list.recordID)["title"] as? String == "Groceries")
        }
    }

    @Test("What a participant writes is in the owner's feed and in the participant's own")
    func participantWrites() async throws {
        try await SharingStage.with { stage in
            let (_, share) = try await stage.shareList(with: ["ben@example.org"])
            try await stage.accept(share, as: stage.ben)
            let (ann, ben) = (Replica(stage.ann.privateCloudDatabase), Replica(stage.ben.sharedCloudDatabase))
            for replica in [ann, ben] { try await replica.sync() }
            let bread = stage.record("Item", "bread", in: stage.zoneOfOthers)
            bread.setParent(CKRecord.ID(recordName: "groceries", zoneID: stage.zoneOfOthers))
            try await stage.ben.sharedCloudDatabase.save(bread)
            for replica in [ann, ben] {
                try await replica.sync()
                let found = try #require(replica.records.values.first?["bread"])
                #expect(found.creatorUserRecordID?.recordName == TestCloud.recordName(of: "ben"))
            }
        }
    }

    @Test("Lists of two owners in zones of one name stay apart")
    func twoOwners() async throws {
        try await SharingStage.with { stage in
            let (_, share) = try await stage.shareList(with: ["ben@example.org"])
            try await stage.accept(share, as: stage.ben)
            let cleos = stage.cleo.privateCloudDatabase
            try await cleos.save(CKRecordZone(zoneName: "Lists"))
            let root = stage.record("List", "groceries")
            root["title"] = "Cleo's"
            let second = CKShare(rootRecord: root)
            second.publicPermission = .readOnly
            _ = try await cleos.modifyRecords(saving: [root, second], deleting: [])
            try await stage.accept(second, as: stage.ben)
            let ben = Replica(stage.ben.sharedCloudDatabase)
            try await ben.sync()
            #expect(ben.records.count == 2)
            let titles = ben.records.mapValues { $0["groceries"]?["title"] as? String }
            #expect(titles[stage.zoneOfOthers] == "Groceries")
            let cleosZone = CKRecordZone.ID(zoneName: "Lists", ownerName: TestCloud.recordName(of: "cleo"))
            #expect(titles[cleosZone] == "Cleo's")
            let query = CKQuery(recordType: "List", predicate: NSPredicate(value: true))
            let found = try await stage.ben.sharedCloudDatabase.records(
                matching: query, inZoneWith: cleosZone)
            #expect(try found.matchResults.map { try $0.1.get()["title"] as? String } == ["Cleo's"])
        }
    }

    @Test("A sync engine of the shared database fetches, sends, and hears of the end")
    func syncEngine() async throws {
        try await SharingStage.with { stage in
            let database = stage.ann.privateCloudDatabase
            let note = stage.record("Note", "milk")
            note["text"] = "milk"
            let share = CKShare(recordZoneID: stage.zone.zoneID)
            let ben = try await stage.ann.shareParticipant(forEmailAddress: "ben@example.org")
            ben.permission = .readWrite
            share.addParticipant(ben)
            _ = try await database.modifyRecords(saving: [note, share], deleting: [])
            try await stage.accept(share, as: stage.ben)

            let app = SyncingApp(zone: "Lists", owner: TestCloud.recordName(of: "ann"))
            var engine = try app.engine(stage.ben.sharedCloudDatabase)
            try await engine.fetchChanges()
            #expect(app.notes["milk"] == "milk")
            app.write(["bread": "bread"], engine)
            try await engine.sendChanges()
            let sent = try await database.record(
                for: CKRecord.ID(recordName: "bread", zoneID: stage.zone.zoneID))
            #expect(sent["text"] as? String == "bread")

            engine = try app.engine(stage.ben.sharedCloudDatabase)
            let current = try await stage.current(share)
            current.removeParticipant(try #require(current.participants.last))
            try await database.save(current)
            try await engine.fetchChanges()
            #expect(app.notes.isEmpty)
        }
    }

    @Test("Files of a shared record are read and written by those it is shared with")
    func files() async throws {
        try await SharingStage.with { stage in
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            func file(_ text: String) throws -> CKAsset {
                let url = folder.appending(path: text)
                try Data(text.utf8).write(to: url)
                return CKAsset(fileURL: url)
            }
            func text(_ record: CKRecord) throws -> String {
                let url = try #require((record["photo"] as? CKAsset)?.fileURL)
                return String(decoding: try Data(contentsOf: url), as: UTF8.self)
            }
            let (list, share) = try await stage.shareList(with: ["ben@example.org"])
            list["photo"] = try file("of Ann")
            try await stage.ann.privateCloudDatabase.save(list)
            try await stage.accept(share, as: stage.ben)
            let shared = stage.ben.sharedCloudDatabase
            let seen = try await shared.record(
                for: CKRecord.ID(recordName: "groceries", zoneID: stage.zoneOfOthers))
            #expect(try text(seen) == "of Ann")
            seen["photo"] = try file("of Ben")
            try await shared.save(seen)
            #expect(try text(try await stage.ann.privateCloudDatabase.record(for: list.recordID)) == "of Ben")
        }
    }
}
