import CloudKit
import Testing

@testable import StratusCloudKit

@Suite struct SubscriptionTests {
    private let zoneID = CKRecordZone.ID(zoneName: "Notes")

    private func subscriptions() -> [CKSubscription] {
        let query = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(format: "title BEGINSWITH %@ AND stars > 3", "a"),
            subscriptionID: "q", options: [.firesOnRecordCreation, .firesOnce])
        query.zoneID = zoneID
        let zone = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: "z")
        zone.recordType = "Note"
        let database = CKDatabaseSubscription(subscriptionID: "d")
        database.recordType = "Note"
        for subscription in [query, zone, database] {
            let info = CKSubscription.NotificationInfo()
            info.alertBody = "New"
            info.alertLocalizationArgs = ["title"]
            info.desiredKeys = ["title", "stars"]
            info.shouldSendContentAvailable = true
            info.collapseIDKey = "notes"
            subscription.notificationInfo = info
        }
        return [query, zone, database]
    }

    @Test("Subscriptions are copied and archived whole")
    func values() throws {
        for subscription in subscriptions() {
            let copy = try #require(subscription.copy() as? CKSubscription)
            let data = try NSKeyedArchiver.archivedData(
                withRootObject: subscription, requiringSecureCoding: true)
            let read = try #require(
                try NSKeyedUnarchiver.unarchivedObject(
                    ofClasses: [
                        CKQuerySubscription.self, CKRecordZoneSubscription.self, CKDatabaseSubscription.self,
                    ], from: data) as? CKSubscription)
            for other in [copy, read] {
                #expect(other == subscription && other !== subscription)
                #expect(other.hash == subscription.hash)
                #expect(other.notificationInfo?.desiredKeys == ["title", "stars"])
                #expect(other.notificationInfo?.shouldBadge == false)
            }
            copy.notificationInfo?.alertBody = "Changed"
            #expect(subscription.notificationInfo?.alertBody == "New")
            #expect(copy != subscription)
        }
    }

    @Test("A subscription says what it is about")
    func kinds() throws {
        let all = subscriptions()
        #expect(all.map(\.subscriptionType) == [.query, .recordZone, .database])
        #expect(all.map(\.subscriptionType.rawValue) == [1, 2, 3])
        #expect(Set(all.map(\.subscriptionID)) == ["q", "z", "d"])
        let query = try #require(all[0] as? CKQuerySubscription)
        #expect(query.querySubscriptionOptions == [.firesOnRecordCreation, .firesOnce])
        #expect(query.querySubscriptionOptions.rawValue == 9)
        let plain = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "x")
        #expect(plain.querySubscriptionOptions.rawValue == 7)
    }

    @Test("The predicate of a subscription is archived with its references and places")
    func predicates() throws {
        let author = CKRecord.Reference(recordID: CKRecord.ID(recordName: "ann"), action: .none)
        let place = CLLocation(latitude: 1, longitude: 2)
        let predicates = [
            NSPredicate(format: "author == %@ AND NOT (place IN %@)", author, [author, author]),
            NSPredicate(format: "distanceToLocation:fromLocation:(place, %@) < 10", place),
            NSPredicate(value: true),
        ]
        for predicate in predicates {
            let subscription = CKQuerySubscription(
                recordType: "Note", predicate: predicate, subscriptionID: "s")
            let read = try #require(try archived(subscription))
            #expect(read.predicate.meansTheSame(as: predicate), "\(read.predicate) is not \(predicate)")
        }
        // What has no text is left out, and nothing stops.
        let block = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate { _, _ in true }, subscriptionID: "s")
        #expect((try? archived(block)) == nil)
    }

    @Test("A notification's looks can be given at once")
    func info() throws {
        let info = CKSubscription.NotificationInfo(
            alertBody: "Hi", title: "Notes", soundName: "default", desiredKeys: ["a"], shouldBadge: true,
            category: "C")
        #expect(info.alertBody == "Hi" && info.title == "Notes" && info.shouldBadge)
        #expect(info.alertLocalizationArgs == [])
        #expect(try archived(info) == info)
        #expect(info.copy() as? CKSubscription.NotificationInfo == info)
    }

    @Test("Requests say which version of the server will have subscriptions, and send nothing")
    func requests() async throws {
        let cloud = TestCloud()
        let database = cloud.privateDatabase
        let subscription = CKDatabaseSubscription(subscriptionID: "d")
        let failures: [() async throws -> Void] = [
            { try await database.save(subscription) },
            { try await database.deleteSubscription(withID: "d") },
            { _ = try await database.subscription(for: "d") },
            { _ = try await database.subscriptions(for: ["d"]) },
            { _ = try await database.allSubscriptions() },
            { _ = try await database.modifySubscriptions(saving: [subscription], deleting: []) },
        ]
        for failure in failures {
            let error = try #require(await cloudError(failure))
            #expect(error.code == .serverRejectedRequest && !error.isRetryable)
            #expect(error.localizedDescription.contains("subscriptions"))
            #expect(error.recoverySuggestion?.contains("0.3") == true)
        }
        #expect(cloud.transport.requests.isEmpty)
    }

    @Test("Operations report each subscription, then their end, once")
    func operations() async throws {
        let cloud = TestCloud()
        let log = EventLog()
        let modify = CKModifySubscriptionsOperation(
            subscriptionsToSave: [CKDatabaseSubscription(subscriptionID: "a")], subscriptionIDsToDelete: ["b"]
        )
        modify.qualityOfService = .utility
        modify.perSubscriptionSaveBlock = { id, result in log.note("save \(id) \(result.isFailure)") }
        modify.perSubscriptionDeleteBlock = { id, result in log.note("delete \(id) \(result.isFailure)") }
        modify.modifySubscriptionsResultBlock = { log.note("result \($0.isFailure)") }
        modify.modifySubscriptionsCompletionBlock = { _, _, error in log.note("old \(error != nil)") }
        await run(modify, in: cloud.privateDatabase)
        let fetch = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
        fetch.fetchSubscriptionCompletionBlock = { _, error in
            log.note((error as? CKError)?.recoverySuggestion ?? "nothing")
        }
        await run(fetch, in: cloud.privateDatabase)
        #expect(
            log.events == [
                "save a true", "delete b true", "result true", "old true",
                "Version \(PlannedFeature.subscriptions.serverVersion) of the server will.",
            ])
    }
}

extension Result {
    fileprivate var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}
