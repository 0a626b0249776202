import CloudKit
import CloudKitTesting
import Foundation
import Testing

/// What people do with shares, from the app's side.
@Suite struct SharingStoryTests {
    @Test("Ann shares a list with Ben, makes him a reader, and removes him")
    func invitedPerson() async throws {
        try await SharingStage.with { stage in
            let (list, share) = try await stage.shareList(with: ["ben@example.org"])
            let url = try #require(share.url)
            #expect(url.fragment == "Groceries_for_all" && list.share?.recordID == share.recordID)
            let ben = try #require(share.participants.last)
            #expect(
                ben.acceptanceStatus == .pending && ben.permission == .readWrite
                    && ben.dateAddedToShare != nil)

            // Ben looks, accepts and finds the list.
            let metadata = try await stage.ben.shareMetadata(for: url)
            #expect(metadata.participantStatus == .pending && metadata.participantPermission == .readWrite)
            #expect(metadata.ownerIdentity.nameComponents?.givenName == "Ann")
            #expect(metadata.share[CKShare.SystemFieldKey.title] as? String == "Groceries for all")
            let accepted: CKShare = try await stage.ben.accept(metadata)
            #expect(accepted.currentUserParticipant?.acceptanceStatus == .accepted)
            #expect(accepted.owner.userIdentity.nameComponents?.givenName == "Ann")
            let shared = stage.ben.sharedCloudDatabase
            #expect(try await shared.allRecordZones().map(\.zoneID) == [stage.zoneOfOthers])
            let root = try await shared.record(for: try #require(metadata.hierarchicalRootRecordID))
            #expect(root["title"] as? String == "Groceries" && root.share?.recordID == accepted.recordID)

            // He edits, and adds to the list.
            let bread = stage.record("Item", "bread", in: stage.zoneOfOthers)
            bread["text"] = "bread"
            bread.setParent(root)
            let milk = try await shared.record(
                for: CKRecord.ID(recordName: "milk", zoneID: stage.zoneOfOthers))
            milk["text"] = "oat milk"
            _ = try await shared.modifyRecords(saving: [milk, bread], deleting: [])
            let private_ = stage.ann.privateCloudDatabase
            let found = try await private_.records(
                matching: CKQuery(recordType: "Item", predicate: NSPredicate(value: true)),
                inZoneWith: stage.zone.zoneID)
            let texts = try found.matchResults.map { try $0.1.get()["text"] as? String ?? "" }
            #expect(texts.sorted() == ["bread", "oat milk"])

            // A reader may not edit, and is told so.
            let owned = try await stage.current(share)
            #expect(owned.participants.last?.acceptanceStatus == .accepted)
            try #require(owned.participants.last).permission = .readOnly
            try await private_.save(owned)
            milk["text"] = "soy milk"
            let refusal = await cloudError { try await shared.save(milk) }
            #expect(refusal?.code == .permissionFailure && refusal?.localizedDescription.isEmpty == false)
            _ = try await shared.record(for: milk.recordID)

            // Who is removed sees nothing any more.
            owned.removeParticipant(try #require(owned.participants.last))
            try await private_.save(owned)
            #expect(owned.participants == [owned.owner])
            #expect(try await shared.allRecordZones().isEmpty)
            let gone = await cloudError { _ = try await shared.record(for: milk.recordID) }
            #expect(gone?.code == .zoneNotFound)
        }
    }

    @Test("Cleo, who was not invited, asks for access; Ann denies, blocks, unblocks her, and lets her in")
    func uninvitedPerson() async throws {
        try await SharingStage.with { stage in
            let (_, share) = try await stage.shareList()
            let url = try #require(share.url)
            // A share that takes no requests is as one that is not there.
            let hidden = await cloudError { _ = try await stage.cleo.shareMetadata(for: url) }
            #expect(hidden?.code == .unknownItem)
            await #expect(throws: Never.self) {
                try await stage.cleo.requestShareAccess(for: [url])[url]?.get()
            }
            #expect(try await stage.current(share).requesters.isEmpty)

            share.allowsAccessRequests = true
            let database = stage.ann.privateCloudDatabase
            try await database.save(share)
            func asked() async throws -> CKShare {
                try await stage.cleo.requestShareAccess(for: [url])[url]?.get()
                return try await stage.current(share)
            }
            var seen = try await asked()
            let cleo = try #require(seen.requesters.first)
            #expect(cleo.userIdentity.nameComponents?.givenName == "Cleo")
            #expect(cleo.participantLookupInfo.emailAddress == "cleo@example.org")
            seen.denyRequesters(seen.requesters)
            try await database.save(seen)
            #expect(try await stage.current(share).requesters.isEmpty)

            seen = try await asked()
            seen.blockRequesters(seen.requesters)
            try await database.save(seen)
            #expect(seen.blockedIdentities.count == 1 && seen.requesters.isEmpty)
            seen = try await asked()
            #expect(seen.requesters.isEmpty, "Who is blocked is not heard, and not told.")
            seen.unblockIdentities(seen.blockedIdentities)
            try await database.save(seen)
            #expect(seen.blockedIdentities.isEmpty)

            seen = try await asked()
            let lookup = try #require(seen.requesters.first?.participantLookupInfo)
            let person = try await stage.ann.shareParticipant(
                forEmailAddress: try #require(lookup.emailAddress))
            seen.addParticipant(person)
            try await database.save(seen)
            #expect(seen.requesters.isEmpty && seen.participants.last?.isApprovedRequester == true)
            try await stage.accept(share, as: stage.cleo)
            #expect(try await stage.cleo.sharedCloudDatabase.allRecordZones().count == 1)
            let again = await cloudError { _ = try await asked() }
            #expect(again?.code == .participantAlreadyInvited)
        }
    }

    @Test("Whoever opens a one-time link first takes part, and nobody else by it")
    func oneTimeLink() async throws {
        try await SharingStage.with { stage in
            let guest = CKShare.Participant.oneTimeURLParticipant()
            let (_, share) = try await stage.shareList { $0.addParticipant(guest) }
            let url = try #require(share.oneTimeURL(for: guest.participantID))
            #expect(url != share.url)
            _ = try await stage.ben.accept(try await stage.ben.shareMetadata(for: url))
            let taken = try await stage.current(share)
            #expect(taken.participants.last?.participantID == guest.participantID)
            #expect(
                taken.participants.last?.userIdentity.userRecordID?.recordName
                    == TestCloud.recordName(of: "ben"))
            let second = await cloudError { _ = try await stage.cleo.shareMetadata(for: url) }
            #expect(second?.code == .unknownItem)
        }
    }

