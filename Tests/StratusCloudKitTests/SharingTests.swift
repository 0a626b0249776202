import CloudKit
import Foundation
import Testing

@testable import StratusCloudKit

@Suite struct SharingTests {
    private let zoneID = CKRecordZone.ID(zoneName: "Lists")

    private var root: CKRecord {
        CKRecord(recordType: "List", recordID: CKRecord.ID(recordName: "groceries", zoneID: zoneID))
    }

    private func user(_ name: String) -> CKUserIdentity {
        CKUserIdentity(userRecordID: CKRecord.ID(recordName: name), hasiCloudAccount: true)
    }

    @Test("A new share stands in the zone of its root record, which names it")
    func newShare() {
        let root = root
        let share = CKShare(rootRecord: root)
        #expect(share.recordType == "cloudkit.share" && share.recordID.zoneID == zoneID)
        #expect(root.share?.recordID == share.recordID)
        #expect(share.publicPermission == .none && share.url == nil && share.recordChangeTag == nil)
        #expect(share.participants == [share.owner] && share.currentUserParticipant == share.owner)
        #expect(share.owner.role == .owner && share.owner.permission == .readWrite)
        #expect(share.owner.acceptanceStatus == .accepted)
        let named = CKRecord.ID(recordName: "s", zoneID: zoneID)
        #expect(CKShare(rootRecord: root, shareID: named).recordID == named)
        let ofZone = CKShare(recordZoneID: zoneID)
        #expect(ofZone.recordID == CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zoneID))
    }

    @Test("Adding a participant again changes the one that is there; the owner stays")
    func participants() {
        let share = CKShare(rootRecord: root)
        let ben = CKShareParticipant(userIdentity: user("ben"))
        #expect(ben.role == .privateUser && ben.permission == .readOnly)
        share.addParticipant(ben)
        let again = CKShareParticipant(userIdentity: user("ben"))
        again.permission = .readWrite
        share.addParticipant(again)
        #expect(share.participants.map(\.participantID) == [share.owner.participantID, ben.participantID])
        #expect(share.participants.last?.permission == .readWrite)
        share.addParticipant(.oneTimeURLParticipant())
        share.addParticipant(.oneTimeURLParticipant())
        #expect(share.participants.count == 4, "Participants who are not known yet are all different.")
        share.removeParticipant(again)
        share.removeParticipant(share.owner)
        share.removeParticipant(CKShareParticipant(userIdentity: user("nobody")))
        #expect(share.participants.count == 3 && share.participants.first == share.owner)
    }

    @Test("A share survives an archive, with its fields and with its system fields alone")
    func archive() throws {
        let share = CKShare(rootRecord: root)
        share[CKShare.SystemFieldKey.title] = "Groceries"
        share.publicPermission = .readWrite
        share.allowsAccessRequests = true
        share.addParticipant(CKShareParticipant(userIdentity: user("ben"), acceptanceStatus: .pending))
        share.changeTerms { $0.url = URL(string: "https://example.org/share/abc") }
        let data = try NSKeyedArchiver.archivedData(withRootObject: share, requiringSecureCoding: true)
        let whole = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.self, from: data))
        #expect(whole[CKShare.SystemFieldKey.title] as? String == "Groceries")
        let asRecord = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data)
        #expect(asRecord is CKShare, "An app that archives records need not know which of them are shares.")

        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        share.encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.requiresSecureCoding = true
        let system = CKShare(coder: unarchiver)
        #expect(system.allKeys().isEmpty)
        for read in [whole, system] {
            #expect(read.recordID == share.recordID && read.recordType == "cloudkit.share")
            #expect(read.publicPermission == .readWrite && read.allowsAccessRequests)
            #expect(read.participants == share.participants)
            #expect(read.currentUserParticipant == share.owner && read.url == share.url)
            #expect(read.currentTerms.rootRecordID == root.recordID)
        }
    }

    @Test("Of the archive of a plain record a share takes what it has")
    func foreignArchive() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        root.encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        let share = CKShare(coder: unarchiver)
        #expect(share.recordType == "cloudkit.share" && share.recordID == root.recordID)
        #expect(share.participants == [share.owner] && share.url == nil)
    }

    @Test("A copy of a share has its own participants")
    func copying() throws {
        let share = CKShare(rootRecord: root)
        share.addParticipant(CKShareParticipant(userIdentity: user("ben")))
        let copy = try #require(share.copy() as? CKShare)
        #expect(copy.participants == share.participants && copy.recordID == share.recordID)
        copy.participants.last?.permission = .readWrite
        copy.publicPermission = .readOnly
        #expect(share.participants.last?.permission == .readOnly && share.publicPermission == .none)
    }

    @Test("Metadata survives an archive and is a key of dictionaries")
    func metadata() throws {
        let root = root
        let share = CKShare(rootRecord: root)
        let ben = CKShareParticipant(userIdentity: user("ben"), acceptanceStatus: .pending)
        share.addParticipant(ben)
        let metadata = CKShareMetadata(
            containerIdentifier: "iCloud.test", share: share, rootRecord: root, participant: ben)
        let data = try NSKeyedArchiver.archivedData(withRootObject: metadata, requiringSecureCoding: true)
        let read = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShareMetadata.self, from: data))
        #expect(read == metadata && [metadata: 1][read] == 1)
        #expect(read.hierarchicalRootRecordID == root.recordID && read.rootRecord?.recordType == "List")
        #expect(read.participantRole == .privateUser && read.participantStatus == .pending)
        #expect(read.participantPermission == .readOnly && read.ownerIdentity == share.owner.userIdentity)
        let ofZone = CKShareMetadata(
            containerIdentifier: "iCloud.test", share: CKShare(recordZoneID: zoneID), participant: nil)
        #expect(ofZone.hierarchicalRootRecordID == nil && ofZone.participantStatus == .unknown)
    }

    @Test("Sharing options survive an archive and a copy")
    func options() throws {
        let options = CKAllowedSharingOptions(
            allowedParticipantPermissionOptions: .readOnly,
            allowedParticipantAccessOptions: .specifiedRecipientsOnly)
        options.allowsAccessRequests = true
        let data = try NSKeyedArchiver.archivedData(withRootObject: options, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKAllowedSharingOptions.self, from: data)
        #expect(read == options)
        let copy = try #require(options.copy() as? CKAllowedSharingOptions)
        copy.allowedParticipantAccessOptions = .any
        #expect(copy != options && options.allowedParticipantAccessOptions == .specifiedRecipientsOnly)
        #expect(CKAllowedSharingOptions.standard.allowedParticipantPermissionOptions == .any)
    }
}

