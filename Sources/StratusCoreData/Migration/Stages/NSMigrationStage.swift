/// One stage of a staged migration.
///
/// Unchecked sendable because it has settable properties, as Apple's: set it up before its manager is used.
open class NSMigrationStage: NSObject, @unchecked Sendable {
    /// For the developer's eyes.
    open var label: String?

    override init() { super.init() }
}

/// A stage of versions that follow each other by lightweight migration.
///
/// Unchecked sendable as in ``NSMigrationStage``.
open class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
    /// The checksums of the versions, the oldest first.
    open internal(set) var versionChecksums: [String]

    /// Names the versions by their checksums, the oldest first.
    public init(_ versionChecksums: [String]) {
        self.versionChecksums = versionChecksums
        super.init()
    }
}

/// A stage from one version to the next with code before and after.
///
/// The handlers get a container whose store is a copy of the app's. The copy takes the store's place when both
/// handlers are done: a stage is done completely or not at all, however the program ends.
///
/// Unchecked sendable as in ``NSMigrationStage``: the handlers are called on the thread that migrates.
open class NSCustomMigrationStage: NSMigrationStage, @unchecked Sendable {
    /// The version that the stage begins with.
    open internal(set) var currentModel: NSManagedObjectModelReference
    /// The version that it leads to.
    open internal(set) var nextModel: NSManagedObjectModelReference
    /// Called with the store in the older version.
    open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
    /// Called with the store in the newer version.
    open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// Makes a stage.
    public init(
        migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        super.init()
    }
}
