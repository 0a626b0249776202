import CoreData

/// Objects made for a generic type, as helper libraries do.
extension NSManagedObjectContext {
    @discardableResult
    func make<T: NSManagedObject>(_ type: T.Type = T.self, _ configure: (T) -> Void = { _ in }) -> T {
        let object = T(context: self)
        configure(object)
        return object
    }

    func makeByDescription<T: NSManagedObject>(_ type: T.Type) -> T? {
        guard let entity = NSEntityDescription.entity(forEntityName: String(describing: type), in: self)
        else { return nil }
        return T(entity: entity, insertInto: self)
    }
}

protocol Creatable: NSManagedObject {}

extension Creatable {
    static func create(in context: NSManagedObjectContext) -> Self {
        Self(context: context)
    }
}

extension Book: Creatable {}
