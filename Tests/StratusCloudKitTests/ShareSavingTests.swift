import CloudKit
import Foundation
import RecordModel
import RecordWire
import Testing

@testable import StratusCloudKit

/// What a save says of shares, and what it takes over from the answer.
@Suite struct ShareSavingTests {
    private let zoneID = ShareJSON.zoneID

    private func shareID(_ name: String = "s") -> CKRecord.ID {
        CKRecord.ID(recordName: name, zoneID: zoneID)
    }

    private func user(_ name: String) -> CKUserIdentity {
        CKUserIdentity(userRecordID: CKRecord.ID(recordName: name), hasiCloudAccount: true)
    }

    /// The operations of each request, as JSON.
    private func operations(_ cloud: TestCloud) throws -> [[JSONObject]] {
        try cloud.transport.requests.map { request in
            try #require(try JSONReader.read(request.body ?? []).object).objects("operations")
        }
    }

    private func text(_ operation: JSONObject) -> String {
        String(decoding: JSONWriter.text { $0.value(.object(operation)) }, as: UTF8.self)
    }

    /// A share as the service has it: with Ben, and fetched by Ann.
    private func fetched(_ json: String = ShareJSON.record()) async throws -> (TestCloud, CKShare) {
        let cloud = TestCloud(
            .json(#"{"records":[\#(json)]}"#), .json(#"{"records":[\#(ShareJSON.record(tag: "2"))]}"#))
        let share = try await cloud.privateDatabase.record(for: shareID()) as? CKShare
        return (cloud, try #require(share))
    }

    @Test("A new root record and its share are saved at once, in either order", arguments: [true, false])
    func newRoot(_ isRootFirst: Bool) async throws {
        let root = ShareJSON.root()
        let share = CKShare(rootRecord: root, shareID: shareID())
        share[CKShare.SystemFieldKey.title] = "Groceries for two"
        let guest = CKShare.Participant.oneTimeURLParticipant()
        share.addParticipant(guest)
        let rootJSON =
            String(recordJSON("groceries", type: "List").dropLast())
            + #","share":{"recordName":"s","zoneID":{"zoneName":"Lists","ownerRecordName":"_ann"}}}"#
        let once =
            #"[{"participantId":"\#(guest.participantID)","shortGUID":"x","webpageURL":"https://example.org/share/once"}]"#
        let shareJSON = ShareJSON.record(
            participants: [
                ShareJSON.owner, ShareJSON.participant(guest.participantID),
            ], extra: #","oneTimeStableUrlInfo":{"oneTimeLinks":\#(once)}"#)
        let answers = isRootFirst ? [rootJSON, shareJSON] : [shareJSON, rootJSON]
        let cloud = TestCloud(.json(#"{"records":[\#(answers.joined(separator: ","))]}"#))
        _ = try await cloud.privateDatabase.modifyRecords(
            saving: isRootFirst ? [root, share] : [share, root], deleting: [])
        let sent = try operations(cloud)[0].map(text)
        #expect(
            sent[isRootFirst ? 0 : 1]
                == #"{"operationType":"create","record":{"recordName":"groceries","recordType":"List","createShortGUID":true}}"#
        )
        #expect(
            sent[isRootFirst ? 1 : 0]
                == #"{"operationType":"create","record":{"recordName":"s","recordType":"cloudkit.share","#
                + #""fields":{"cloudkit.title":{"value":"Groceries for two","type":"STRING"}},"#
                + #""forRecord":{"recordName":"groceries"},"publicPermission":"NONE","participants":[{"#
                + #""participantId":"\#(guest.participantID)","type":"USER","acceptanceStatus":"INVITED","#
                + #""permission":"READ_ONLY","userIdentity":{},"isApprovedRequester":false,"orgUser":false}]}}"#
        )
        #expect(share.recordChangeTag == "1" && root.share?.recordID == share.recordID)
        #expect(share.url?.absoluteString == "https://example.org/share/\(ShareJSON.token)#Groceries_for_two")
        #expect(
            share.oneTimeURL(for: guest.participantID)?.absoluteString
                == "https://example.org/share/once#Groceries_for_two")
        #expect(
            share.owner.participantID == "p-own"
                && share.owner.userIdentity.userRecordID?.recordName == "_ann")
        #expect(share.participants.last?.dateAddedToShare == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(share.toSend(isNew: false).terms == ShareTerms(), "Nothing is left to be saved.")
    }

    @Test("The root record of a share that is saved alone is named with its version")
    func shareAlone() async throws {
        let root = ShareJSON.root()
        let cloud = TestCloud(
            .json(#"{"records":[\#(recordJSON("groceries", type: "List", tag: "7"))]}"#),
            .json(#"{"records":[\#(ShareJSON.record())]}"#))
        let share = CKShare(rootRecord: root, shareID: shareID())
        try await cloud.privateDatabase.save(root)
        #expect(root.share?.recordID == share.recordID, "The share is not saved yet, and still the one.")
        try await cloud.privateDatabase.save(share)
        let sent = text(try operations(cloud)[1][0])
        #expect(sent.contains(#""forRecord":{"recordName":"groceries","recordChangeTag":"7"}"#))
        #expect(!sent.contains("participants") && !sent.contains("createShortGUID"))
    }

    @Test("A share of a zone names no record")
    func zoneShare() async throws {
        let cloud = TestCloud(.json(#"{"records":[\#(ShareJSON.record("cloudkit.zoneshare", root: nil))]}"#))
        let share = CKShare(recordZoneID: zoneID)
        share.publicPermission = .readOnly
        share.allowsAccessRequests = true
        try await cloud.privateDatabase.save(share)
        #expect(
            text(try operations(cloud)[0][0])
                == #"{"operationType":"create","record":{"recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","#
                + #""publicPermission":"READ_ONLY","denyAccessRequests":false}}"#)
        #expect(share.url != nil && !share.allowsAccessRequests, "The answer says what the service has.")
    }

    @Test("What cannot be shared is refused before anything is sent")
    func refusals() async throws {
        let cloud = TestCloud()
        let alone = CKShare(rootRecord: ShareJSON.root())
        var error = await cloudError { try await cloud.privateDatabase.save(alone) }
        #expect(error?.code == .invalidArguments && error?.localizedDescription.contains("groceries") == true)
        let elsewhere = CKShare(
            rootRecord: ShareJSON.root(),
            shareID: CKRecord.ID(recordName: "s", zoneID: .init(zoneName: "Other")))
        error = await cloudError { try await cloud.privateDatabase.save(elsewhere) }
        #expect(error?.code == .invalidArguments)
        error = await cloudError { try await cloud.database.save(CKShare(recordZoneID: zoneID)) }
        #expect(error?.code == .badDatabase)
        error = await cloudError {
            _ = try await cloud.privateDatabase.modifyRecords(
                saving: [ShareJSON.root("x"), alone], deleting: [])
        }
        let others = error?.partialErrorsByItemID?.values.compactMap { ($0 as? CKError)?.code } ?? []
        #expect(Set(others) == [.invalidArguments, .batchRequestFailed])
        #expect(cloud.transport.requests.isEmpty)
    }

    @Test("Of a share that was fetched a save says what changed, and the participants as a whole")
    func update() async throws {
        let (cloud, share) = try await fetched()
        share["color"] = "green"
        try await cloud.privateDatabase.save(share)
        #expect(
            text(try operations(cloud)[1][0])
                == #"{"operationType":"update","record":{"recordName":"s","recordType":"cloudkit.share","#
                + #""recordChangeTag":"1","fields":{"color":{"value":"green","type":"STRING"}}}}"#)
        let (other, changed) = try await fetched()
        try #require(changed.participants.last).permission = .readWrite
        changed.addParticipant(
            CKShareParticipant(
                userIdentity: CKUserIdentity(
                    userRecordID: nil, lookupInfo: .init(emailAddress: "cleo@example.org"),
                    hasiCloudAccount: false),
                participantID: "p-cleo"))
        changed.blockRequesters([CKShare.AccessRequester(userIdentity: user("dan"), requestID: "r1")])
        try await other.privateDatabase.save(changed)
        let sent = try #require(try operations(other)[1][0].object("record"))
        let people = try sent.objects("participants").map(ParticipantDictionary.init(json:))
        #expect(people.map(\.participantID) == ["p-own", "p-ben", "p-cleo"])
        #expect(people.map(\.permission) == [.readWrite, .readWrite, .readOnly])
        #expect(people.map(\.userRecordName) == ["_ann", "_ben", nil])
        #expect(people.last?.lookup?.emailAddress == "cleo@example.org")
        #expect(try sent.strings("blockRequesters") == ["r1"] && sent["publicPermission"] == nil)
        #expect(changed.recordChangeTag == "2" && changed.currentTerms.decisions == .init())
    }

    @Test("What is set of a share while a save is on its way stays to be saved")
    func changesDuringSave() async throws {
        let (cloud, share) = try await fetched()
        share.publicPermission = .readOnly
        let sent = share.toSend(isNew: false)
        share.allowsAccessRequests = true
        share.addParticipant(CKShareParticipant(userIdentity: user("eve"), participantID: "p-eve"))
        share.denyRequesters([CKShare.AccessRequester(userIdentity: user("dan"))])
        let json = try #require(
            try JSONReader.read(Array(ShareJSON.record(tag: "2", permission: "READ_ONLY").utf8)).object)
        share.adoptSaved(try ShareDictionary(json: json), sent: sent)
        let left = share.toSend(isNew: false).terms
        #expect(left.publicPermission == nil && left.deniesAccessRequests == false && left.denied == ["dan"])
        #expect(left.participants?.map(\.participantID) == ["p-own", "p-ben", "p-eve"])
        withExtendedLifetime(cloud) {}
    }

    @Test("A conflict of a share brings shares")
    func conflict() async throws {
        let server = ShareJSON.record(tag: "9", permission: "READ_WRITE")
        let cloud = TestCloud(
            .json(#"{"records":[\#(ShareJSON.record())]}"#),
            .json(
                #"{"records":[{"recordName":"s","serverErrorCode":"CONFLICT","reason":"changed","serverRecord":\#(server)}]}"#
            ))
        let share = try #require(try await cloud.privateDatabase.record(for: shareID()) as? CKShare)
        share.publicPermission = .readOnly
        let error = await cloudError { try await cloud.privateDatabase.save(share) }
        #expect(error?.code == .serverRecordChanged)
        #expect((error?.serverRecord as? CKShare)?.publicPermission == .readWrite)
        #expect((error?.ancestorRecord as? CKShare)?.publicPermission == CKShare.ParticipantPermission.none)
        #expect((error?.clientRecord as? CKShare)?.publicPermission == .readOnly)
    }

    @Test("Shares of a divisible save are in one request with their root records, however many there are")
    func pairs() async throws {
        let roots = (0..<300).map { ShareJSON.root("root-\($0)") }
        let shares = roots.enumerated().map { CKShare(rootRecord: $1, shareID: shareID("share-\($0)")) }
        let others = (0..<3).map { ShareJSON.root("other-\($0)") }
        let plan = try ModifyPlan(
            saving: others + shares.shuffled() + roots.shuffled(), deleting: [],
            policy: .ifServerRecordUnchanged,
            isAtomic: false, in: TestCloud().privateDatabase)
        #expect(plan.batches.map(\.items.count) == [200, 200, 200, 3])
        for batch in plan.batches {
            let names = Set(batch.items.map(\.recordID.recordName))
            for name in names where name.hasPrefix("share-") {
                #expect(names.contains("root-" + name.dropFirst("share-".count)))
            }
        }
        let large = ShareJSON.root()
        large["text"] = String(repeating: "x", count: Limits.requestBodyBytes)
        let share = CKShare(rootRecord: large)
        for count in 0..<3 {
            let plan = try ModifyPlan(
                saving: [large, share] + others.prefix(count), deleting: [], policy: .allKeys,
                isAtomic: false,
                in: TestCloud().privateDatabase)
            #expect(plan.batches.first?.items.map(\.recordID) == [large.recordID, share.recordID])
        }
    }

    @Test(
        "The number of an error counts before the word of the wire",
        arguments: [
            (29, "BAD_REQUEST", CKError.Code.tooManyParticipants), (30, "EXISTS", .alreadyShared),
            (15, "BAD_REQUEST", .serverRejectedRequest), (12, "CONFLICT", .invalidArguments),
            (24, "BAD_REQUEST", .badDatabase), (33, "NOT_FOUND", .participantMayNeedVerification),
            (37, "EXISTS", .participantAlreadyInvited), (31, "BAD_REQUEST", .referenceViolation),
            (10, "NOT_FOUND", .permissionFailure), (987_654, "ACCESS_DENIED", .permissionFailure),
        ])
    func nativeCodes(_ number: Int, _ word: String, _ code: CKError.Code) async throws {
        let item = #"{"recordName":"s","serverErrorCode":"\#(word)","reason":"no","ckErrorCode":\#(number)}"#
        let ofItem = TestCloud(.json(#"{"records":[\#(item)]}"#))
        let share = CKShare(recordZoneID: zoneID)
        #expect(await cloudError { try await ofItem.privateDatabase.save(share) }?.code == code)
        let whole = TestCloud(.json(item, status: 400))
        #expect(await cloudError { try await whole.privateDatabase.save(share) }?.code == code)
    }
}
