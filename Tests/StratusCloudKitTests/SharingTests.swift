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
        share.addParticipant(
            CKShareParticipant(
                userIdentity: user("ben"), acceptanceStatus: .pending, isApprovedRequester: true,
                dateAddedToShare: Date(timeIntervalSince1970: 1_700_000_000)))
        let asker = CKShare.AccessRequester(userIdentity: user("cleo"), requestID: "r1")
        let blocked = CKShare.BlockedIdentity(userIdentity: user("dan"), requestID: "r2")
        share.changeTerms { terms in
            terms.url = URL(string: "https://example.org/share/abc")
            terms.oneTimeURLs = ["p1": URL(fileURLWithPath: "/once")]
            terms.requesters = [asker, CKShare.AccessRequester(userIdentity: user("eve"))]
            terms.blockedIdentities = [blocked]
            terms.saved = terms.settings
            terms.saved?.publicPermission = .readOnly
        }
        share.denyRequesters([share.requesters[1]])
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
            #expect(read.oneTimeURL(for: "p1") == URL(fileURLWithPath: "/once"))
            #expect(read.requesters == [asker] && read.blockedIdentities == [blocked])
            let (now, then) = (read.currentTerms, share.currentTerms)
            #expect(now.rootRecordID == root.recordID)
            #expect(now.decisions == then.decisions && now.decisions.denied == ["eve"])
            #expect(now.saved == then.saved && now.saved != now.settings, "What changed is still to be sent.")
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
        let metadata = CKShareMetadata(
            containerIdentifier: "iCloud.test", link: "0Ab", share: share, rootRecordID: root.recordID,
            rootRecord: root,
            role: .privateUser, status: .pending, permission: .readOnly)
        let data = try NSKeyedArchiver.archivedData(withRootObject: metadata, requiringSecureCoding: true)
        let read = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShareMetadata.self, from: data))
        #expect(read == metadata && [metadata: 1][read] == 1)
        #expect(read.hierarchicalRootRecordID == root.recordID && read.rootRecord?.recordType == "List")
        #expect(read.participantRole == .privateUser && read.participantStatus == .pending)
        #expect(read.participantPermission == .readOnly && read.ownerIdentity == share.owner.userIdentity)
        #expect(read.link == "0Ab")
    }

    @Test("Who asked is denied, blocked or let in by what the app says last, and the owner is never blocked")
    func decisions() {
        let share = CKShare(rootRecord: root)
        share.addParticipant(CKShareParticipant(userIdentity: user("ada")))
        let ada = CKShare.AccessRequester(userIdentity: user("ada"))
        let ben = CKShare.AccessRequester(userIdentity: user("ben"), requestID: "7")
        share.changeTerms { $0.requesters = [ada, ben] }
        #expect(ada.participantLookupInfo.userRecordID?.recordName == "ada")
        share.blockRequesters([ada])
        share.denyRequesters([ben])
        #expect(share.requesters.isEmpty && share.participants == [share.owner])
        #expect(share.currentTerms.decisions == .init(denied: ["7"], blocked: ["ada"]))
        share.unblockIdentities([CKShare.BlockedIdentity(userIdentity: user("ada"))])
        #expect(share.currentTerms.decisions == .init(denied: ["7"], unblocked: ["ada"]))
        share.blockRequesters([CKShare.AccessRequester(userIdentity: share.owner.userIdentity)])
        #expect(share.participants == [share.owner])
    }

    @Test("Who left is invited again by being added")
    func addingAgain() throws {
        let share = CKShare(rootRecord: root)
        share.addParticipant(CKShareParticipant(userIdentity: user("ben"), acceptanceStatus: .removed))
        let again = CKShareParticipant(userIdentity: user("ben"))
        share.addParticipant(again)
        #expect(share.participants.count == 2 && share.participants.last === again)
        let known = try #require(share.participants.last)
        known.permission = .readWrite
        share.addParticipant(known)
        #expect(share.participants.count == 2 && known.permission == .readWrite)
    }

    @Test("A participant who is not known yet has an empty name and nothing to be looked up by")
    func oneTimeParticipant() throws {
        let guest = CKShare.Participant.oneTimeURLParticipant()
        #expect(guest.userIdentity.nameComponents == PersonNameComponents())
        #expect(guest.userIdentity.lookupInfo == nil && guest.userIdentity.userRecordID == nil)
        #expect(guest.acceptanceStatus == .pending && !guest.isApprovedRequester)
        #expect(try archived(guest) == guest)
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