    @Test("Everybody who has the link of a public share may come in, until it is closed")
    func publicShare() async throws {
        try await SharingStage.with { stage in
            let (_, share) = try await stage.shareList { $0.publicPermission = .readOnly }
            let metadata = try await stage.cleo.shareMetadata(for: try #require(share.url))
            #expect(metadata.participantRole == .publicUser && metadata.participantStatus == .unknown)
            #expect(metadata.participantPermission == .readOnly)
            try await stage.accept(share, as: stage.cleo)
            try await stage.accept(share, as: stage.cleo)
            let open = try await stage.current(share)
            #expect(open.participants.map(\.role) == [.owner, .publicUser])
            open.publicPermission = .none
            try await stage.ann.privateCloudDatabase.save(open)
            #expect(open.participants == [open.owner])
            #expect(try await stage.cleo.sharedCloudDatabase.allRecordZones().isEmpty)
        }
    }

    @Test(
        "A link works over every way to the service", arguments: [CloudKind.router, .live])
    func overTheWire(_ kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let database = try await container("ann").privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Lists"))
            let list = CKRecord(
                recordType: "List", recordID: CKRecord.ID(recordName: "groceries", zoneID: zone.zoneID))
            let share = CKShare(rootRecord: list)
            share.publicPermission = .readWrite
            _ = try await database.modifyRecords(saving: [list, share], deleting: [])
            let ben = try await container("ben")
            let metadata = try await ben.shareMetadata(for: try #require(share.url))
            _ = try await ben.accept(metadata) as CKShare
            let root = try #require(metadata.hierarchicalRootRecordID)
            let item = CKRecord(
                recordType: "Item", recordID: CKRecord.ID(recordName: "milk", zoneID: root.zoneID))
            item.setParent(root)
            try await ben.sharedCloudDatabase.save(item)
            _ = try await database.record(for: CKRecord.ID(recordName: "milk", zoneID: zone.zoneID))
            let again = await cloudError {
                _ = try await database.modifyRecords(
                    saving: [CKShare(recordZoneID: zone.zoneID)], deleting: [])
            }
            let code = (again?.partialErrorsByItemID?.values.first as? CKError)?.code
            #expect(code == .invalidArguments, "Records of the zone are shared by themselves.")
        }
    }

    @Test("Ann shares a zone; Ben writes anywhere in it, and leaves")
    func zoneShare() async throws {
        try await SharingStage.with { stage in
            let database = stage.ann.privateCloudDatabase
            try await database.save(stage.record("Note", "old"))
            let share = CKShare(recordZoneID: stage.zone.zoneID)
            share[CKShare.SystemFieldKey.title] = "All lists"
            let ben = try await stage.ann.shareParticipant(forEmailAddress: "ben@example.org")
            ben.permission = .readWrite
            share.addParticipant(ben)
            try await database.save(share)
            #expect(share.url?.fragment == "All_lists")
            #expect(try await database.recordZone(for: stage.zone.zoneID).share?.recordID == share.recordID)

            let second = await cloudError {
                try await database.save(CKShare(recordZoneID: stage.zone.zoneID))
            }
            #expect(second?.code == .serverRecordChanged && second?.serverRecord is CKShare)

            let metadata = try await stage.ben.shareMetadata(for: try #require(share.url))
            #expect(metadata.hierarchicalRootRecordID == nil)
            _ = try await stage.ben.accept(metadata)
            let shared = stage.ben.sharedCloudDatabase
            let zone = try #require(try await shared.allRecordZones().first)
            #expect(
                zone.zoneID == stage.zoneOfOthers
                    && zone.share?.recordID.recordName == CKRecordNameZoneWideShare)
            try await shared.save(stage.record("Note", "new", in: zone.zoneID))
            _ = try await database.record(for: CKRecord.ID(recordName: "new", zoneID: stage.zone.zoneID))

            try await shared.deleteRecord(
                withID: CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zone.zoneID))
            #expect(try await shared.allRecordZones().isEmpty)
            let left = try await stage.current(share)
            #expect(left.participants.last?.acceptanceStatus == .removed, "The owner sees who left.")
            left.addParticipant(try await stage.ann.shareParticipant(forEmailAddress: "ben@example.org"))
            try await database.save(left)
            #expect(left.participants.last?.acceptanceStatus == .pending)
            try await stage.accept(share, as: stage.ben)
            #expect(try await shared.allRecordZones().count == 1)

            try await database.deleteRecord(withID: share.recordID)
            #expect(try await shared.allRecordZones().isEmpty)
            _ = try await database.record(for: CKRecord.ID(recordName: "old", zoneID: stage.zone.zoneID))
        }
    }

