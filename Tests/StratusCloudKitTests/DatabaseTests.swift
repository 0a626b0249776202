import CloudKit
import Foundation
import Testing

@testable import DocumentExamples
@testable import StratusCloudKit

@Suite struct DatabaseTests {
    private let query = CKQuery(recordType: "Player", predicate: alwaysTrue)

    @Test("The sequence fetches a page when the one before is used up")
    func sequence() async throws {
        let cloud = TestCloud(
            .json(pageJSON(["a", "b"], marker: "m1")), .json(pageJSON([], marker: "m2")),
            .json(pageJSON(["c"])))
        var names: [String] = []
        for try await record in cloud.database.recordSequence(matching: query, pageSize: 2) {
            names.append(record.recordID.recordName)
            if names.count == 2 { #expect(cloud.transport.requests.count == 1) }
        }
        #expect(names == ["a", "b", "c"])
        #expect(cloud.transport.requests.count == 3)
    }

    @Test("Counting fetches no record")
    func count() async throws {
        let cloud = TestCloud(.json(#"{"count":41}"#))
        #expect(try await cloud.database.count(matching: query) == 41)
        #expect(cloud.transport.requests[0].path.hasSuffix("/records/count"))
        #expect(cloud.transport.bodies == [#"{"query":{"recordType":"Player"}}"#])
    }

    @Test("perform gives all records, however many pages there are")
    func perform() async {
        let cloud = TestCloud(.json(pageJSON(["a"], marker: "m1")), .json(pageJSON(["b"])))
        let names = await withCheckedContinuation { continuation in
            cloud.database.perform(query, inZoneWith: nil) { results, error in
                continuation.resume(returning: results?.map(\.recordID.recordName))
            }
        }
        #expect(names == ["a", "b"])
    }

    @Test("Handlers get an error once, as a CloudKit error")
    func handlers() async {
        let cloud = TestCloud(.json(#"{"serverErrorCode":"ACCESS_DENIED"}"#, status: 403))
        let code = await withCheckedContinuation { continuation in
            cloud.database.save(CKRecord(recordType: "T")) { _, error in
                continuation.resume(returning: (error as? CKError)?.code)
            }
        }
        #expect(code == .permissionFailure)
    }

    @Test("Lookups are split by zone and by what one request takes")
    func lookups() async throws {
        let cloud = TestCloud(
            ScriptedTransport(fallback: { request in
                let text = String(decoding: request.body ?? [], as: UTF8.self)
                let names = text.matches(of: /"recordName":"([^"]+)"/).map { String($0.1) }
                return .json(#"{"records":["# + names.map { recordJSON($0) }.joined(separator: ",") + "]}")
            }))
        let zone = CKRecordZone.ID(zoneName: "Z")
        let ids =
            (0..<250).map { CKRecord.ID(recordName: "r\($0)") }
            + [CKRecord.ID(recordName: "x", zoneID: zone)]
        let results = try await cloud.privateDatabase.records(for: ids, desiredKeys: ["name"])
        #expect(results.count == 251)
        #expect(results.values.allSatisfy { (try? $0.get()) != nil })
        #expect(cloud.transport.requests.count == 3)
        #expect(
            cloud.transport.bodies[2]
                == #"{"records":[{"recordName":"x"}],"zoneID":{"zoneName":"Z"},"desiredKeys":["name"]}"#)
    }

    @Test("Records that an answer had no room for are asked for again")
    func fullAnswers() async throws {
        let cloud = TestCloud(
            ScriptedTransport(fallback: { request in
                let text = String(decoding: request.body ?? [], as: UTF8.self)
                let names = text.matches(of: /"recordName":"([^"]+)"/).map { String($0.1) }
                let items = names.enumerated().map { index, name in
                    index < 3
                        ? name == "r4"
                            ? #"{"recordName":"r4","serverErrorCode":"NOT_FOUND"}"# : recordJSON(name)
                        : #"{"recordName":"\#(name)","serverErrorCode":"TRY_AGAIN_LATER","retryAfter":1}"#
                }
                return .json(#"{"records":["# + items.joined(separator: ",") + "]}")
            }))
        let ids = (0..<8).map { CKRecord.ID(recordName: "r\($0)") }
        let results = try await cloud.privateDatabase.records(for: ids)
        #expect(results.count == 8)
        for id in ids { #expect(((try? results[id]?.get()) != nil) == (id.recordName != "r4")) }
        #expect(cloud.transport.requests.count == 3)
    }

    @Test("A service that has no room even for the first record does not make a fetch go on for ever")
    func noRoomAtAll() async throws {
        let cloud = TestCloud(
            .json(#"{"records":[{"recordName":"a","serverErrorCode":"TRY_AGAIN_LATER"}]}"#))
        let id = CKRecord.ID(recordName: "a")
        let results = try await cloud.privateDatabase.records(for: [id])
        #expect(throws: CKError.self) { try results[id]?.get() }
        #expect(cloud.transport.requests.count == 1)
    }

    @Test("Fetching records reports each, then the end, with the failures as one error")
    func fetchOperation() async {
        let cloud = TestCloud(
            .json(#"{"records":[\#(recordJSON("a")),{"recordName":"b","serverErrorCode":"NOT_FOUND"}]}"#))
        let operation = CKFetchRecordsOperation(
            recordIDs: ["a", "b"].map { CKRecord.ID(recordName: $0) })
        let log = EventLog()
        operation.perRecordCompletionBlock = { record, id, error in
            log.note("\(id?.recordName ?? "-") \(record != nil) \(error != nil)")
        }
        operation.fetchRecordsResultBlock = { log.note("result \((try? $0.get()) != nil)") }
        operation.fetchRecordsCompletionBlock = { records, error in
            log.note("end \(records?.count ?? 0) \((error as? CKError)?.code.rawValue ?? 0)")
        }
        await run(operation, in: cloud.database)
        #expect(log.events == ["a true false", "b false true", "result true", "end 1 2"])
    }

    @Test("The current user's record is asked for by the user's name")
    func currentUser() async {
        let cloud = TestCloud(
            .json(#"{"userRecordName":"_ann"}"#),
            .json(#"{"records":["# + recordJSON("_ann", type: "Users") + "]}"))
        let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
        var type: String?
        operation.perRecordResultBlock = { type = try? $1.get().recordType }
        await run(operation, in: cloud.privateDatabase)
        #expect(type == "Users")
        #expect(cloud.transport.requests[0].path.hasSuffix("/public/users/caller"))
    }

    @Test("The documents' code: players page by page")
    func playersDocument() async {
        let names = (0..<20).map { String(format: "p%02d", $0) }
        let cloud = TestCloud(
            .json(
                #"{"records":["#
                    + names[..<15].map {
                        recordJSON($0, fields: #""name":{"value":"\#($0)","type":"STRING"}"#)
                    }
                    .joined(separator: ",") + #"],"continuationMarker":"m1"}"#),
            .json(
                #"{"records":["#
                    + names[15...].map {
                        recordJSON($0, fields: #""name":{"value":"\#($0)","type":"STRING"}"#)
                    }
                    .joined(separator: ",") + "]}"))
        let loader = PlayersLoader(database: cloud.database)
        while loader.hasMore {
            let error = await withCheckedContinuation { continuation in
                loader.loadNextPage { continuation.resume(returning: $0 as? CKError) }
            }
            #expect(error == nil)
        }
        #expect(loader.players.map(\.name) == names)
        #expect(
            cloud.transport.bodies[0]
                == #"{"query":{"recordType":"Player","sortBy":[{"fieldName":"name","ascending":true}]},"resultsLimit":15}"#
        )
    }

    @Test("The documents' code: a like is counted on from what somebody else saved")
    func likeDocument() async throws {
        func likes(_ count: Int, tag: String) -> String {
            recordJSON("p1", tag: tag, fields: #""likes":{"value":\#(count),"type":"INT64"}"#)
        }
        let cloud = TestCloud(
            .json(#"{"records":[\#(likes(1, tag: "1"))]}"#),
            .json(
                #"{"records":[{"recordName":"p1","serverErrorCode":"CONFLICT","serverRecord":\#(likes(5, tag: "4"))}]}"#
            ),
            .json(#"{"records":[\#(likes(6, tag: "5"))]}"#))
        #expect(try await like(CKRecord.ID(recordName: "p1"), in: cloud.database) == 6)
        #expect(cloud.transport.bodies[2].contains(#""recordChangeTag":"4""#))
    }
}
