import CloudKit
import CoreData
import Foundation
import PhotoScaling

/// The restaurants that were added on this machine, in Core Data, and their way to the cloud.
final class Guide: Sendable {
    private let container: NSPersistentContainer
    private let database: CKDatabase
    private let scaler = PhotoScaler(maximumWidth: 1024, quality: 0.8)

    init(store: URL, database: CKDatabase) async throws {
        container = NSPersistentContainer(name: "Restaurants")
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: store)]
        try await container.loadPersistentStores()
        self.database = database
    }

    /// Adds a restaurant here. It is marked as not uploaded until ``upload(progress:)`` has done so.
    ///
    /// - Throws: where the picture is none, so that nothing waits here that can never be uploaded.
    func add(name: String, type: String, location: String, photo: URL?) async throws {
        let image = try photo.map { try Data(contentsOf: $0) }
        if let image { _ = try scaler.jpeg(from: image) }
        try await container.performBackgroundTask { context in
            let restaurant = Restaurant(context: context)
            restaurant.recordName = UUID().uuidString
            restaurant.name = name
            restaurant.type = type
            restaurant.location = location
            restaurant.image = image
            restaurant.addedAt = Date()
            try context.save()
        }
    }

    /// What is here, the newest first.
    func restaurants() async throws -> [(name: String, location: String, isUploaded: Bool)] {
        try await container.performBackgroundTask { context in
            let request = NSFetchRequest<Restaurant>(entityName: "Restaurant")
            request.sortDescriptors = [NSSortDescriptor(key: "addedAt", ascending: false)]
            return try context.fetch(request).map { ($0.name ?? "", $0.location ?? "", $0.uploadedAt != nil) }
        }
    }

    /// Uploads what was not uploaded yet, and marks it. What fails stays marked as it was, and the others go on.
    ///
    /// - Throws: the first failure, after everything was tried.
    func upload(progress: @escaping @Sendable (_ name: String, _ fraction: Double) -> Void) async throws {
        var failure: (any Error)?
        for draft in try await drafts() {
            do {
                try await save(draft) { progress(draft.name, $0) }
                try await markAsUploaded(draft.recordName)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private func markAsUploaded(_ recordName: String) async throws {
        try await container.performBackgroundTask { context in
            let request = NSFetchRequest<Restaurant>(entityName: "Restaurant")
            request.predicate = NSPredicate(format: "recordName == %@", recordName)
            try context.fetch(request).first?.uploadedAt = Date()
            try context.save()
        }
    }

    private struct Draft: Sendable {
        let recordName, name, type, location: String
        let image: Data?
    }

    private func drafts() async throws -> [Draft] {
        try await container.performBackgroundTask { context in
            let request = NSFetchRequest<Restaurant>(entityName: "Restaurant")
            request.predicate = NSPredicate(format: "uploadedAt == nil")
            request.sortDescriptors = [NSSortDescriptor(key: "addedAt", ascending: true)]
            return try context.fetch(request).map {
                Draft(
                    recordName: $0.recordName ?? "", name: $0.name ?? "", type: $0.type ?? "",
                    location: $0.location ?? "", image: $0.image)
            }
        }
    }

    private func save(_ draft: Draft, progress: @escaping (Double) -> Void) async throws {
        let record = CKRecord(
            recordType: "Restaurant", recordID: CKRecord.ID(recordName: draft.recordName))
        record.setValue(draft.name, forKey: "name")
        record.setValue(draft.type, forKey: "type")
        record.setValue(draft.location, forKey: "location")
        guard let image = draft.image else { return try await save(record, progress: progress) }
        // The file is removed when the body ends, also by an error.
        try await scaler.withTemporaryPhoto(of: image) { photo in
            record.setValue(CKAsset(fileURL: photo), forKey: "image")
            try await save(record, progress: progress)
        }
    }

    private func save(_ record: CKRecord, progress: @escaping (Double) -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let operation = CKModifyRecordsOperation(recordsToSave: [record])
            // Saving again what was saved before, without an answer, is no conflict.
            operation.savePolicy = .allKeys
            operation.perRecordProgressBlock = { _, fraction in progress(fraction) }
            operation.modifyRecordsCompletionBlock = { _, _, error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
            database.add(operation)
        }
    }
}
