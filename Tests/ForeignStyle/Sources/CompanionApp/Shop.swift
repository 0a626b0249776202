import CloudKit
import CloudKitTesting
import Combine
import CoreData
import os

/// A model layer as apps have it, with all four frameworks in one file.
final class Shop: ObservableObject {
    @Published var visits = 0
    private let logger = Logger(subsystem: "org.example.shop", category: "shop")
    private let total = OSAllocatedUnfairLock(initialState: 0)
    private var subscriptions: Set<AnyCancellable> = []

    func customerRecord(_ name: String) -> CKRecord {
        let record = CKRecord(recordType: "Customer")
        record["name"] = name
        logger.info("made \(record.recordID.recordName.count) letters for \(name, privacy: .private)")
        return record
    }

    func add(_ amount: Int) -> Int {
        total.withLock { total in
            total += amount
            return total
        }
    }

    /// Names of changes of a managed object, in order.
    func watch(_ object: NSManagedObject, _ seen: @escaping () -> Void) {
        object.objectWillChange.sink { seen() }.store(in: &subscriptions)
    }

    func watchSaves(_ context: NSManagedObjectContext, _ seen: @escaping (Int) -> Void) {
        NotificationCenter.default.publisher(for: .NSManagedObjectContextDidSave, object: context)
            .compactMap { ($0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count }
            .sink(receiveValue: seen)
            .store(in: &subscriptions)
    }
}
