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

    @Test func `Subscriptions are equal by the scalars of their names`() {
        let names = ["\u{E9}", "e\u{301}"]
        let subscriptions = names.map { CKDatabaseSubscription(subscriptionID: $0) }
        #expect(subscriptions[0] != subscriptions[1])
        #expect(Set(subscriptions + names.map { CKDatabaseSubscription(subscriptionID: $0) }).count == 2)
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
}
