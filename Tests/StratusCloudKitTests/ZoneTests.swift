import CloudKit
import Foundation
import Testing

@testable import StratusCloudKit

@Suite struct ZoneTests {
    private let zoneID = CKRecordZone.ID(zoneName: "Notes")

    @Test("Saving a zone that is there succeeds, and the owner's name is the app's own")
    func saveZone() async throws {
        let cloud = TestCloud(
            .json(#"{"zones":[{"zoneID":{"zoneName":"Notes","ownerRecordName":"_ann"},"atomic":true}]}"#),
            .json(#"{"zones":[{"zoneID":{"zoneName":"Notes"},"serverErrorCode":"EXISTS"}]}"#))
        let saved = try await cloud.privateDatabase.save(CKRecordZone(zoneID: zoneID))
        #expect(
            saved.zoneID == zoneID && saved.capabilities.contains([.fetchChanges, .atomic, .zoneWideSharing]))
        #expect(try await cloud.privateDatabase.save(saved).zoneID == zoneID)
        #expect(
            cloud.transport.bodies[0]
                == #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}]}"#)
    }

    @Test("Zones are listed, looked up and deleted")
    func zones() async throws {
        let cloud = TestCloud(
            .json(
                #"{"zones":[{"zoneID":{"zoneName":"_defaultZone","ownerRecordName":"_ann"}},{"zoneID":{"zoneName":"Notes","ownerRecordName":"_ann"},"atomic":true}]}"#
            ),
            .json(#"{"zones":[{"zoneID":{"zoneName":"Notes"},"serverErrorCode":"ZONE_NOT_FOUND"}]}"#),
            .json(#"{"zones":[{"zoneID":{"zoneName":"Notes"},"deleted":true}]}"#))
        let all = try await cloud.privateDatabase.allRecordZones()
        #expect(all.map(\.zoneID) == [.default, zoneID])
        #expect(cloud.transport.requests[0].method == "GET")
        let error = await cloudError { _ = try await cloud.privateDatabase.recordZone(for: zoneID) }
        #expect(error?.code == .zoneNotFound)
        #expect(try await cloud.privateDatabase.deleteRecordZone(withID: zoneID) == zoneID)
    }

    @Test("The zone operations call their blocks in order")
    func operations() async {
        let cloud = TestCloud(
            .json(
                #"{"zones":[{"zoneID":{"zoneName":"Notes"},"atomic":true},{"zoneID":{"zoneName":"Old"},"serverErrorCode":"ZONE_NOT_FOUND"}]}"#
            ), .json(#"{"zones":[{"zoneID":{"zoneName":"Notes"},"atomic":true}]}"#))
        let log = EventLog()
        let modify = CKModifyRecordZonesOperation(
            recordZonesToSave: [CKRecordZone(zoneID: zoneID)],
            recordZoneIDsToDelete: [CKRecordZone.ID(zoneName: "Old")])
        modify.perRecordZoneSaveBlock = { id, _ in log.note("save \(id.zoneName)") }
        modify.perRecordZoneDeleteBlock = { id, _ in log.note("delete \(id.zoneName)") }
        modify.modifyRecordZonesCompletionBlock = { saved, deleted, error in
            log.note(
                "end \(saved?.count ?? 0) \(deleted?.count ?? 0) \((error as? CKError)?.code.rawValue ?? 0)")
        }
        await run(modify, in: cloud.privateDatabase)
        let fetch = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
        fetch.fetchRecordZonesCompletionBlock = { zones, error in log.note("all \(zones?.count ?? 0)") }
        await run(fetch, in: cloud.privateDatabase)
        #expect(log.events == ["save Notes", "delete Old", "end 1 0 2", "all 1"])
    }
}

@Suite struct ChangesTests {
    private let zoneID = CKRecordZone.ID(zoneName: "Notes")

    @Test("The database's feed is fetched to its end")
    func databaseChanges() async {
        let cloud = TestCloud(
            .json(#"{"zones":[{"zoneID":{"zoneName":"Notes"}}],"syncToken":"t1","moreComing":true}"#),
            .json(
                #"{"zones":[{"zoneID":{"zoneName":"Old"},"deleted":true}],"syncToken":"t2","moreComing":false}"#
            ))
        let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: CKServerChangeToken("t0"))
        let log = EventLog()
        operation.recordZoneWithIDChangedBlock = { log.note("changed \($0.zoneName)") }
        operation.recordZoneWithIDWasDeletedBlock = { log.note("deleted \($0.zoneName)") }
        operation.changeTokenUpdatedBlock = { log.note("token \($0.text)") }
        operation.fetchDatabaseChangesCompletionBlock = { token, more, _ in
            log.note("end \(token?.text ?? "-") \(more)")
        }
        await run(operation, in: cloud.privateDatabase)
        #expect(
            log.events == ["changed Notes", "token t1", "deleted Old", "token t2", "end t2 false"])
        #expect(cloud.transport.bodies == [#"{"syncToken":"t0"}"#, #"{"syncToken":"t1"}"#])
    }

    @Test("A zone's feed gives records and tombstones, page by page, then the zone's result")
    func zoneChanges() async {
        let cloud = TestCloud(
            .json(
                #"{"zones":[{"zoneID":{"zoneName":"Notes"},"records":[\#(recordJSON("a"))],"syncToken":"t1","moreComing":true}]}"#
            ),
            .json(
                #"{"zones":[{"zoneID":{"zoneName":"Notes"},"records":[{"recordName":"b","recordType":"Player","deleted":true}],"syncToken":"t2","moreComing":false}]}"#
            ))
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zoneID],
            configurationsByRecordZoneID: [zoneID: .init(desiredKeys: ["name"])])
        let log = EventLog()
        operation.recordWasChangedBlock = { id, _ in log.note("changed \(id.recordName)") }
        operation.recordChangedBlock = { log.note("record \($0.recordID.zoneID.zoneName)") }
        operation.recordWithIDWasDeletedBlock = { log.note("deleted \($0.recordName) \($1)") }
        operation.recordZoneChangeTokensUpdatedBlock = { _, token, _ in
            log.note("token \(token?.text ?? "-")")
        }
        operation.recordZoneFetchCompletionBlock = { id, token, _, more, _ in
            log.note("zone \(id.zoneName) \(token?.text ?? "-") \(more)")
        }
        operation.fetchRecordZoneChangesCompletionBlock = { log.note("end \($0 == nil)") }
        await run(operation, in: cloud.privateDatabase)
        #expect(
            log.events == [
                "changed a", "record Notes", "token t1", "deleted b Player", "zone Notes t2 false",
                "end true",
            ])
        #expect(
            cloud.transport.bodies[1]
                == #"{"zones":[{"zoneID":{"zoneName":"Notes"},"syncToken":"t1","desiredKeys":["name"]}]}"#)
    }

    @Test("A token that cannot be used is changeTokenExpired, in the zone's place")
    func expiredToken() async throws {
        let answer =
            #"{"zones":[{"zoneID":{"zoneName":"Notes"},"serverErrorCode":"BAD_REQUEST","reason":"Unknown sync continuation type"}]}"#
        let cloud = TestCloud(.json(answer), .json(answer))
        let expired = await cloudError {
            _ = try await cloud.privateDatabase.recordZoneChanges(
                inZoneWith: zoneID, since: CKServerChangeToken("old"))
        }
        #expect(expired?.code == .changeTokenExpired)
        // Without a token the same words mean something else.
        let other = await cloudError {
            _ = try await cloud.privateDatabase.recordZoneChanges(inZoneWith: zoneID, since: nil)
        }
        #expect(other?.code == .invalidArguments)
    }

    @Test("The async form gives modifications, deletions and where to go on")
    func asyncForm() async throws {
        let cloud = TestCloud(
            .json(
                #"{"zones":[{"zoneID":{"zoneName":"Notes"},"records":[\#(recordJSON("a")),{"recordName":"b","deleted":true}],"syncToken":"t1","moreComing":true}]}"#
            ))
        let changes = try await cloud.privateDatabase.recordZoneChanges(
            inZoneWith: zoneID, since: nil, resultsLimit: 2)
        let id = CKRecord.ID(recordName: "a", zoneID: zoneID)
        #expect(try changes.modificationResultsByID[id]?.get().record.recordType == "Player")
        #expect(changes.deletions.map(\.recordID.recordName) == ["b"])
        #expect(changes.moreComing && changes.changeToken == CKServerChangeToken("t1"))
    }
}
