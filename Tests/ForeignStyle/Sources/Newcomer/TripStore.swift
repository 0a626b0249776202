import CloudKit
import Combine
import CoreData
import os

/// The trips of a user, in the cloud and on this device.
public final class TripStore: ObservableObject {
    @Published public private(set) var saves = 0
    public let container: NSPersistentContainer
    private let database: CKDatabase
    private let log = OSLog(subsystem: "com.example.trips", category: "store")
    private var subscriptions = Set<AnyCancellable>()

    public init(container: NSPersistentContainer, database: CKDatabase) {
        self.container = container
        self.database = database
        NotificationCenter.default.publisher(
            for: .NSManagedObjectContextDidSave, object: container.viewContext
        )
        .sink { [weak self] _ in self?.saves += 1 }
        .store(in: &subscriptions)
    }

    /// Makes an object of any class of the model.
    public func make<T: NSManagedObject>(_ type: T.Type) -> T {
        T(context: container.viewContext)
    }

    public func upload(_ records: [CKRecord], completion: @escaping @Sendable (String) -> Void) {
        let configuration = CKOperation.Configuration()
        configuration.qualityOfService = .utility
        configuration.timeoutIntervalForRequest = 15
        let operation = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: nil)
        operation.configuration = configuration
        operation.modifyRecordsCompletionBlock = { [log] saved, _, error in
            if let error {
                os_log("saving failed: %{public}@", log: log, type: .error, error.localizedDescription)
                completion(message(for: error))
            } else {
                os_log("saved %d records", log: log, type: .info, saved?.count ?? 0)
                completion("saved")
            }
        }
        database.add(operation)
    }

    public func subscription() -> CKDatabaseSubscription {
        let subscription = CKDatabaseSubscription(subscriptionID: "all-changes")
        let info = CKSubscription.NotificationInfo()
        info.shouldSendContentAvailable = true
        subscription.notificationInfo = info
        return subscription
    }
}

/// What the user is told.
public func message(for error: Error) -> String {
    guard let error = error as? CKError else { return "Something went wrong." }
    switch error.code {
    case .notAuthenticated: return "Sign in to iCloud."
    case .networkUnavailable, .networkFailure: return "You are offline."
    case .quotaExceeded: return "Your iCloud storage is full."
    case .zoneBusy, .requestRateLimited, .serviceUnavailable: return "Try again later."
    case .partialFailure: return "\(error.partialErrorsByItemID?.count ?? 0) trips were not saved."
    default: return error.localizedDescription
    }
}
