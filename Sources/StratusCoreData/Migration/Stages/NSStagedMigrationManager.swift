/// Brings a store from any released version to the newest, stage by stage.
///
/// Given under ``NSPersistentStoreStagedMigrationManagerOptionKey`` when a store is added. The store's version says
/// which stages are done; each further one is committed by itself, so that a migration that was killed goes on with
/// the stage that it had reached.
///
/// Unchecked sendable: used by one migration at a time.
open class NSStagedMigrationManager: NSObject, @unchecked Sendable {
    /// The stages, the oldest first.
    open internal(set) var stages: [NSMigrationStage]
    /// The store during a handler; nil otherwise.
    open package(set) var container: NSPersistentContainer?

    /// Makes a manager.
    public init(_ stages: [NSMigrationStage]) {
        self.stages = stages
        super.init()
    }
}

/// One step of a staged migration.
package struct StagedStep {
    /// The version that the step begins with.
    package var source: NSManagedObjectModel
    /// The version that it leads to.
    package var destination: NSManagedObjectModel
    /// Nil where the step is a lightweight one.
    package var custom: NSCustomMigrationStage?
}

/// Finds which steps lead a store to its model.
package struct StagedPlan {
    /// The steps that are left, in order.
    package let steps: [StagedStep]

    /// - Throws: `CocoaError`: 134504 for a version that is not found, 134505 for one with another checksum, 134506
    ///   where no stage begins with the store's version, or the last does not lead to the wanted model.
    package init(
        _ manager: NSStagedMigrationManager, from source: NSManagedObjectModel,
        to destination: NSManagedObjectModel,
        models: [NSManagedObjectModel]
    ) throws {
        let versions = try Self.versions(manager, [source, destination] + models)
        let checksums = versions.map(\.model.versionChecksum)
        guard let start = checksums.lastIndex(of: source.versionChecksum) else {
            throw CoreDataError(
                134506,
                "No stage of the migration starts from the store's version, whose checksum is \(source.versionChecksum).",
                remedy: "Add a stage with it. The stages know: \(checksums.joined(separator: ", "))."
            ).cocoa
        }
        guard checksums.last == destination.versionChecksum else {
            throw CoreDataError(
                134506,
                "The last stage of the migration leads to the version \(checksums.last ?? "none"), and the model in use is "
                    + "\(destination.versionChecksum).",
                remedy: "Add a stage that leads to it."
            ).cocoa
        }
        steps = zip(versions[start...], versions[(start + 1)...]).compactMap { before, after in
            // Two stages may meet in one version.
            guard before.model.versionChecksum != after.model.versionChecksum else { return nil }
            return StagedStep(source: before.model, destination: after.model, custom: after.custom)
        }
    }

    private typealias Version = (model: NSManagedObjectModel, custom: NSCustomMigrationStage?)

    /// All versions in order, each with the custom stage that leads to it.
    private static func versions(
        _ manager: NSStagedMigrationManager, _ models: [NSManagedObjectModel]
    ) throws -> [Version] {
        let known = Dictionary(models.map { ($0.versionChecksum, $0) }) { first, _ in first }
        var result: [Version] = []
        for stage in manager.stages {
            switch stage {
            case let stage as NSCustomMigrationStage:
                result.append((try stage.currentModel.resolved(), nil))
                result.append((try stage.nextModel.resolved(), stage))
            case let stage as NSLightweightMigrationStage:
                for checksum in stage.versionChecksums {
                    guard let model = known[checksum] else {
                        throw CoreDataError(
                            134504,
                            "The stage '\(stage.label ?? "lightweight")' names the version \(checksum), and no known model has "
                                + "that checksum.",
                            remedy: "Keep all versions in the .xcdatamodeld."
                        ).cocoa
                    }
                    result.append((model, nil))
                }
            default: break
            }
        }
        return result
    }
}
