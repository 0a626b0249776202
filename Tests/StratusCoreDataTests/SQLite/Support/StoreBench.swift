import Foundation
import SQLiteAccess
import TestSupport

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// A store in a folder of its own, with a coordinator, and a look at the file through plain SQL.
final class StoreBench {
    let directory: TemporaryDirectory
    let model: NSManagedObjectModel
    private(set) var coordinator: NSPersistentStoreCoordinator
    var url: URL { URL(fileURLWithPath: directory.path + "/Test.sqlite") }

    init(_ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil) throws {
        self.model = model
        directory = try TemporaryDirectory()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try add(options)
    }

    private func add(_ options: [AnyHashable: Any]?) throws {
        try coordinator.addPersistentStore(type: .sqlite, at: url, options: options)
    }

    /// Closes the store and opens it again.
    func reopen(options: [AnyHashable: Any]? = nil) throws {
        try close()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try add(options)
    }

    func close() throws { for store in coordinator.persistentStores { try coordinator.remove(store) } }

    var store: SQLiteObjectStore {
        get throws {
            guard let store = coordinator.persistentStores.first as? SQLiteObjectStore else {
                throw CocoaError(.fileNoSuchFile)
            }
            return store
        }
    }

    func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Rows of the file, by a connection that knows nothing of Core Data.
    func sql(_ text: String) throws -> [[SQLiteValue]] { try SQLiteConnection(path: url.path).rows(text) }

    func run(_ text: String) throws {
        let connection = try SQLiteConnection(path: url.path)
        for function in StoreFunctions.affected { try connection.add(function) }
        try connection.transaction { try connection.execute(text) }
    }

    func isWhole() throws -> Bool { try sql("PRAGMA integrity_check").first?.first == .text("ok") }

    /// A number of the file.
    func number(_ text: String) throws -> Int {
        guard case .int(let number)? = try sql(text).first?.first else { return -1 }
        return Int(number)
    }
}
