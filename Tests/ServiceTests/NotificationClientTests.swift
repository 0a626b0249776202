import CloudKit
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DocumentExamples

/// What an app shows of a live query.
private final class Screen: Sendable {
    private let updates = Mutex<[(names: [String], change: CKLiveRecords.Change)]>([])

    var changes: [CKLiveRecords.Change] { updates.withLock { $0.map(\.change) } }

    func take(_ update: CKLiveRecords.Element) {
        updates.withLock { $0.append((update.records.map(\.recordID.recordName), update.change)) }
    }

    func shows(_ names: [String]) async throws -> Bool {
        try await eventually(within: .seconds(30)) { updates.withLock { $0.last?.names } == names }
    }
}

/// Subscriptions and live queries as an app uses them, over HTTP and in process.
@Suite struct NotificationClientTests {
    private func note(_ name: String, _ number: Int) -> CKRecord {
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name))
        record["n"] = number
        return record
    }

    /// Saves a record whatever is there.
    private func put(_ name: String, _ number: Int, in database: CKDatabase) async throws {
        let results = try await database.modifyRecords(
            saving: [note(name, number)], deleting: [], savePolicy: .allKeys)
        _ = try results.saveResults[CKRecord.ID(recordName: name)]?.get()
    }

    @Test("Subscriptions are saved, fetched and deleted", arguments: CloudKind.allCases)
    func subscriptions(kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let database = try await container("ada").privateCloudDatabase
            try await put("first", 1, in: database)
            let zone = try await database.save(CKRecordZone(zoneName: "Z"))
            let query = CKQuerySubscription(
                recordType: "Note", predicate: NSPredicate(format: "n > 5"), subscriptionID: "q",
                options: [.firesOnRecordCreation, .firesOnRecordUpdate])
            let info = CKSubscription.NotificationInfo()
            info.alertBody = "Hi"
            info.desiredKeys = ["n"]
            query.notificationInfo = info
            let all: [CKSubscription] = [
                CKDatabaseSubscription(subscriptionID: "d"), query,
                CKRecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "z"),
            ]
            for subscription in all { #expect(try await database.save(subscription) == subscription) }
            // Again, which changes nothing.
            try await database.save(query)
            #expect(try await database.allSubscriptions() == all)
            #expect(try await database.subscription(for: "z") == all[2])
            let found = try await database.subscriptions(for: ["q", "nothing"])
            #expect(try found["q"]?.get() == query)
            #expect(throws: CKError.self) { try found["nothing"]?.get() }
            let results = try await database.modifySubscriptions(saving: [], deleting: ["d", "nothing"])
            #expect(throws: Never.self) { try results.deleteResults["d"]?.get() }
            #expect(throws: CKError.self) { try results.deleteResults["nothing"]?.get() }
            #expect(try await database.allSubscriptions().map(\.subscriptionID) == ["q", "z"])
        }
    }

    @Test("Notifications come in order, of this database alone", arguments: [CloudKind.engine, .live])
    func notifications(kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let ada = try await container("ada")
            let database = ada.privateCloudDatabase
            try await put("first", 1, in: database)
            try await put("first", 1, in: ada.publicCloudDatabase)
            let subscription = CKQuerySubscription(
                recordType: "Note", predicate: NSPredicate(format: "n > 5"), subscriptionID: "q",
                options: [.firesOnRecordCreation, .firesOnRecordUpdate])
            try await database.save(subscription)
            try await ada.publicCloudDatabase.save(subscription)
            let told = Mutex<[String]>([])
            let task = Task {
                for try await event in database.notifications() {
                    guard case .notification(let notification) = event,
                        let notification = notification as? CKQueryNotification
                    else { continue }
                    told.withLock { $0.append(notification.recordID?.recordName ?? "?") }
                }
            }
            // Until the receiver is there, nothing is told: what comes before it is none of its own.
            var number = 0
            while told.withLock({ $0.isEmpty }), number < 1_000 {
                number += 1
                try await put("start", 10 + number, in: database)
                try await Task.sleep(for: .milliseconds(20))
            }
            try await put("public", 9, in: ada.publicCloudDatabase)
            try await put("small", 3, in: database)
            for name in ["a", "b", "c"] { try await put(name, 9, in: database) }
            #expect(try await eventually(within: .seconds(30)) { told.withLock { $0.last } == "c" })
            #expect(told.withLock { $0.filter { $0 != "start" } } == ["a", "b", "c"])
            task.cancel()
            _ = await task.result
        }
    }

    @Test("A live query shows each change in its place", arguments: [CloudKind.engine, .live])
    func liveRecords(kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let database = try await container("ada").privateCloudDatabase
            try await put("a", 10, in: database)
            try await put("b", 20, in: database)
            let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "n < 100"))
            query.sortDescriptors = [NSSortDescriptor(key: "n", ascending: true)]
            let live = database.liveRecords(matching: query)
            let screen = Screen()
            let task = Task { for try await update in live { screen.take(update) } }
            #expect(try await screen.shows(["a", "b"]))
            try await put("c", 15, in: database)
            #expect(try await screen.shows(["a", "c", "b"]))
            try await put("a", 30, in: database)
            #expect(try await screen.shows(["c", "b", "a"]))
            try await put("b", 100, in: database)
            #expect(try await screen.shows(["c", "a"]))
            try await database.deleteRecord(withID: CKRecord.ID(recordName: "c"))
            #expect(try await screen.shows(["a"]))
            func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name) }
            #expect(
                screen.changes == [
                    .fetched, .inserted(id("c"), at: 1), .changed(id("a"), from: 0, to: 2),
                    .removed(id("b"), at: 1), .removed(id("c"), at: 0),
                ])
            task.cancel()
            _ = await task.result
            await #expect(throws: CKError.self) {
                let nothing = CKQuery(recordType: "NoSuchType", predicate: NSPredicate(value: true))
                for try await _ in database.liveRecords(matching: nothing) { break }
            }
        }
    }

    @Test(
        "A live query of more records than its limit goes to its border, and fetches again when few are left",
        arguments: [CloudKind.engine, .live])
    func manyLiveRecords(kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let database = try await container("ada").privateCloudDatabase
            for number in 1...8 { try await put("r\(number)", number * 10, in: database) }
            let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "n < 1000"))
            query.sortDescriptors = [NSSortDescriptor(key: "n", ascending: true)]
            let live = database.liveRecords(matching: query, resultsLimit: 4)
            let screen = Screen()
            let task = Task { for try await update in live { screen.take(update) } }
            #expect(try await screen.shows(["r1", "r2", "r3", "r4"]))
            try await put("r4", 25, in: database)
            #expect(try await screen.shows(["r1", "r2", "r4", "r3"]))
            try await put("r4", 35, in: database)
            #expect(try await screen.shows(["r1", "r2", "r3", "r4"]))
            try await database.deleteRecord(withID: CKRecord.ID(recordName: "r4"))
            #expect(try await screen.shows(["r1", "r2", "r3"]))
            try await put("a", 39, in: database)
            #expect(try await screen.shows(["r1", "r2", "r3", "a"]))
            for name in ["r1", "r2", "r3"] {
                try await database.deleteRecord(withID: CKRecord.ID(recordName: name))
            }
            #expect(try await screen.shows(["a", "r5", "r6", "r7"]))
            #expect(screen.changes.filter { $0 == .fetched }.count == 2)
            for number in 1...5 { try await put("b\(number)", number, in: database) }
            #expect(try await screen.shows(["b1", "b2", "b3", "b4"]))
            task.cancel()
            _ = await task.result
        }
    }

    @Test("A live count is told when it is another number", arguments: [CloudKind.engine, .live])
    func liveCount(kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let database = try await container("ada").privateCloudDatabase
            try await put("a", 10, in: database)
            let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "n < 100"))
            let counts = Mutex<[Int]>([])
            let live = database.liveCount(matching: query)
            let task = Task { for try await count in live { counts.withLock { $0.append(count) } } }
            #expect(try await eventually(within: .seconds(30)) { counts.withLock { $0 } == [1] })
            try await put("b", 20, in: database)
            #expect(try await eventually(within: .seconds(30)) { counts.withLock { $0 } == [1, 2] })
            try await put("b", 30, in: database)
            try await put("a", 100, in: database)
            #expect(try await eventually(within: .seconds(30)) { counts.withLock { $0 } == [1, 2, 1] })
            task.cancel()
            _ = await task.result
            await #expect(throws: CKError.self) {
                let nothing = CKQuery(recordType: "NoSuchType", predicate: NSPredicate(value: true))
                for try await _ in database.liveCount(matching: nothing) { break }
            }
        }
    }
}
