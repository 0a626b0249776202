import CloudKit
import Foundation
import Testing

@testable import Operations2016

@Suite struct OperationsTests {
    @Test func pages() async throws {
        try await withCloud { container in
            let database = container.privateCloudDatabase
            _ = try await database.modifyRecords(saving: (1...5).map { note("note \($0)") }, deleting: [])
            let query = PagedQuery(database: database)
            let error: Error? = await wait { query.loadAll("Note", completion: $0) }
            #expect(error == nil && query.records.count == 5)
        }
    }

    @Test func configurationsAreClasses() async throws {
        let operation = ConfiguredSave.operation(saving: [])
        #expect(operation.configuration.timeoutIntervalForRequest == 20)
        #expect(ConfiguredSave.group(named: "first").defaultConfiguration.qualityOfService == .background)
        let options = changesOperation(zoneID: .default, since: nil)
        #expect(options.configurationsByRecordZoneID?[.default]?.resultsLimit == 10)
    }

    @Test func followsZones() async throws {
        try await withCloud { container in
            let database = container.privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Trips"))
            let saved = try await database.save(note("first", in: zone.zoneID))
            let databaseChanges = DatabaseChanges(database: database)
            let failure: Error? = await wait { databaseChanges.fetch(completion: $0) }
            #expect(failure == nil && databaseChanges.zoneIDs.map(\.zoneName) == ["Trips"])
            let changes = ZoneChanges(database: database)
            let first: Error? = await wait { changes.fetch([zone.zoneID], completion: $0) }
            #expect(first == nil && changes.changed.map(\.recordID) == [saved.recordID])
            try await database.deleteRecord(withID: saved.recordID)
            let second: Error? = await wait { changes.fetch([zone.zoneID], completion: $0) }
            #expect(second == nil && changes.deleted == [saved.recordID])
        }
    }

    @Test func notificationsAndBadgesEndWithAnError() async throws {
        try await withCloud { container in
            let history = NotificationHistory(container: container)
            let error: Error? = await wait { history.readAll(completion: $0) }
            #expect((error as? CKError)?.code == .serverRejectedRequest && history.changed.isEmpty)
            let badge: Error? = await wait { history.resetBadge(completion: $0) }
            #expect((badge as? CKError)?.code == .serverRejectedRequest)
        }
    }

    @Test func olderNamesMeanWhatIsNestedNow() {
        let recordID = CKRecord.ID(recordName: "a")
        #expect(NamesOfSwift3.reference(to: recordID, cascades: true).action == .deleteSelf)
        #expect(NamesOfSwift3.name(of: .private) == "private" && NamesOfSwift3.name(of: .shared) == "shared")
        let subscription = NamesOfSwift3.subscription(
            "Note", options: [.firesOnRecordCreation], zoneID: .default)
        #expect(subscription.querySubscriptionOptions == [.firesOnRecordCreation])
    }

    @Test func savesInBatches() async throws {
        try await withCloud { container in
            let saving = SavingInBatches(database: container.privateCloudDatabase)
            let error: Error? = await wait {
                saving.save((1...450).map { note("note \($0)") }, completion: $0)
            }
            #expect(error == nil)
            #expect(saving.saved.count == 450)
        }
    }

    @Test func runsInAQueueOfItsOwn() async throws {
        try await withCloud { container in
            let database = container.privateCloudDatabase
            let saved = try await database.save(note("queued"))
            let queue = RetryingQueue(database: database)
            let found: [CKRecord.ID: CKRecord] = try await outcome {
                queue.fetch([saved.recordID], completion: $0)
            }
            #expect(found.keys.map(\.recordName) == [saved.recordID.recordName])
        }
    }

    @Test func operationsCanBeSubclassed() async throws {
        try await withCloud { container in
            let operation = CountingOperation()
            operation.recordsToSave = [note("counted")]
            let saved: [CKRecord]? = await wait { done in
                operation.modifyRecordsCompletionBlock = { records, _, _ in done(records) }
                container.privateCloudDatabase.add(operation)
            }
            #expect(saved?.count == 1 && operation.number == CountingOperation.made)
            let fetch = NamedFetch(recordIDs: [])
            fetch.title = "all"
            #expect(fetch.debugDescription == "fetch of all")
        }
    }

    @Test func subscriptionOperationsEnd() async throws {
        try await withCloud { container in
            let zone = try await container.privateCloudDatabase.save(CKRecordZone(zoneName: "Trips"))
            _ = try await container.privateCloudDatabase.save(note("there is the type"))
            let modifying = ModifyingSubscriptions()
            let operation = modifying.operation(for: zone.zoneID)
            #expect(operation.subscriptionsToSave?.map(\.subscriptionID) == ["all", "zone"])
            let error: Error? = await wait {
                modifying.run(operation, in: container.privateCloudDatabase, completion: $0)
            }
            let failed = try #require(error as? CKError)
            #expect(
                failed.code == .partialFailure
                    && failed.partialErrorsByItemID?.keys.map(\.description) == ["old"])
            let listed: ([String: CKSubscription]?, Error?) = await wait { done in
                modifying.list(in: container.privateCloudDatabase) { done(($0, $1)) }
            }
            #expect(listed.0?.keys.sorted() == ["all", "zone"] && listed.1 == nil)
        }
    }

    @Test func sharingOperationsEnd() async throws {
        try await withCloud { container in
            let sharing = AcceptingShares()
            let url = try #require(URL(string: "https://www.example.com/share/1"))
            let error: Error? = await wait { sharing.look(at: [url], in: container, completion: $0) }
            #expect(error is CKError)
            let people: Error? = await wait { done in
                let operation = PeopleOperations.participants(emails: ["ada@example.com"], found: { _ in })
                operation.fetchShareParticipantsCompletionBlock = done
                container.add(operation)
            }
            #expect(people == nil)
            #expect(PeopleOperations.some(phones: ["1"]).userIdentityLookupInfos.map(\.phoneNumber) == ["1"])
            let everybody: Error? = await wait { done in
                let operation = PeopleOperations.everybody(found: { _ in })
                operation.discoverAllUserIdentitiesCompletionBlock = done
                container.add(operation)
            }
            #expect(everybody == nil)
        }
    }

    @Test func listsLongLivedOperations() async throws {
        try await withCloud { container in
            let uploads = LongLivedUploads(container: container)
            let count: Int = await wait { uploads.resume(completion: $0) }
            #expect(count <= 0)
            #expect(uploads.persistently([]).isLongLived)
        }
    }

    @Test func sharesAreRecords() {
        let root = note("root")
        let made = share(root, titled: "Trip")
        #expect(made[CKShare.SystemFieldKey.title] as? String == "Trip")
        #expect(root.share?.recordID == made.recordID)
        #expect(roles(of: made).first == "owner")
        #expect(made.recordType == CKRecord.SystemType.share)
        label(made, title: "Vienna", thumbnail: Data([1, 2]))
        #expect(made[CKShare.SystemFieldKey.title] as? String == "Vienna")
        #expect(made[CKShare.SystemFieldKey.thumbnailImageData] as? Data == Data([1, 2]))
        #expect(isAllowed(.granted) && !isAllowed(.denied))
    }

    @Test func webTokens() async throws {
        try await withCloud { container in
            let answer: (String?, Error?) = await wait { done in
                let operation = webTokenOperation(apiToken: "token") { done(($0, $1)) }
                container.privateCloudDatabase.add(operation)
            }
            #expect(answer.0 != nil || answer.1 is CKError)
        }
    }
}
