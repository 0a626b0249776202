import CloudKit
import Foundation
import RecordWire
import Testing

@testable import StratusCloudKit

@Suite struct RetryTests {
    private static let throttled = ScriptedTransport.Answer.json(
        #"{"uuid":"u1","serverErrorCode":"THROTTLED","reason":"later","retryAfter":2}"#, status: 429)
    private static let lost = ScriptedTransport.Answer.failure(.connectionLost("It broke."))
    private let id = CKRecord.ID(recordName: "r1")
    private static let found = ScriptedTransport.Answer.json(#"{"records":["# + recordJSON("r1") + "]}")

    @Test("A request that is refused for now is sent again after the time that the service names")
    func throttled() async throws {
        let cloud = TestCloud(Self.throttled, Self.throttled, Self.found)
        _ = try await cloud.database.record(for: id)
        #expect(cloud.clock.waits == [2, 2])
        #expect(cloud.transport.requests.count == 3)
    }

    @Test("Attempts are bounded, and the last error says when to come again")
    func bounded() async {
        let cloud = TestCloud(ScriptedTransport(fallback: { _ in Self.throttled }))
        let error = await cloudError { _ = try await cloud.database.record(for: id) }
        #expect(error?.code == .requestRateLimited && error?.retryAfterSeconds == 2)
        #expect(error?.isRetryable == true && error?.requestUUID == "u1")
        #expect(cloud.transport.requests.count == 4)
    }

    @Test(
        "A long wait is the app's to plan, and no time named means that repeating does not help",
        arguments: [
            #"{"serverErrorCode":"THROTTLED","retryAfter":110207}"#,
            #"{"serverErrorCode":"TRY_AGAIN_LATER"}"#,
        ])
    func notSatOut(body: String) async {
        let cloud = TestCloud(.json(body, status: 503))
        _ = await cloudError { _ = try await cloud.database.record(for: id) }
        #expect(cloud.transport.requests.count == 1 && cloud.clock.waits.isEmpty)
    }

    @Test("A busy zone and a proxy's 503 are tried again with growing waits")
    func backoff() async throws {
        let cloud = TestCloud(
            .json(#"{"serverErrorCode":"ZONE_BUSY"}"#, status: 409), .json("<html>", status: 503),
            .json("", status: 503, headers: ["Retry-After": "3"]), Self.found)
        _ = try await cloud.database.record(for: id)
        #expect(cloud.clock.waits == [0.25, 0.5, 3])
    }

    @Test("Reads are repeated when their answer was lost")
    func lostRead() async throws {
        let cloud = TestCloud(Self.lost, .json("", status: 502), Self.found)
        _ = try await cloud.database.record(for: id)
        #expect(cloud.transport.requests.count == 3)
    }

    @Test("A write whose answer was lost is repeated with its key")
    func lostWrite() async throws {
        let cloud = TestCloud(Self.lost, .json("", status: 504), Self.found)
        try await cloud.database.save(CKRecord(recordType: "Player", recordID: id))
        let bodies = cloud.transport.requests.compactMap(\.body)
        #expect(bodies.count == 3 && Set(bodies).count == 1)
        let key = try JSONReader.read(bodies[0]).object?["idempotencyKey"]?.string
        #expect(key.flatMap(UUID.init(uuidString:)) != nil)

        let next = TestCloud(Self.found)
        try await next.database.save(CKRecord(recordType: "Player", recordID: id))
        #expect(next.transport.requests.first?.body.map { $0 == bodies[0] } == false)
    }

    @Test("A write that never got an answer may have been done, and the error says so")
    func lostForGood() async {
        for answer in [Self.lost, .failure(.timedOut("Too slow.")), .json("", status: 504)] {
            let cloud = TestCloud(ScriptedTransport(fallback: { _ in answer }))
            let error = await cloudError { try await cloud.database.save(CKRecord(recordType: "T")) }
            #expect(error?.code == .serverResponseLost)
            #expect(cloud.transport.requests.count == 4)
        }
    }

    @Test("A throttled create is repeated, since it was not done")
    func throttledCreate() async throws {
        let cloud = TestCloud(Self.throttled, Self.found)
        try await cloud.database.save(CKRecord(recordType: "Player", recordID: id))
        #expect(cloud.transport.requests.count == 2)
    }

    @Test("Nothing is sent again after the resource's time is over")
    func resourceTimeout() async {
        let cloud = TestCloud(ScriptedTransport(fallback: { _ in Self.throttled }))
        let configuration = CKOperation.Configuration()
        configuration.timeoutIntervalForResource = 3
        await cloud.database.configuredWith(configuration: configuration) { database in
            _ = await cloudError { _ = try await database.record(for: id) }
        }
        #expect(cloud.clock.waits == [2])
        #expect(cloud.transport.requests.map(\.timeout) == [3, 1])
    }

    @Test("Cancelling a task ends its request")
    func cancellation() async throws {
        let cloud = TestCloud(.never)
        let task = Task { await cloudError { _ = try await cloud.database.record(for: id) } }
        while cloud.transport.requests.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
        task.cancel()
        #expect(await task.value?.code == .operationCancelled)
    }
}

@Suite struct TokenTests {
    @Test("Tokens travel percent-encoded in the query, and an answer's token is used next")
    func tokens() async throws {
        let cloud = TestCloud(
            .json(#"{"records":[]}"#, headers: ["X-Apple-CloudKit-Web-Auth-Token": "next+1="]),
            .json(#"{"records":[]}"#))
        let query = CKQuery(recordType: "T", predicate: alwaysTrue)
        _ = try await cloud.database.records(matching: query)
        _ = try await cloud.privateDatabase.records(matching: query)
        #expect(
            cloud.transport.requests.map(\.pathAndQuery) == [
                "/database/1/iCloud.test/development/public/records/query?ckAPIToken=api&ckWebAuthToken=user%2Btoken%2F%3D",
                "/database/1/iCloud.test/development/private/records/query?ckAPIToken=api&ckWebAuthToken=next%2B1%3D",
            ])
        #expect(cloud.container.webAuthToken == "next+1=")
    }

    @Test("A late answer does not sign a user in again")
    func lateToken() {
        let store = TokenStore("ann")
        let late = TransportResponse(status: 200, headers: ["X-Apple-CloudKit-Web-Auth-Token": "ann2"])
        let (first, second) = (store.lease(), store.lease())
        store.adopt(from: late, for: first)
        #expect(store.current == "ann2")
        store.adopt(
            from: TransportResponse(status: 200, headers: ["x-apple-cloudkit-session": "ann3"]), for: second)
        #expect(store.current == "ann3")
        store.current = nil
        store.adopt(from: late, for: first)
        #expect(store.current == nil)
        let nobody = store.lease()
        store.adopt(from: late, for: nobody)
        #expect(store.current == nil)
        store.current = "bob"
        store.adopt(from: late, for: second)
        #expect(store.current == "bob")
    }

    @Test("Nobody is signed in without a token, and a refused one counts as none")
    func account() async throws {
        let cloud = TestCloud(
            .json(
                #"{"serverErrorCode":"AUTHENTICATION_REQUIRED","redirectURL":"https://x/sign-in"}"#,
                status: 421),
            .json(#"{"userRecordName":"_ann"}"#), .json(#"{"userRecordName":"_ann"}"#), webAuthToken: nil)
        #expect(try await cloud.container.accountStatus() == .noAccount)
        #expect(cloud.transport.requests.isEmpty)
        let error = await cloudError { _ = try await cloud.container.userRecordID() }
        #expect(error?.code == .notAuthenticated && error?.signInURL?.host == "x")
        cloud.container.webAuthToken = "t"
        #expect(try await cloud.container.accountStatus() == .available)
        #expect(try await cloud.container.userRecordID().recordName == "_ann")
        #expect(cloud.transport.requests.last?.path.hasSuffix("/public/users/caller") == true)
        #expect(cloud.transport.requests.last?.method == "GET")
    }
}

@Suite struct ErrorTests {
    @Test(
        "Every code of the wire has its native code",
        arguments: [
            ("ACCESS_DENIED", CKError.Code.permissionFailure), ("ATOMIC_ERROR", .batchRequestFailed),
            ("AUTHENTICATION_FAILED", .notAuthenticated), ("AUTHENTICATION_REQUIRED", .notAuthenticated),
            ("BAD_REQUEST", .invalidArguments), ("CONFLICT", .serverRecordChanged),
            ("EXISTS", .serverRecordChanged), ("INTERNAL_ERROR", .internalError), ("NOT_FOUND", .unknownItem),
            ("QUOTA_EXCEEDED", .quotaExceeded), ("THROTTLED", .requestRateLimited),
            ("TRY_AGAIN_LATER", .serviceUnavailable), ("VALIDATING_REFERENCE_ERROR", .referenceViolation),
            ("ZONE_BUSY", .zoneBusy), ("ZONE_NOT_FOUND", .zoneNotFound),
            ("UNIQUE_FIELD_ERROR", .constraintViolation), ("SOMETHING_NEW", .serverRejectedRequest),
        ])
    func mapping(wire: String, code: CKError.Code) async {
        let body =
            #"{"records":[{"recordName":"r1","serverErrorCode":"\#(wire)","reason":"because","remedy":"do this"}]}"#
        let cloud = TestCloud(.json(body))
        let error = await cloudError {
            _ = try await cloud.database.record(for: CKRecord.ID(recordName: "r1"))
        }
        #expect(error?.code == code)
        #expect(error?.localizedDescription == "because" && error?.recoverySuggestion == "do this")
    }

    @Test("What is too large or too many is no full account", arguments: ["QUOTA_EXCEEDED", "BAD_REQUEST"])
    func limits(wire: String) async {
        let body =
            #"{"records":[{"recordName":"r1","serverErrorCode":"\#(wire)","exceededLimit":"recordBytes"}]}"#
        let cloud = TestCloud(.json(body))
        let error = await cloudError {
            _ = try await cloud.database.record(for: CKRecord.ID(recordName: "r1"))
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test("Errors are NSErrors of CloudKit's domain, and catch patterns work")
    func bridging() async {
        let error: any Error = CKError(.unknownItem, userInfo: [CKErrorRetryAfterKey: 3.0])
        let bridged = error as NSError
        #expect(bridged.domain == CKErrorDomain && bridged.code == 11)
        #expect((bridged.userInfo[CKErrorRetryAfterKey] as? Double) == 3)
        #expect((error as? CKError)?.retryAfterSeconds == 3)
        #expect(CKError(_nsError: bridged).code == .unknownItem)
        do {
            throw error
        } catch CKError.unknownItem {
        } catch {
            Issue.record("The pattern does not match.")
        }
        #expect(CKError.Code.allCases.count == 37)
    }

    @Test(
        "The network's failures have codes of their own",
        arguments: [
            (TransportError.offline("x"), CKError.Code.networkUnavailable),
            (.unreachable("x"), .networkFailure),
            (.misconfigured("x"), .badContainer),
        ])
    func network(failure: TransportError, code: CKError.Code) async {
        let cloud = TestCloud(.failure(failure))
        let error = await cloudError { try await cloud.database.save(CKRecord(recordType: "T")) }
        #expect(error?.code == code)
        #expect(cloud.transport.requests.count == 1)
    }

    @Test(
        "Answers that are none of the protocol's are errors",
        arguments: [
            ("<html>", 200), ("[]", 200), (#"{"records":3}"#, 200), (#"{"records":[{}]}"#, 200), ("", 404),
            ("", 401),
        ])
    func garbage(body: String, status: Int) async {
        let cloud = TestCloud(.json(body, status: status))
        let error = await cloudError {
            _ = try await cloud.database.record(for: CKRecord.ID(recordName: "r1"))
        }
        #expect(error != nil)
        #expect(status != 401 || error?.code == .notAuthenticated)
    }

    @Test("A missing record in an answer is an error of that record")
    func shortAnswer() async throws {
        let cloud = TestCloud(.json(#"{"records":[]}"#))
        let id = CKRecord.ID(recordName: "r1")
        let results = try await cloud.database.records(for: [id, id])
        #expect(results.count == 1)
        #expect(throws: CKError.self) { try results[id]?.get() }
    }

    @Test("A real connection that nobody answers is a network failure")
    func refusedConnection() async {
        let container = CKContainer(
            identifier: "iCloud.test", configuration: .init(url: URL(string: "http://127.0.0.1:9")))
        let error = await cloudError {
            _ = try await container.publicCloudDatabase.record(for: CKRecord.ID(recordName: "r1"))
        }
        #expect(error?.code == .networkFailure)
    }
}
