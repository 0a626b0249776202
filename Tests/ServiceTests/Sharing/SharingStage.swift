import CloudKit
import CloudKitTesting
import Foundation
import Testing

/// Ann, who shares a list, and Ben and Cleo, on one cloud.
struct SharingStage {
    let cloud: TestCloud
    let ann: CKContainer
    let ben: CKContainer
    let cleo: CKContainer
    /// Ann's zone.
    let zone: CKRecordZone

    /// Runs a story, and takes the cloud down whatever happens.
    static func with(_ story: (SharingStage) async throws -> Void) async throws {
        let cloud = try await TestCloud()
        do {
            for (user, name) in [("ann", "Ann"), ("ben", "Ben"), ("cleo", "Cleo")] {
                try await cloud.setDiscovery(
                    true, of: user, givenName: name, emailAddress: "\(user)@example.org")
            }
            let ann = try await cloud.container(user: "ann")
            let zone = try await ann.privateCloudDatabase.save(CKRecordZone(zoneName: "Lists"))
            try await story(
                SharingStage(
                    cloud: cloud, ann: ann, ben: try await cloud.container(user: "ben"),
                    cleo: try await cloud.container(user: "cleo"), zone: zone))
        } catch {
            await cloud.close()
            throw error
        }
        await cloud.close()
    }

    /// The zone as those see it with whom it is shared.
    var zoneOfOthers: CKRecordZone.ID {
        CKRecordZone.ID(zoneName: zone.zoneID.zoneName, ownerName: TestCloud.recordName(of: "ann"))
    }

    func record(_ type: String, _ name: String, in zoneID: CKRecordZone.ID? = nil) -> CKRecord {
        CKRecord(
            recordType: type, recordID: CKRecord.ID(recordName: name, zoneID: zoneID ?? zone.zoneID))
    }

    /// Ann's list `groceries` with the item `milk`, shared with some by mail.
    func shareList(
        with emails: [String] = [], permission: CKShare.ParticipantPermission = .readWrite,
        change: (CKShare) -> Void = { _ in }
    ) async throws -> (list: CKRecord, share: CKShare) {
        let list = record("List", "groceries")
        list["title"] = "Groceries"
        let item = record("Item", "milk")
        item["text"] = "milk"
        item.setParent(list)
        let share = CKShare(rootRecord: list)
        share[CKShare.SystemFieldKey.title] = "Groceries for all"
        for (_, found) in try await ann.shareParticipants(forEmailAddresses: emails) {
            let participant = try found.get()
            participant.permission = permission
            share.addParticipant(participant)
        }
        change(share)
        _ = try await ann.privateCloudDatabase.modifyRecords(saving: [share, item, list], deleting: [])
        return (list, share)
    }

    /// Has somebody accept a share.
    @discardableResult
    func accept(_ share: CKShare, as somebody: CKContainer) async throws -> CKShare {
        try await somebody.accept(try await somebody.shareMetadata(for: try #require(share.url)))
    }

    /// A share as its owner finds it now.
    func current(_ share: CKShare) async throws -> CKShare {
        try #require(try await ann.privateCloudDatabase.record(for: share.recordID) as? CKShare)
    }
}

/// The CloudKit error that a piece of work throws; nil where it throws none, or another.
func cloudError(_ work: () async throws -> Void) async -> CKError? {
    do {
        try await work()
        return nil
    } catch {
        return error as? CKError
    }
}
