import CloudKit
import Foundation
import Testing

@testable import StratusCloudKit

/// What others shared with the user: zones are named with their owners.
@Suite struct SharedDatabaseTests {
    private let lists = CKRecordZone.ID(zoneName: "Lists", ownerName: "_ann")

    private func shared(_ answers: ScriptedTransport.Answer...) -> (TestCloud, CKDatabase) {
        let cloud = TestCloud(ScriptedTransport(answers))
        return (cloud, cloud.container.sharedCloudDatabase)
    }

    @Test("Zones of two owners with one name are two zones, with their shares")
    func zones() async throws {
        func zone(_ owner: String, _ share: String) -> String {
            let id = #"{"zoneName":"Lists","ownerRecordName":"\#(owner)"}"#
            return #"{"zoneID":\#(id),"syncToken":"t","atomic":true\#(share)}"#
        }
        let share =
            #","share":{"recordName":"cloudkit.zoneshare","zoneID":{"zoneName":"Lists","ownerRecordName":"_bob"}}"#
        let (_, database) = shared(.json(#"{"zones":[\#(zone("_ann", "")),\#(zone("_bob", share))]}"#))
        let zones = try await database.allRecordZones()
        #expect(zones.map(\.zoneID.ownerName) == ["_ann", "_bob"] && zones[0].share == nil)
        let id = CKRecordZone.ID(zoneName: "Lists", ownerName: "_bob")
        #expect(zones[1].share?.recordID == CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: id))
        #expect(try archived(zones[1])?.share == zones[1].share)
        #expect((zones[1].copy() as? CKRecordZone)?.share == zones[1].share)
        #expect(zones[0].capabilities == [.fetchChanges, .atomic])
    }

    @Test("Requests name the owner of a zone, and answers are of that owner")
    func owners() async throws {
        let record =
            String(recordJSON("a", type: "Item").dropLast()) + #","parent":{"recordName":"groceries"}}"#
        let (cloud, database) = shared(.json(#"{"records":[\#(record)]}"#))
        let item = CKRecord(recordType: "Item", recordID: CKRecord.ID(recordName: "a", zoneID: lists))
        item.setParent(CKRecord.ID(recordName: "groceries", zoneID: lists))
        try await database.save(item)
        #expect(
            cloud.transport.requests.last?.path == "/database/1/iCloud.test/development/shared/records/modify"
        )
        #expect(
            cloud.transport.bodies.last
                == #"{"operations":[{"operationType":"create","record":{"recordName":"a","recordType":"Item","#
                + #""parent":{"recordName":"groceries"}}}],"zoneID":{"zoneName":"Lists","ownerRecordName":"_ann"},"atomic":true}"#
        )
        #expect(item.parent?.recordID.zoneID == lists)
    }

    @Test("The default zone of the shared database is named, so that it is refused for want of an owner")
    func noOwner() async throws {
        let refusal = ScriptedTransport.Answer.json(
            #"{"serverErrorCode":"BAD_REQUEST","reason":"no owner"}"#, status: 400)
        let (cloud, database) = shared(refusal)
        let error = await cloudError { _ = try await database.record(for: CKRecord.ID(recordName: "a")) }
        #expect(error?.code == .invalidArguments)
        #expect(cloud.transport.bodies.last?.contains(#""zoneID":{"zoneName":"_defaultZone"}"#) == true)
    }

    @Test("A query of the shared database without a zone is refused before it is sent")
    func queryWithoutZone() async {
        let (cloud, database) = shared()
        let query = CKQuery(recordType: "Item", predicate: alwaysTrue)
        var error = await cloudError { _ = try await database.records(matching: query) }
        #expect(error?.code == .invalidArguments)
        error = await cloudError { _ = try await database.count(matching: query) }
        #expect(error?.code == .invalidArguments)
        let operation = CKQueryOperation(query: query)
        let log = EventLog()
        operation.queryResultBlock = {
            if case .failure(let error) = $0 { log.note("\((error as? CKError)?.code.rawValue ?? 0)") }
        }
        await run(operation, in: database)
        #expect(log.events == ["12"] && cloud.transport.requests.isEmpty)
    }

    @Test("Zones of the shared database are not the user's to create or delete")
    func zoneChanges() async throws {
        let (cloud, database) = shared()
        var error = await cloudError { try await database.save(CKRecordZone(zoneID: lists)) }
        #expect(error?.code == .badDatabase)
        error = await cloudError { try await database.deleteRecordZone(withID: lists) }
        #expect(error?.code == .badDatabase && cloud.transport.requests.isEmpty)
    }

    @Test("Queries and zones of the shared database have no subscriptions")
    func subscriptions() async throws {
        let (cloud, database) = shared()
        let query = CKQuerySubscription(
            recordType: "Item", predicate: alwaysTrue, subscriptionID: "q", options: .firesOnRecordCreation)
        for subscription in [query, CKRecordZoneSubscription(zoneID: lists, subscriptionID: "z")] {
            let error = await cloudError { try await database.save(subscription) }
            #expect(error?.code == .badDatabase)
        }
        #expect(cloud.transport.requests.isEmpty)
    }

    @Test("A reference into the zone of another owner keeps that owner")
    func references() async throws {
        func field(_ owner: String) -> String {
            #"{"value":{"recordName":"x","action":"NONE","zoneID":{"zoneName":"Lists","ownerRecordName":"\#(owner)"}},"type":"REFERENCE"}"#
        }
        let record = recordJSON("a", fields: #""own":\#(field("_ann")),"other":\#(field("_bob"))"#)
        let (_, database) = shared(.json(#"{"records":[\#(record)]}"#))
        let read = try await database.record(for: CKRecord.ID(recordName: "a", zoneID: lists))
        #expect((read["own"] as? CKRecord.Reference)?.recordID.zoneID == lists)
        #expect((read["other"] as? CKRecord.Reference)?.recordID.zoneID.ownerName == "_bob")
    }

    @Test("The share of a record is known from its answers, and gone when they do not name one")
    func shareOfRecord() async throws {
        let share = #","share":{"recordName":"s","zoneID":{"zoneName":"Lists","ownerRecordName":"_ann"}}}"#
        let (_, database) = shared(
            .json(#"{"records":[\#(recordJSON("groceries").dropLast())\#(share)]}"#),
            .json(#"{"records":[\#(recordJSON("groceries", tag: "2"))]}"#))
        let root = try await database.record(for: CKRecord.ID(recordName: "groceries", zoneID: lists))
        #expect(root.share?.recordID == CKRecord.ID(recordName: "s", zoneID: lists))
        try await database.save(root)
        #expect(root.share == nil)
    }
}
