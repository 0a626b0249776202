import CloudKit
import Foundation
import Testing

@testable import Closures2014

@Suite struct ClosuresTests {
    @Test func storesNotes() async throws {
        try await withCloud { container in
            let store = NoteStore(container: container)
            let saved: CKRecord = try await outcome { store.add(text: "hello", completion: $0) }
            let found: [CKRecord] = try await outcome { store.load(matching: "hel", completion: $0) }
            #expect(found.map(\.recordID) == [saved.recordID])
            let error: Error? = await wait { store.remove(saved, completion: $0) }
            #expect(error == nil)
        }
    }

    @Test func copiesFieldsByKey() throws {
        let (record, other) = (note("copied"), note(""))
        record["stars"] = 3
        CopyingFields.copy(["text", "stars"], from: record, to: other)
        #expect(other["text"] == "copied" && other["stars"] == 3)
        let name = "stratus-\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: name))
        defer { defaults.removePersistentDomain(forName: name) }
        #expect(CopyingFields.remember(record, in: defaults) == "copied")
    }

    @Test func saysWhoIsSignedIn() async throws {
        try await withCloud { container in
            let said: String = await wait { AccountCheck.run(container, completion: $0) }
            #expect(said == "signed in")
        }
    }

    @Test func namesErrors() {
        #expect(message(for: CKError(.quotaExceeded)) == "The storage is full.")
        let later = CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: 3.0])
        #expect(message(for: later) == "Try again in 3.0 seconds.")
        #expect(isMissingZone(CKError(.zoneNotFound) as NSError))
        #expect(!isMissingZone(CKError(.unknownItem) as NSError))
    }

    @Test func uploadsPhotos() async throws {
        try await withCloud { container in
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try Data("picture".utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let database = container.privateCloudDatabase
            let album = try await database.save(CKRecord(recordType: "Album"))
            let upload = PhotoUpload(database: database)
            let saved: CKRecord = try await outcome { upload.upload(file: file, of: album, completion: $0) }
            let read = try await database.record(for: saved.recordID)
            #expect(upload.data(of: read) == Data("picture".utf8))
            #expect((read["place"] as? CLLocation)?.coordinate.latitude == 48.2)
        }
    }

    @Test func discoveryFindsWhoAllowsIt() async throws {
        try await withCloud { container in
            let discovery = UserDiscovery(container: container)
            let granted: (Bool, Error?) = await wait { done in discovery.ask { done(($0, $1)) } }
            #expect(!granted.0 && granted.1 == nil)
            let me: (CKUserIdentity?, Error?) = await wait { done in discovery.me { done(($0, $1)) } }
            #expect(me.0 == nil && me.1 == nil)
        }
    }

    @Test func makesZones() async throws {
        try await withCloud { container in
            let zones = Zones(database: container.privateCloudDatabase)
            let first: CKRecordZone = try await outcome { zones.ensure(named: "Trips", completion: $0) }
            let second: CKRecordZone = try await outcome { zones.ensure(named: "Trips", completion: $0) }
            #expect(first.zoneID == second.zoneID)
            let names: [String] = await wait { zones.names(completion: $0) }
            #expect(names.contains("Trips"))
        }
    }

    @Test func keepsSystemFields() async throws {
        try await withCloud { container in
            let saved = try await container.privateCloudDatabase.save(note("kept"))
            let again = try #require(CKRecord(systemFields: saved.systemFields))
            #expect(again.recordChangeTag == saved.recordChangeTag && again.recordID == saved.recordID)
            #expect(again["text"] == nil)
        }
    }

    @Test func archivesRecordsWithFiles() throws {
        let folder = FileManager.default.temporaryDirectory
        let picture = folder.appendingPathComponent(UUID().uuidString)
        try Data("picture".utf8).write(to: picture)
        let record = note("with a file")
        record["file"] = CKAsset(fileURL: picture)
        let archive = RecordArchive(file: folder.appendingPathComponent(UUID().uuidString))
        try archive.write([record])
        let read = try archive.read()
        #expect((read.first?["file"] as? CKAsset)?.fileURL == picture)
        #expect(read.first?["text"] as? String == "with a file")
        for file in [picture, archive.file] { try FileManager.default.removeItem(at: file) }
    }

    @Test func subscribesAndUnsubscribes() async throws {
        try await withCloud { container in
            _ = try await container.privateCloudDatabase.save(note("there is the type"))
            let subscriptions = FetchSubscriptions(database: container.privateCloudDatabase)
            let saved: (CKSubscription?, Error?) = await wait { done in
                subscriptions.subscribe { done(($0, $1)) }
            }
            #expect(saved.0?.subscriptionID == "notes" && saved.1 == nil)
            let gone: (String?, Error?) = await wait { done in subscriptions.unsubscribe { done(($0, $1)) } }
            #expect(gone.0 == "notes" && gone.1 == nil)
        }
    }

    @Test func sharesDefaults() async throws {
        let name = "foreign-style-\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: name))
        defer { defaults.removePersistentDomain(forName: name) }
        let shared = SharedDefaults(defaults: defaults)
        #expect(shared.token == nil)
        try await withCloud { container in
            let database = container.privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Trips"))
            let token = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil).changeToken
            try shared.remember(token)
            #expect(shared.token == token)
        }
        try shared.remember(nil)
        #expect(shared.token == nil)
        let group = "group.foreign.\(UUID().uuidString)"
        let folder = try #require(SharedDefaults.folder(of: group))
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func readsPushes() {
        let handler = PushHandler()
        let query: [AnyHashable: Any] = [
            "aps": ["alert": "A note was written."],
            "ck": [
                "ce": 2, "cid": "iCloud.com.example", "nid": "n-1",
                "qry": [
                    "rid": "note-1", "zid": "_defaultZone", "zoid": "_owner", "fo": 1, "sid": "notes",
                    "dbs": 2,
                ],
            ],
        ]
        #expect(handler.receive(userInfo: query))
        #expect(handler.changedRecords.map(\.recordName) == ["note-1"])
        #expect(!handler.receive(userInfo: ["aps": ["alert": "not ours"]]))
    }
}
