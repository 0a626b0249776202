import CloudKit
import Foundation
import RecordModel
import RecordWire
import Testing

@testable import StratusCloudKit

@Suite struct ModifyRecordsTests {
    /// Fetches a record of version `tag` with `likes` 1 and `city` "Graz".
    private func fetched(_ cloud: TestCloud, from database: CKDatabase) async throws -> CKRecord {
        try await database.record(for: CKRecord.ID(recordName: "r1"))
    }

    private static let lookupAnswer = ScriptedTransport.Answer.json(
        #"{"records":["#
            + recordJSON(
                "r1", tag: "7",
                fields: #""likes":{"value":1,"type":"INT64"},"city":{"value":"Graz","type":"STRING"}"#) + "]}"
    )

    private func savedAnswer(_ tag: String) -> ScriptedTransport.Answer {
        .json(#"{"records":["# + recordJSON("r1", tag: tag) + "]}")
    }

    @Test("A new record is created with all its fields and carries its version afterwards")
    func create() async throws {
        let cloud = TestCloud(savedAnswer("1"))
        let record = CKRecord(recordType: "Player", recordID: CKRecord.ID(recordName: "r1"))
        record["name"] = "Ann"
        let saved = try await cloud.database.save(record)
        #expect(
            cloud.transport.bodies == [
                #"{"operations":[{"operationType":"create","record":{"recordName":"r1","recordType":"Player","#
                    + #""fields":{"name":{"value":"Ann","type":"STRING"}}}}],"atomic":false}"#
            ])
        #expect(saved === record && record.recordChangeTag == "1")
        #expect(record.changedKeys().isEmpty && record["name"] as? String == "Ann")
        #expect(record.creationDate == Date(timeIntervalSince1970: 1_700_000_000))
    }

    @Test(
        "The save policies as operations of the wire",
        arguments: [
            (
                CKModifyRecordsOperation.RecordSavePolicy.ifServerRecordUnchanged,
                #""operationType":"update","record":{"recordName":"r1","recordType":"Player","recordChangeTag":"7","#
                    + #""fields":{"likes":{"value":2,"type":"INT64"},"city":{"value":null}}}"#
            ),
            (
                .changedKeys,
                #""operationType":"forceUpdate","record":{"recordName":"r1","recordType":"Player","#
                    + #""fields":{"likes":{"value":2,"type":"INT64"},"city":{"value":null}}}"#
            ),
            (
                .allKeys,
                #""operationType":"forceUpdate","record":{"recordName":"r1","recordType":"Player","#
                    + #""fields":{"likes":{"value":2,"type":"INT64"},"name":{"value":"Ann","type":"STRING"},"#
                    + #""city":{"value":null}}}"#
            ),
        ])
    func policies(policy: CKModifyRecordsOperation.RecordSavePolicy, operation: String) async throws {
        let answer = ScriptedTransport.Answer.json(
            #"{"records":["#
                + recordJSON(
                    "r1", tag: "7",
                    fields: #""likes":{"value":1,"type":"INT64"},"city":{"value":"Graz","type":"STRING"},"#
                        + #""name":{"value":"Ann","type":"STRING"}"#) + "]}")
        let cloud = TestCloud(answer, savedAnswer("8"))
        let record = try await fetched(cloud, from: cloud.database)
        record["likes"] = 2
        record["city"] = nil
        _ = try await cloud.database.modifyRecords(saving: [record], deleting: [], savePolicy: policy)
        #expect(cloud.transport.bodies[1] == #"{"operations":[{\#(operation)}],"atomic":false}"#)
        #expect(record.recordChangeTag == "8" && record.changedKeys().isEmpty)
    }

    @Test("Deleting looks at no version")
    func delete() async throws {
        let cloud = TestCloud(.json(#"{"records":[{"recordName":"r1","deleted":true}]}"#))
        let id = CKRecord.ID(recordName: "r1")
        #expect(try await cloud.database.deleteRecord(withID: id) == id)
        #expect(
            cloud.transport.bodies == [
                #"{"operations":[{"operationType":"forceDelete","record":{"recordName":"r1"}}],"atomic":false}"#
            ])
    }

    @Test("A conflict brings the three versions of the record")
    func conflict() async throws {
        let server = recordJSON("r1", tag: "9", fields: #""likes":{"value":5,"type":"INT64"}"#)
        let cloud = TestCloud(
            Self.lookupAnswer,
            .json(
                #"{"records":[{"recordName":"r1","serverErrorCode":"CONFLICT","reason":"newer","serverRecord":\#(server)}]}"#
            ))
        let record = try await fetched(cloud, from: cloud.database)
        record["likes"] = 2
        let error = try #require(await cloudError { try await cloud.database.save(record) })
        #expect(error.code == .serverRecordChanged)
        #expect(error.serverRecord?["likes"] as? Int == 5 && error.serverRecord?.recordChangeTag == "9")
        #expect(error.clientRecord?["likes"] as? Int == 2)
        #expect(error.ancestorRecord?["likes"] as? Int == 1 && error.ancestorRecord?.recordChangeTag == "7")
        #expect(record.changedKeys() == ["likes"])
    }

    @Test("Blocks for records come first; failures of records end the older form in partialFailure")
    func blocks() async throws {
        let cloud = TestCloud(
            .json(
                #"{"records":[\#(recordJSON("a")),{"recordName":"b","serverErrorCode":"ACCESS_DENIED","reason":"no"},"#
                    + #"{"recordName":"c","deleted":true}]}"#))
        let records = ["a", "b"].map {
            CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: $0))
        }
        let operation = CKModifyRecordsOperation(
            recordsToSave: records, recordIDsToDelete: [CKRecord.ID(recordName: "c")])
        let log = EventLog()
        operation.perRecordProgressBlock = { log.note("progress \($0.recordID.recordName) \($1)") }
        operation.perRecordSaveBlock = { id, result in
            log.note("save \(id.recordName) \((try? result.get()) != nil)")
        }
        operation.perRecordCompletionBlock = { record, error in
            log.note("completion \(record.recordID.recordName) \((error as? CKError)?.code.rawValue ?? 0)")
        }
        operation.perRecordDeleteBlock = { id, _ in log.note("delete \(id.recordName)") }
        operation.modifyRecordsResultBlock = { result in
            log.note("result \((try? result.get()) != nil)")
        }
        var partial: CKError?
        operation.modifyRecordsCompletionBlock = { saved, deleted, error in
            log.note("end \(saved?.count ?? 0) \(deleted?.count ?? 0)")
            partial = error as? CKError
        }
        await run(operation, in: cloud.database)
        #expect(
            log.events == [
                "progress a 1.0", "save a true", "completion a 0", "save b false", "completion b 10",
                "delete c", "result true", "end 1 1",
            ])
        #expect(partial?.code == .partialFailure)
        let culprits = partial?.partialErrorsByItemID ?? [:]
        #expect(culprits.count == 1)
        #expect((culprits[CKRecord.ID(recordName: "b")] as? CKError)?.code == .permissionFailure)
    }

    @Test("More records than a request takes are split; the parts' results are joined")
    func splitting() async throws {
        let cloud = TestCloud(
            ScriptedTransport(fallback: { request in
                let text = String(decoding: request.body ?? [], as: UTF8.self)
                let names = text.matches(of: /"recordName":"(r[0-9]+)"/).map { String($0.1) }
                return .json(#"{"records":["# + names.map { recordJSON($0) }.joined(separator: ",") + "]}")
            }))
        let records = (0..<450).map { CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "r\($0)")) }
        let results = try await cloud.database.modifyRecords(saving: records, deleting: [])
        #expect(results.saveResults.count == 450)
        #expect(results.saveResults.values.allSatisfy { (try? $0.get()) != nil })
        #expect(cloud.transport.requests.count == 3)
    }

    @Test("Requests are split by zone, since a request names one")
    func zones() async throws {
        let cloud = TestCloud(
            .json(#"{"records":["# + recordJSON("a") + "]}"),
            .json(#"{"serverErrorCode":"ZONE_NOT_FOUND","reason":"no zone"}"#, status: 404),
            .json(#"{"records":["# + recordJSON("c") + "]}"))
        let ids = ["", "Y", "Z"].enumerated().map { index, zone in
            CKRecord.ID(
                recordName: ["a", "b", "c"][index],
                zoneID: zone.isEmpty ? .default : CKRecordZone.ID(zoneName: zone))
        }
        let records = ids.map { CKRecord(recordType: "T", recordID: $0) }
        let error = await cloudError {
            _ = try await cloud.privateDatabase.modifyRecords(saving: records, deleting: [])
        }
        let errors = error?.partialErrorsByItemID ?? [:]
        #expect(ids.map { (errors[$0] as? CKError)?.code } == [nil, .zoneNotFound, nil])
        #expect(cloud.transport.bodies[1].hasSuffix(#""zoneID":{"zoneName":"Y"},"atomic":true}"#))
        #expect(!cloud.transport.bodies[0].contains("zoneID"))
    }

    @Test("An atomic batch that is too large is refused before anything is sent")
    func atomicLimit() async {
        let cloud = TestCloud()
        let zone = CKRecordZone.ID(zoneName: "Z")
        let records = (0...Limits.operationsPerRequest).map {
            CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "r\($0)", zoneID: zone))
        }
        let error = await cloudError {
            _ = try await cloud.privateDatabase.modifyRecords(saving: records, deleting: [])
        }
        #expect(error?.code == .limitExceeded)
        #expect(cloud.transport.requests.isEmpty)
    }

    @Test("Bytes beyond one request split a batch, too")
    func splitsByBytes() throws {
        let records = (0..<20).map { index in
            let record = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "r\(index)"))
            record["text"] = String(repeating: "x", count: 1_000_000)
            return record
        }
        let plan = try ModifyPlan(
            saving: records, deleting: [], policy: .ifServerRecordUnchanged, isAtomic: true,
            in: TestCloud().database)
        #expect(plan.batches.map(\.items.count) == [10, 10])
        #expect(plan.batches.allSatisfy { $0.body.count < 16_777_216 })
    }

    @Test("Values that no field can hold fail their record with a sentence, and send nothing")
    func refusedValues() async throws {
        let cloud = TestCloud(.json(#"{"records":["# + recordJSON("good") + "]}"))
        let good = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "good"))
        let photo = CKRecord(recordType: "T")
        photo["image"] = CKAsset(fileURL: URL(fileURLWithPath: "/tmp/x.jpg"))
        #expect((photo["image"] as? CKAsset)?.fileURL?.path == "/tmp/x.jpg")
        // A file beside a value that cannot be saved is not looked at.
        photo.setValue(URL(string: "x"), forKey: "url")
        let results = try await cloud.database.modifyRecords(saving: [good, photo], deleting: [])
        #expect((try? results.saveResults[good.recordID]?.get()) != nil)
        let error = await cloudError { try await cloud.database.save(photo) }
        #expect(error?.code == .invalidArguments)
        #expect(error?.localizedDescription.contains("which is not a record value") == true)
        #expect(error?.localizedDescription.contains("'url'") == true)
        #expect(cloud.transport.requests.count == 1)
    }

    @Test("In an atomic batch the other records of a refused one fail with it")
    func atomicRefusal() async throws {
        let cloud = TestCloud()
        let zone = CKRecordZone.ID(zoneName: "Z")
        let good = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "good", zoneID: zone))
        let bad = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "bad", zoneID: zone))
        bad.setValue(URL(string: "x"), forKey: "url")
        let error = await cloudError {
            _ = try await cloud.privateDatabase.modifyRecords(saving: [good, bad], deleting: [])
        }
        let errors = error?.partialErrorsByItemID ?? [:]
        #expect((errors[good.recordID] as? CKError)?.code == .batchRequestFailed)
        #expect((errors[bad.recordID] as? CKError)?.code == .invalidArguments)
        #expect(cloud.transport.requests.isEmpty)
    }

    @Test("An atomic batch that fails is thrown; what is not atomic, and one record, report their own errors")
    func atomicFailures() async throws {
        let refused = ScriptedTransport.Answer.json(
            #"{"records":[{"recordName":"a","serverErrorCode":"ATOMIC_ERROR","reason":"b"},"#
                + #"{"recordName":"b","serverErrorCode":"ACCESS_DENIED","reason":"no"}]}"#)
        let denied = ScriptedTransport.Answer.json(
            #"{"records":[{"recordName":"b","serverErrorCode":"ACCESS_DENIED","reason":"no"}]}"#)
        let cloud = TestCloud(refused, refused, refused, refused, denied, denied)
        let database = cloud.privateDatabase
        let records = ["a", "b"].map { name in
            CKRecord(
                recordType: "T",
                recordID: CKRecord.ID(recordName: name, zoneID: CKRecordZone.ID(zoneName: "Z")))
        }
        let ids = records.map(\.recordID)
        func codes(_ error: CKError?) -> [CKError.Code?] {
            ids.map { (error?.partialErrorsByItemID?[$0] as? CKError)?.code }
        }
        // Saves, deletes, and the operation.
        let saving = await cloudError { _ = try await database.modifyRecords(saving: records, deleting: []) }
        #expect(saving?.code == .partialFailure)
        #expect(codes(saving) == [.batchRequestFailed, .permissionFailure])
        let deleting = await cloudError { _ = try await database.modifyRecords(saving: [], deleting: ids) }
        #expect(codes(deleting) == [.batchRequestFailed, .permissionFailure])
        let operation = CKModifyRecordsOperation(recordsToSave: records)
        let log = EventLog()
        operation.perRecordSaveBlock = { log.note("\($0.recordName) \((try? $1.get()) != nil)") }
        operation.modifyRecordsResultBlock = { result in
            if case .failure(let error as CKError) = result { log.note("\(error.code == .partialFailure)") }
        }
        await run(operation, in: database)
        #expect(log.events == ["a false", "b false", "true"])
        // Not atomic: nothing is thrown.
        let results = try await database.modifyRecords(saving: records, deleting: [], atomically: false)
        #expect(results.saveResults.count == 2)
        #expect(results.saveResults.values.allSatisfy { (try? $0.get()) == nil })
        // One record.
        #expect(await cloudError { try await database.save(records[1]) }?.code == .permissionFailure)
        #expect(
            await cloudError { try await database.deleteRecord(withID: ids[1]) }?.code == .permissionFailure)
    }

    @Test("A record named twice is refused")
    func duplicates() async {
        let cloud = TestCloud()
        let record = CKRecord(recordType: "T")
        let error = await cloudError {
            _ = try await cloud.database.modifyRecords(saving: [record], deleting: [record.recordID])
        }
        #expect(error?.code == .invalidArguments)
    }

    @Test("What is set while a save is on its way stays changed")
    func changesDuringSave() throws {
        let record = CKRecord(recordType: "Player", recordID: CKRecord.ID(recordName: "r1"))
        record["a"] = 1
        record["b"] = 1
        let plan = try ModifyPlan(
            saving: [record], deleting: [], policy: .ifServerRecordUnchanged, isAtomic: true,
            in: TestCloud().database)
        record["b"] = 2
        guard case .save(_, let sent)? = plan.batches.first?.items.first else {
            Issue.record("The plan has no batch.")
            return
        }
        let json = try #require(try JSONReader.read(Array(recordJSON("r1").utf8)).object)
        record.adoptSaved(try RecordDictionary(json: json), sent: sent, in: TestCloud().database)
        #expect(record.changedKeys() == ["b"])
        #expect(record.ancestor?["b"] as? Int == 1)
    }
}
