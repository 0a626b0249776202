import CloudKit
import Foundation
import RecordModel
import RecordWire
import Testing

@testable import StratusCloudKit

/// Looking at shares by their links, accepting them, asking for access, and participants by address.
@Suite struct ShareLinkOperationTests {
    private let url = URL(fileURLWithPath: "/share/\(ShareJSON.token)")
    private let missing =
        #"{"shortGUID":{"value":"x"},"serverErrorCode":"NOT_FOUND","reason":"Share not found","uuid":"u"}"#

    private func run(_ operation: CKOperation, in container: CKContainer) async {
        await withCheckedContinuation { continuation in
            operation.completionBlock = { continuation.resume() }
            container.add(operation)
        }
    }

    private func body(_ cloud: TestCloud) -> String? { cloud.transport.bodies.last }

    @Test("The metadata of a share says who shares what with whom, and where it will be")
    func metadata() async throws {
        let cloud = TestCloud(.json(#"{"results":[\#(ShareJSON.result())]}"#))
        let link = try #require(URL(string: "https://other.example/share/\(ShareJSON.token)#Groceries"))
        let metadata = try await cloud.container.shareMetadata(for: link)
        #expect(
            cloud.transport.requests.last?.path
                == "/database/1/iCloud.test/development/public/records/resolve")
        #expect(
            body(cloud) == #"{"shortGUIDs":[{"value":"\#(ShareJSON.token)","shouldFetchRootRecord":false}]}"#)
        let zoneID = CKRecordZone.ID(zoneName: "Lists", ownerName: "_ann")
        #expect(metadata.containerIdentifier == "iCloud.test" && metadata.rootRecord == nil)
        #expect(metadata.hierarchicalRootRecordID == CKRecord.ID(recordName: "groceries", zoneID: zoneID))
        #expect(metadata.share.recordID == CKRecord.ID(recordName: "s", zoneID: zoneID))
        #expect(metadata.share[CKShare.SystemFieldKey.title] as? String == "Groceries for two")
        #expect(metadata.ownerIdentity.nameComponents?.givenName == "Ann")
        #expect(metadata.participantRole == .privateUser && metadata.participantStatus == .pending)
        #expect(metadata.participantPermission == .readOnly)
        #expect(
            metadata.share.currentUserParticipant?.userIdentity.lookupInfo?.emailAddress == "ben@example.org")
    }

    @Test("The owner finds a share in the private database; a share of a zone has no root record")
    func owner() async throws {
        let share = ShareJSON.record("cloudkit.zoneshare", participants: [ShareJSON.owner], root: nil)
        let cloud = TestCloud(
            .json(
                #"{"results":[\#(ShareJSON.result(share: share, scope: "PRIVATE", status: "ACCEPTED", root: nil))]}"#
            ))
        let metadata = try await cloud.container.shareMetadata(for: url)
        #expect(metadata.share.recordID.zoneID == CKRecordZone.ID(zoneName: "Lists"))
        #expect(metadata.hierarchicalRootRecordID == nil && metadata.participantStatus == .accepted)
        #expect((metadata as any OlderMetadata).root == metadata.share.recordID)
    }

