import Combine
import CoreData

/// Saves of a context as a publisher.
enum SavePublisher {
    static func insertions(in context: NSManagedObjectContext, center: NotificationCenter = .default)
        -> AnyPublisher<Int, Never>
    {
        center.publisher(for: .NSManagedObjectContextDidSave, object: context)
            .compactMap { $0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> }
            .map(\.count)
            .eraseToAnyPublisher()
    }

    static func changes(center: NotificationCenter = .default) -> AnyPublisher<Notification, Never> {
        center.publisher(for: NSManagedObjectContext.didChangeObjectsNotification).eraseToAnyPublisher()
    }
}