    @Test("What breaks a rule of sharing has CloudKit's code")
    func refusals() async throws {
        try await SharingStage.with { stage in
            let (list, share) = try await stage.shareList(with: ["ben@example.org"])
            let database = stage.ann.privateCloudDatabase
            /// The codes of the records that cannot be saved, but for those that fail with others.
            func code(_ records: [CKRecord], in database: CKDatabase) async throws -> [CKError.Code] {
                let results = try await database.modifyRecords(
                    saving: records, deleting: [], atomically: false
                ).saveResults
                return results.values.compactMap { result in
                    if case .failure(let error) = result { (error as? CKError)?.code } else { nil }
                }
            }
            #expect(try await code([CKShare(rootRecord: list)], in: database) == [.alreadyShared])
            let milk = try await database.record(
                for: CKRecord.ID(recordName: "milk", zoneID: stage.zone.zoneID))
            #expect(try await code([CKShare(rootRecord: milk)], in: database) == [.alreadyShared])
            #expect(
                try await code([CKShare(recordZoneID: stage.zone.zoneID)], in: database) == [
                    .invalidArguments
                ])
            #expect(try await code([CKShare(recordZoneID: .default)], in: database) == [.invalidArguments])
            let numbers = (0..<100).map { "+43 \($0)" }
            for (_, found) in try await stage.ann.shareParticipants(forPhoneNumbers: numbers) {
                share.addParticipant(try found.get())
            }
            #expect(try await code([share], in: database) == [.tooManyParticipants])

            try await stage.accept(share, as: stage.ben)
            let shared = stage.ben.sharedCloudDatabase
            let orphan = stage.record("Item", "orphan", in: stage.zoneOfOthers)
            #expect(try await code([orphan], in: shared) == [.permissionFailure])
            let bens = try #require(
                try await shared.record(
                    for: CKRecord.ID(recordName: share.recordID.recordName, zoneID: stage.zoneOfOthers))
                    as? CKShare)
            bens.allowsAccessRequests = true
            #expect(try await code([bens], in: shared) == [.permissionFailure])
            let deletion = await cloudError {
                try await shared.deleteRecord(
                    withID: CKRecord.ID(recordName: "groceries", zoneID: stage.zoneOfOthers))
            }
            #expect(deletion?.code == .permissionFailure)
            for subscription in [
                CKQuerySubscription(
                    recordType: "Item", predicate: NSPredicate(value: true), subscriptionID: "q",
                    options: .firesOnRecordCreation),
                CKRecordZoneSubscription(zoneID: stage.zoneOfOthers, subscriptionID: "z"),
            ] as [CKSubscription] {
                #expect(await cloudError { try await shared.save(subscription) } != nil)
            }
            try await shared.save(CKDatabaseSubscription(subscriptionID: "d"))
        }
    }

    @Test(
        "A share is saved with its root record under each policy, and found by a query",
        arguments: [CKModifyRecordsOperation.RecordSavePolicy.changedKeys, .allKeys])
    func policies(_ policy: CKModifyRecordsOperation.RecordSavePolicy) async throws {
        try await SharingStage.with { stage in
            let database = stage.ann.privateCloudDatabase
            let list = stage.record("List", "groceries")
            try await database.save(list)
            let share = CKShare(rootRecord: list)
            share[CKShare.SystemFieldKey.title] = "Groceries"
            share["color"] = 7
            _ = try await database.modifyRecords(saving: [share, list], deleting: [], savePolicy: policy)
            share.publicPermission = .readOnly
            _ = try await database.modifyRecords(saving: [share], deleting: [], savePolicy: policy)
            let query = CKQuery(recordType: "cloudkit.share", predicate: NSPredicate(value: true))
            let found = try await database.records(
                matching: query, inZoneWith: stage.zone.zoneID, desiredKeys: ["color"])
            let read = try #require(try found.matchResults.first?.1.get() as? CKShare)
            #expect(read.publicPermission == .readOnly && read["color"] as? Int == 7)
            #expect(read.url?.deletingFragment == share.url?.deletingFragment)
            let root = try await database.record(for: list.recordID)
            #expect(root.share?.recordID == share.recordID && root.recordChangeTag == list.recordChangeTag)
        }
    }

    @Test("Sharing a record again gives the same link, and who had it comes in again")
    func sharingAgain() async throws {
        try await SharingStage.with { stage in
            let (list, share) = try await stage.shareList(with: ["ben@example.org"])
            let database = stage.ann.privateCloudDatabase
            try await stage.accept(share, as: stage.ben)
            try await database.deleteRecord(withID: share.recordID)
            #expect(try await stage.ben.sharedCloudDatabase.allRecordZones().isEmpty)
            let root = try await database.record(for: list.recordID)
            #expect(root.share == nil)
            let again = CKShare(rootRecord: root)
            again.publicPermission = .readWrite
            _ = try await database.modifyRecords(saving: [root, again], deleting: [])
            #expect(again.url == share.url?.deletingFragment && root.share?.recordID == again.recordID)
            try await stage.accept(share, as: stage.ben)
            #expect(try await stage.ben.sharedCloudDatabase.allRecordZones().count == 1)
        }
    }

    @Test("An administrator lets others in and sees who asks, in the shared database")
    func administrator() async throws {
        try await SharingStage.with { stage in
            let (_, share) = try await stage.shareList(with: ["ben@example.org"]) { share in
                share.participants.last?.role = .administrator
                share.allowsAccessRequests = true
            }
            let accepted = try await stage.accept(share, as: stage.ben)
            #expect(accepted.currentUserParticipant?.role == .administrator)
            try await stage.cleo.requestShareAccess(for: [try #require(share.url)]).values.first?.get()
            let shared = stage.ben.sharedCloudDatabase
            let bens = try #require(try await shared.record(for: accepted.recordID) as? CKShare)
            #expect(bens.requesters.count == 1)
            bens.addParticipant(
                try await stage.ben.shareParticipant(forEmailAddress: "cleo@example.org"))
            try await shared.save(bens)
            try await stage.accept(share, as: stage.cleo)
            let seen = try await stage.current(share)
            #expect(seen.participants.map(\.role) == [.owner, .administrator, .privateUser])
            #expect(seen.participants.last?.acceptanceStatus == .accepted)
        }
    }

    @Test("Who sees that there is a share and is not let in learns who shares, and nothing of the others")
    func strangers() async throws {
        try await SharingStage.with { stage in
            let (_, share) = try await stage.shareList(with: ["ben@example.org"]) {
                $0.allowsAccessRequests = true
            }
            let metadata = try await stage.cleo.shareMetadata(for: try #require(share.url))
            #expect(metadata.ownerIdentity.userRecordID?.recordName == TestCloud.recordName(of: "ann"))
            #expect(metadata.share.participants == [metadata.share.owner])
            #expect(metadata.share.owner.userIdentity == metadata.ownerIdentity)
            #expect(metadata.share.currentUserParticipant == nil && metadata.rootRecord == nil)
            #expect(metadata.share[CKShare.SystemFieldKey.title] as? String == "Groceries for all")
            let refusal = await cloudError { _ = try await stage.cleo.accept(metadata) as CKShare }
            #expect(refusal?.code == .permissionFailure)
            #expect(try await stage.cleo.sharedCloudDatabase.allRecordZones().isEmpty)
        }
    }

    @Test("A share from an archive is changed and saved without being fetched")
    func archivedShare() async throws {
        try await SharingStage.with { stage in
            let (_, share) = try await stage.shareList(with: ["ben@example.org"])
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            share.encodeSystemFields(with: archiver)
            archiver.finishEncoding()
            let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
            let read = CKShare(coder: unarchiver)
            read.addParticipant(try await stage.ann.shareParticipant(forEmailAddress: "cleo@example.org"))
            try await stage.ann.privateCloudDatabase.save(read)
            #expect(read.participants.count == 3 && read.url?.deletingFragment == share.url?.deletingFragment)
            #expect(try await stage.current(share).participants.count == 3)
        }
    }
}

extension URL {
    /// The address without the title for people.
    fileprivate var deletingFragment: URL? {
        var parts = URLComponents(url: self, resolvingAgainstBaseURL: false)
        parts?.fragment = nil
        return parts?.url
    }
}
