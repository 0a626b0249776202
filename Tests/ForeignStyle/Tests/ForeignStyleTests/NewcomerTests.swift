import CloudKit
import CoreData
import Foundation
import Testing

@testable import Newcomer

@Suite struct NewcomerTests {
    @MainActor @Test func runsAtTheFirstTry() async throws {
        try await withCloud { container in
            let stack = PersistenceController(inMemory: true)
            let store = TripStore(container: stack.container, database: container.privateCloudDatabase)
            let trip = store.make(Trip.self)
            trip.title = "Vienna"
            try stack.container.viewContext.save()
            #expect(store.saves == 1)

            let record = CKRecord(recordType: "Trip")
            record["title"] = trip.title
            #expect(await wait { store.upload([record], completion: $0) } == "saved")
            let unknown = CKRecord(
                recordType: "Trip",
                recordID: CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "Nowhere")))
            #expect(await wait { store.upload([unknown], completion: $0) } != "saved")

            #expect(store.subscription().notificationInfo?.shouldSendContentAvailable == true)
            #expect(message(for: CKError(.quotaExceeded)) == "Your iCloud storage is full.")
        }
    }

    @Test func coordinatesFilesWithFoundationAlone() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let versions = FileVersions(folder: folder)
        try versions.write(Data("one".utf8), version: "1")
        try versions.write(Data("three".utf8), version: "2")
        #expect(try versions.sizes() == [3, 5])
    }
}
