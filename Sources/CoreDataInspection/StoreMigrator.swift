public import Foundation
internal import StratusCoreData

/// Plans and does the migration of a store to a model of a file.
public struct StoreMigrator: Sendable {
    private let store: URL
    private let model: URL

    /// What is planned, or was done.
    public struct Outcome: Encodable, Sendable {
        private let plan: MigrationPlan
        /// Whether the store was changed.
        public let isDone: Bool
        /// Where the older store is kept.
        public let keptAt: String?

        init(_ plan: MigrationPlan, isDone: Bool = false, keptAt: String? = nil) {
            self.plan = plan
            self.isDone = isDone
            self.keptAt = keptAt
        }

        /// Whether nothing leads from the store's model to the wanted one.
        public var isImpossible: Bool { plan.status == .impossible }
        /// Whether there is something to do that can be done.
        public var isNeeded: Bool { plan.status == .lightweight }
        /// The plan in lines for people.
        public var text: String { "\(plan)" }
        /// The statements that change tables and rows.
        public var statements: [String] { plan.statements }
    }

    /// Takes the file of a store and that of a model: `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`. The other
    /// versions of a model may lie on the way.
    public init(store: URL, model: URL) {
        self.store = store
        self.model = model
    }

    /// What would be done; nothing is changed.
    ///
    /// - Throws: `CocoaError` whose description says what is wrong with the store or the model.
    public func plan() throws -> Outcome {
        let plan = try NSPersistentStoreCoordinator.migrationPlan(
            forStoreAt: store, to: NSManagedObjectModel(readingFrom: model),
            versions: NSManagedObjectModel.versions(readingFrom: model))
        return Outcome(plan)
    }

    /// Migrates the store, on a copy that takes its place at the end.
    ///
    /// - Parameter keepsOld: whether the older store stays as `<name>.before-migration`.
    /// - Parameter progress: called with the part that is done, from 0 to 1, and what is being done.
    /// - Throws: `CocoaError`; the store is then as it was.
    public func migrate(keepsOld: Bool, progress: @escaping (Double, String) -> Void) throws -> Outcome {
        let plan = try NSPersistentStoreCoordinator.migrateStore(
            at: store, to: NSManagedObjectModel(readingFrom: model),
            versions: NSManagedObjectModel.versions(readingFrom: model), keepsOldStore: keepsOld
        ) { progress($0.fraction, $0.step) }
        let isDone = plan.status == .lightweight
        return Outcome(
            plan, isDone: isDone, keptAt: isDone && keepsOld ? store.path + ".before-migration" : nil)
    }
}
