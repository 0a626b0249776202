import CloudKit
import CoreData
import CoreDataCloudKit
import Synchronization
import Testing

/// What code for Apple's container calls, beside stores that are not mirrored.
@Suite struct ContainerTests {
    private func container() throws -> NSPersistentCloudKitContainer {
        let entity = NSEntityDescription()
        entity.name = "Photo"
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let container = NSPersistentCloudKitContainer(name: "Photos", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { _, error in #expect(error == nil) }
        return container
    }

    private func isRefusal(_ error: (any Error)?) -> Bool {
        guard let error = error as? CocoaError else { return false }
        return error.errorCode == 134_060 && error.localizedDescription.contains("does not mirror")
    }

    @Test func objectsHaveNoRecords() throws {
        let container = try container()
        let context = container.newBackgroundContext()
        let id = context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context).objectID
        }
        #expect(container.record(for: id) == nil && container.recordID(for: id) == nil)
        #expect(container.records(for: [id]).isEmpty && container.recordIDs(for: [id]).isEmpty)
    }

    @Test func whatIsNotServedSaysSo() async throws {
        let container = try container()
        let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
        let zone = CKRecordZone(zoneName: "Z")
        let share = CKShare(recordZoneID: zone.zoneID)
        func refused(_ work: () async throws -> Void) async -> Bool {
            do { try await work() } catch { return isRefusal(error) }
            return false
        }
        #expect(await refused { _ = try await container.share([], to: nil) })
        #expect(await refused { _ = try container.fetchShares(in: store) })
        #expect(await refused { _ = try container.fetchShares(in: nil) })
        #expect(await refused { _ = try container.fetchShares(matching: []) })
        #expect(await refused { try await container.persistUpdatedShare(share, in: store) })
        #expect(await refused { try await container.acceptShareInvitations(from: [], into: store) })
        #expect(await refused { _ = try await container.fetchParticipants(matching: [], into: store) })
        #expect(
            await refused { try await container.purgeObjectsAndRecordsInZone(with: zone.zoneID, in: store) })
    }

    @Test func handlersAreCalledOnce() throws {
        let container = try container()
        let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
        let zone = CKRecordZone(zoneName: "Z")
        let share = CKShare(recordZoneID: zone.zoneID)
        let refusals = Mutex(0)
        @Sendable func note(_ error: (any Error)?) { if isRefusal(error) { refusals.withLock { $0 += 1 } } }
        container.share([], to: share) { _, _, _, error in note(error) }
        container.persistUpdatedShare(share, in: store) { _, error in note(error) }
        container.acceptShareInvitations(from: [], into: store) { _, error in note(error) }
        container.fetchParticipants(matching: [], into: store) { _, error in note(error) }
        container.purgeObjectsAndRecordsInZone(with: zone.zoneID, in: nil) { _, error in note(error) }
        #expect(refusals.withLock { $0 } == 5)
    }
}
