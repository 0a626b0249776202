import CoreData

/// Contexts made through a metatype, and a switch over their kind.
enum Contexts {
    static func make<C: NSManagedObjectContext>(_ type: C.Type, _ kind: NSManagedObjectContextConcurrencyType)
        -> C
    {
        C(concurrencyType: kind)
    }

    static func name(of kind: NSManagedObjectContextConcurrencyType) -> String {
        switch kind {
        case .mainQueueConcurrencyType: return "main"
        case .privateQueueConcurrencyType: return "private"
        case .confinementConcurrencyType: return "confined"
        @unknown default: return "new"
        }
    }
}
