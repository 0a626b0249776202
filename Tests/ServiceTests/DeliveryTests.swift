import CloudKit
import CloudKitTesting
import Synchronization
import Testing

/// An app that notes what it is told.
private final class ListeningApp: Sendable {
    private let told = Mutex<[String]>([])

    var names: [String] { told.withLock { $0 } }

    func listen(to database: CKDatabase) async throws {
        for try await event in database.notifications() {
            guard case .notification(let notification) = event,
                let notification = notification as? CKQueryNotification
            else { continue }
            told.withLock { $0.append(notification.recordID?.recordName ?? "?") }
        }
    }
}

/// Notifications in a test's cloud: they are there when the test says so, and go wrong when it wants.
@Suite struct DeliveryTests {
    /// Runs a scenario with an app that listens to a subscription.
    private func withApp(
        _ scenario: (TestCloud, ListeningApp, _ save: (String...) async throws -> Void) async throws -> Void
    ) async throws {
        let cloud = try await TestCloud()
        let database = try await cloud.container(user: "ada").privateCloudDatabase
        func save(_ names: String...) async throws {
            for name in names {
                let recordID = CKRecord.ID(recordName: name)
                _ = try await database.save(CKRecord(recordType: "Note", recordID: recordID))
            }
        }
        try await save("first")
        try await database.save(
            CKQuerySubscription(
                recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "notes",
                options: [.firesOnRecordCreation]))
        let app = ListeningApp()
        let task = Task { try await app.listen(to: database) }
        #expect(await cloud.deliverNotifications(listeners: 1))
        #expect(app.names == [])
        try await scenario(cloud, app, save)
        task.cancel()
        _ = await task.result
        await cloud.close()
    }

    @Test("All listeners have been told when a delivery returns")
    func synchronous() async throws {
        try await withApp { cloud, app, save in
            for round in 0..<20 {
                try await save("a\(round)", "b\(round)")
                #expect(await cloud.deliverNotifications())
                #expect(app.names.suffix(2) == ["a\(round)", "b\(round)"])
                #expect(app.names.count == (round + 1) * 2)
            }
        }
    }

    @Test("A lost notification never comes, whatever comes after it")
    func lost() async throws {
        try await withApp { cloud, app, save in
            cloud.faults.notifications.failNext(.lost)
            try await save("a", "b")
            #expect(await cloud.deliverNotifications())
            #expect(app.names == ["b"])
            cloud.faults.notifications.failNext(.lost, times: 2)
            try await save("c", "d")
            #expect(await cloud.deliverNotifications())
            #expect(app.names == ["b"])
            try await save("e")
            #expect(await cloud.deliverNotifications())
            #expect(app.names == ["b", "e"])
            cloud.faults.notifications.failAlways(.lost)
            try await save("f")
            #expect(await cloud.deliverNotifications())
            cloud.faults.notifications.failAlways(nil)
            try await save("g")
            #expect(await cloud.deliverNotifications())
            #expect(app.names == ["b", "e", "g"])
        }
    }

    @Test("A notification that comes twice keeps its order")
    func twice() async throws {
        try await withApp { cloud, app, save in
            cloud.faults.notifications.failNext(.twice)
            try await save("a", "b")
            #expect(await cloud.deliverNotifications())
            #expect(app.names == ["a", "a", "b"])
        }
    }

    @Test("A delivery waits for what is late, as long as it may")
    func late() async throws {
        try await withApp { cloud, app, save in
            cloud.faults.notifications.failNext(.late(by: .milliseconds(20)))
            try await save("a", "b")
            #expect(await cloud.deliverNotifications())
            #expect(app.names == ["a", "b"])
            cloud.faults.notifications.failNext(.late(by: .seconds(3_600)))
            try await save("c")
            #expect(await !cloud.deliverNotifications(within: .milliseconds(200)))
            #expect(app.names == ["a", "b"])
        }
    }

    @Test("Who is not there is waited for, and not for ever")
    func nobody() async throws {
        let cloud = try await TestCloud()
        #expect(await cloud.deliverNotifications())
        #expect(await !cloud.deliverNotifications(listeners: 1, within: .milliseconds(20)))
        await cloud.close()
    }

    @Test("A live query whose stream breaks connects again")
    func brokenStream() async throws {
        let cloud = try await TestCloud()
        let database = try await cloud.container(user: "ada").privateCloudDatabase
        _ = try await database.save(CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a")))
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        let before = cloud.faults.requestCount
        cloud.faults.failNext(.answerLost)
        var updates = database.liveRecords(matching: query).makeAsyncIterator()
        let update = try await updates.next()
        #expect(update?.records.map(\.recordID.recordName) == ["a"])
        #expect(cloud.faults.requestCount == before + 2)
        await cloud.close()
    }
}