    @Test("An operation fetches root records, and says of each link what is wrong")
    func metadataOperation() async throws {
        let root =
            String(recordJSON("groceries", type: "List").dropLast()) + #","shortGUID":"\#(ShareJSON.token)"}"#
        let verification =
            String(missing.dropLast())
            + #","potentialMatchList":[{"participantId":"p","contactInformation":{"emailAddress":"b•••@example.com"}}]}"#
        let signIn =
            #"{"shortGUID":{"value":"x"},"requireAppleLogin":true,"serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"who?"}"#
        let results = [ShareJSON.result(extra: #","rootRecord":\#(root)"#), missing, verification, signIn]
        let cloud = TestCloud(.json(#"{"results":[\#(results.joined(separator: ","))]}"#))
        let links = [url] + ["/a", "/b", "/c"].map { URL(fileURLWithPath: $0) }
        let operation = CKFetchShareMetadataOperation(shareURLs: links)
        operation.shouldFetchRootRecord = true
        operation.rootRecordDesiredKeys = ["title"]
        let log = EventLog()
        operation.perShareMetadataResultBlock = { link, result in
            switch result {
            case .success(let metadata):
                log.note("\(link.path) \(metadata.rootRecord?.recordID.recordName ?? "")")
            case .failure(let error): log.note("\(link.path) \((error as? CKError)?.code.rawValue ?? 0)")
            }
        }
        operation.fetchShareMetadataResultBlock = { if case .success = $0 { log.note("done") } }
        operation.fetchShareMetadataCompletionBlock = { error in
            let keys = (error as? CKError)?.partialErrorsByItemID?.keys.compactMap { $0.base as? URL } ?? []
            log.note("failed \(keys.map(\.path).sorted())")
        }
        await run(operation, in: cloud.container)
        #expect(
            log.events == [
                "\(url.path) groceries", "/a 11", "/b 33", "/c 9", "done", #"failed ["/a", "/b", "/c"]"#,
            ])
        #expect(
            body(cloud)?.hasPrefix(
                #"{"shortGUIDs":[{"value":"\#(ShareJSON.token)","shouldFetchRootRecord":true,"rootRecordDesiredKeys":["title"]}"#
            )
                == true)
    }

    @Test("A share is accepted by its link, in its own container only")
    func accept() async throws {
        let resolved = #"{"results":[\#(ShareJSON.result())]}"#
        let accepted = #"{"results":[\#(ShareJSON.result(status: "ACCEPTED"))]}"#
        let cloud = TestCloud(.json(resolved), .json(accepted), .json(accepted))
        let metadata = try await cloud.container.shareMetadata(for: url)
        let share: CKShare = try await cloud.container.accept(metadata)
        #expect(cloud.transport.requests.last?.path.hasSuffix("public/records/accept") == true)
        #expect(body(cloud) == #"{"shortGUIDs":[{"value":"\#(ShareJSON.token)"}]}"#)
        #expect(share.recordID.zoneID.ownerName == "_ann" && share.publicPermission == .none)
        let foreign = CKShareMetadata(
            containerIdentifier: "iCloud.other", link: "x", share: share, rootRecordID: nil, role: .unknown,
            status: .unknown,
            permission: .unknown)
        let operation = CKAcceptSharesOperation(shareMetadatas: [foreign, metadata])
        let log = EventLog()
        operation.perShareResultBlock = { metadata, result in
            log.note("\(metadata.containerIdentifier) \((try? result.get()) != nil)")
        }
        operation.perShareCompletionBlock = {
            log.note("\($1 != nil) \(($2 as? CKError)?.code == .invalidArguments)")
        }
        operation.acceptSharesResultBlock = { if case .success = $0 { log.note("done") } }
        operation.acceptSharesCompletionBlock = { log.note("\(($0 as? CKError)?.code == .partialFailure)") }
        await run(operation, in: cloud.container)
        #expect(
            log.events == [
                "iCloud.other false", "false true", "iCloud.test true", "true false", "done", "true",
            ])
    }

    @Test("A one-time address is accepted by itself, also after an archive, and not by the share's own")
    func acceptOneTime() async throws {
        let once = "0Zz3-_cdefghijklmnopqrstu"
        let result = ShareJSON.result().replacing(
            #""shortGUID":{"value":"\#(ShareJSON.token)""#, with: #""shortGUID":{"value":"\#(once)""#)
        let done = result.replacing(
            #""participantStatus":"INVITED""#, with: #""participantStatus":"ACCEPTED""#)
        let cloud = TestCloud(.json(#"{"results":[\#(result)]}"#), .json(#"{"results":[\#(done)]}"#))
        let metadata = try await cloud.container.shareMetadata(
            for: URL(fileURLWithPath: "/share/\(once)"))
        let kept = try #require(try archived(metadata))
        _ = try await cloud.container.accept(kept) as CKShare
        #expect(body(cloud) == #"{"shortGUIDs":[{"value":"\#(once)"}]}"#)
    }

    @Test("A request that fails as a whole fails the operation, and a handler gets its error")
    func wholeFailures() async throws {
        let refused = ScriptedTransport.Answer.json(
            #"{"serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"who?"}"#, status: 421)
        let cloud = TestCloud(ScriptedTransport(fallback: { _ in refused }))
        let log = EventLog()
        let look = CKFetchShareMetadataOperation(shareURLs: [url])
        look.fetchShareMetadataResultBlock = { if case .failure = $0 { log.note("metadata") } }
        let ask = CKShareRequestAccessOperation(shareURLs: [url])
        ask.shareRequestAccessResultBlock = { if case .failure = $0 { log.note("access") } }
        let find = CKFetchShareParticipantsOperation(userIdentityLookupInfos: [.init(emailAddress: "a@b")])
        find.fetchShareParticipantsResultBlock = { if case .failure = $0 { log.note("participants") } }
        for operation in [look, ask, find] { await run(operation, in: cloud.container) }
        #expect(log.events == ["metadata", "access", "participants"])
        let error = await withCheckedContinuation { continuation in
            cloud.container.fetchShareMetadata(with: url) { continuation.resume(returning: $1) }
        }
        #expect((error as? CKError)?.code == .notAuthenticated)
    }

    @Test("Asking for access succeeds whatever the link leads to, and tells who is invited already")
    func requestAccess() async throws {
        let invited =
            #"{"shortGUID":{"value":"x"},"serverErrorCode":"EXISTS","reason":"invited","ckErrorCode":37}"#
        let cloud = TestCloud(.json(#"{"results":[{"shortGUID":{"value":"1"}},\#(invited)]}"#))
        let other = URL(fileURLWithPath: "/share/2")
        let results = try await cloud.container.requestShareAccess(for: [url, other])
        #expect(throws: Never.self) { try results[url]?.get() }
        #expect(throws: CKError.self) { try results[other]?.get() }
        #expect(cloud.transport.requests.last?.path.hasSuffix("public/records/requestAccess") == true)
    }

    @Test("Links are asked for in requests that the service takes")
    func manyLinks() async throws {
        let missing = missing
        let transport = ScriptedTransport(fallback: { request in
            let count = (try? JSONReader.read(request.body ?? []).object?.objects("shortGUIDs").count) ?? 0
            return .json(#"{"results":[\#(Array(repeating: missing, count: count).joined(separator: ","))]}"#)
        })
        let cloud = TestCloud(transport)
        let links = (0..<(Limits.itemsPerRequest + 1)).map { URL(fileURLWithPath: "/share/\($0)") }
        let results = try await cloud.container.shareMetadatas(for: links)
        #expect(results.count == links.count && transport.requests.count == 2)
    }

    @Test("Everybody can be invited: those who are known, and those who are not")
    func participants() async throws {
        let found =
            #"{"users":[{"userRecordName":"_ben","nameComponents":{"givenName":"Ben"},"lookupInfo":{"emailAddress":"ben@example.org"}}]}"#
        let cloud = TestCloud(.json(found))
        let emails = ["ben@example.org", "nobody@example.org", "ben@example.org"]
        let results = try await cloud.container.shareParticipants(forEmailAddresses: emails)
        let ben = try #require(try results["ben@example.org"]?.get())
        #expect(ben.userIdentity.hasiCloudAccount && ben.userIdentity.nameComponents?.givenName == "Ben")
        #expect(ben.role == .privateUser && ben.permission == .readOnly && ben.acceptanceStatus == .unknown)
        let nobody = try #require(try results["nobody@example.org"]?.get())
        #expect(!nobody.userIdentity.hasiCloudAccount && nobody.userIdentity.userRecordID == nil)
        #expect(nobody.userIdentity.lookupInfo?.emailAddress == "nobody@example.org")
        // An app that may not look for people can invite them.
        let refusing = TestCloud(
            .json(#"{"serverErrorCode":"ACCESS_DENIED","reason":"not for this app"}"#, status: 403))
        let record = CKRecord.ID(recordName: "_cleo")
        let cleo = try await refusing.container.shareParticipant(forUserRecordID: record)
        #expect(cleo.userIdentity.userRecordID == record && !cleo.userIdentity.hasiCloudAccount)
    }

    @Test("Without anybody to look up an operation ends at once")
    func nobody() async {
        let cloud = TestCloud()
        let log = EventLog()
        let operation = CKFetchShareParticipantsOperation()
        operation.shareParticipantFetchedBlock = { _ in log.note("somebody") }
        operation.fetchShareParticipantsCompletionBlock = { log.note("done \($0 == nil)") }
        await run(operation, in: cloud.container)
        #expect(log.events == ["done true"] && cloud.transport.requests.isEmpty)
    }
}

/// Through a protocol, since the property is deprecated.
private protocol OlderMetadata { var root: CKRecord.ID { get } }

extension CKShareMetadata: OlderMetadata {
    @available(*, deprecated, message: "As what it reads.")
    var root: CKRecord.ID { rootRecordID }
}