@Suite struct UnservedSharingTests {
    private let url = URL(fileURLWithPath: "/share")

    /// The error that says which version of the server will share.
    private func isSharingError(_ error: (any Error)?) -> Bool {
        guard let error = error as? CKError else { return false }
        return error.code == .serverRejectedRequest
            && error.recoverySuggestion?.contains(PlannedFeature.sharing.serverVersion) == true
    }

    @Test("What needs shares at the service fails with the version that will have them, without a request")
    func container() async {
        let cloud = TestCloud()
        let container = cloud.container
        await #expect(throws: PlannedFeature.sharing.error) { try await container.shareMetadata(for: url) }
        await #expect(throws: PlannedFeature.sharing.error) { try await container.shareMetadatas(for: [url]) }
        await #expect(throws: PlannedFeature.sharing.error) {
            try await container.shareParticipants(forEmailAddresses: ["a@example.org"])
        }
        let metadata = CKShareMetadata(
            containerIdentifier: "iCloud.test", share: CKShare(recordZoneID: .init(zoneName: "Z")),
            participant: nil)
        await #expect(throws: PlannedFeature.sharing.error) { try await container.accept([metadata]) }
        let error = await withCheckedContinuation { continuation in
            container.accept(metadata) { _, error in continuation.resume(returning: error) }
        }
        #expect(isSharingError(error))
        #expect(cloud.transport.requests.isEmpty)
    }

    @Test("Operations end once with the same error")
    func operations() async {
        let cloud = TestCloud()
        let log = EventLog()
        let accept = CKAcceptSharesOperation(shareMetadatas: [])
        accept.acceptSharesResultBlock = { if case .failure = $0 { log.note("accept result") } }
        accept.acceptSharesCompletionBlock = { error in
            log.note("accept completion \(isSharingError(error))")
        }
        let metadata = CKFetchShareMetadataOperation(shareURLs: [url])
        metadata.fetchShareMetadataCompletionBlock = { log.note("metadata \(isSharingError($0))") }
        let participants = CKFetchShareParticipantsOperation(
            userIdentityLookupInfos: CKUserIdentity.LookupInfo.lookupInfos(withEmails: ["a@example.org"]))
        participants.fetchShareParticipantsResultBlock = { result in
            if case .failure(let error) = result { log.note("participants \(isSharingError(error))") }
        }
        metadata.addDependency(accept)
        participants.addDependency(metadata)
        await withCheckedContinuation { continuation in
            participants.completionBlock = { continuation.resume() }
            for operation in [accept, metadata, participants] { cloud.container.add(operation) }
        }
        #expect(
            log.events == [
                "accept result", "accept completion true", "metadata true", "participants true",
            ])
    }

    @Test("Saving a share is refused before anything is sent; the records beside it are saved")
    func saving() async throws {
        let zoneID = CKRecordZone.ID(zoneName: "Lists")
        let root = CKRecord(recordType: "List", recordID: CKRecord.ID(recordName: "g", zoneID: zoneID))
        let share = CKShare(rootRecord: root)
        let atomic = TestCloud()
        let refusal = await cloudError {
            _ = try await atomic.privateDatabase.modifyRecords(saving: [root, share], deleting: [])
        }
        let errors = refusal?.partialErrorsByItemID ?? [:]
        #expect(isSharingError(errors[share.recordID]))
        #expect((errors[root.recordID] as? CKError)?.code == .batchRequestFailed)
        #expect(atomic.transport.requests.isEmpty)

        let cloud = TestCloud(.json(#"{"records":[\#(recordJSON("g", type: "List"))]}"#))
        let results = try await cloud.privateDatabase.modifyRecords(
            saving: [root, share], deleting: [], atomically: false)
        #expect(try results.saveResults[root.recordID]?.get() === root)
        #expect(throws: PlannedFeature.sharing.error) { try results.saveResults[share.recordID]?.get() }
    }
}
