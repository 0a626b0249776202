import CloudKit
import Foundation
import Testing

@testable import StratusCloudKit

@Suite struct IdentityTests {
    @Test("Lookups are equal by what they look for, and survive an archive")
    func lookups() throws {
        let recordID = CKRecord.ID(recordName: "_ann")
        let lookups: [CKUserIdentity.LookupInfo] =
            CKUserIdentity.LookupInfo.lookupInfos(withEmails: ["a@example.org", "b@example.org"])
            + CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: ["+43 1"])
            + CKUserIdentity.LookupInfo.lookupInfos(with: [recordID])
        #expect(Set(lookups).count == 4)
        #expect(CKUserIdentity.LookupInfo(userRecordID: recordID) == lookups[3])
        for lookup in lookups {
            let data = try NSKeyedArchiver.archivedData(withRootObject: lookup, requiringSecureCoding: true)
            let read = try NSKeyedUnarchiver.unarchivedObject(
                ofClass: CKUserIdentityLookupInfo.self, from: data)
            #expect(read == lookup && lookup.copy() as? CKUserIdentityLookupInfo == lookup)
        }
    }

    @Test("An identity survives an archive, with the name")
    func archive() throws {
        var name = PersonNameComponents()
        name.givenName = "Ann"
        name.familyName = "Ärmel"
        let ann = CKUserIdentity(
            userRecordID: CKRecord.ID(recordName: "_ann"), lookupInfo: .init(emailAddress: "a@example.org"),
            nameComponents: name, hasiCloudAccount: true)
        let data = try NSKeyedArchiver.archivedData(withRootObject: ann, requiringSecureCoding: true)
        let read = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKUserIdentity.self, from: data))
        #expect(read == ann && read.hash == ann.hash)
        #expect(read.nameComponents?.familyName == "Ärmel" && read.hasiCloudAccount)
        let other = CKUserIdentity(userRecordID: ann.userRecordID, hasiCloudAccount: true)
        #expect(other != ann && other.isSameUser(as: ann))
    }

    @Test("What an app relies on and has no effect yet is said once, with what to do instead")
    func warnings() async throws {
        final class Delegate: CKSyncEngineDelegate {
            func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {}
            func nextRecordZoneChangeBatch(
                _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
            ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
        }
        let cloud = TestCloud(ScriptedTransport(fallback: { _ in .json(pageJSON([])) }))
        let delegate = Delegate()
        let log = EventLog()
        CloudKitLog.restart { log.note($0) }
        for automatically in [false, true, true] {
            var configuration = CKSyncEngine.Configuration(
                database: cloud.privateDatabase, stateSerialization: nil, delegate: delegate)
            configuration.automaticallySync = automatically
            _ = CKSyncEngine(configuration)
        }
        for isLongLived in [false, true, true] {
            let operation = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
            operation.configuration.isLongLived = isLongLived
            await run(operation, in: cloud.privateDatabase)
        }
        let told = log.events
        #expect(told.count { $0.contains("automatic syncing") && $0.contains("fetchChanges()") } == 1)
        #expect(told.count { $0.contains("long-lived operations") } == 1)
        withExtendedLifetime(delegate) {}
    }
}
