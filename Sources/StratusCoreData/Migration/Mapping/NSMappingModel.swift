import Synchronization

/// How objects of a model's version become objects of another.
///
/// Made in code, or inferred. Mapping models in files (`.cdm`, `.xcmappingmodel`) are not read here; a mapping that
/// was made in code is found by ``init(from:forSourceModel:destinationModel:)`` after it was registered.
///
/// Unchecked sendable: set up before it is used, and not changed afterwards.
open class NSMappingModel: NSObject, @unchecked Sendable {
    /// The mappings of the entities, in the order in which they are done.
    open var entityMappings: [NSEntityMapping]! = []
    /// The match that the mapping was inferred from; such a one can be done in SQL.
    var match: ModelMatch?

    /// The mappings of the entities by name.
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary((entityMappings ?? []).map { ($0.name ?? "", $0) }) { first, _ in first }
    }

    /// The key in an error's `userInfo` of the list of ``MigrationObstacle`` that stand in the way.
    public static let obstaclesKey = "StratusMigrationObstacles"

    /// Makes a mapping without entities.
    public override init() { super.init() }

    // MARK: Inferring

    /// Infers a mapping, as lightweight migration does.
    ///
    /// What only objects can break (a new required attribute without a default) is no obstacle here: a migration of a
    /// store that has such objects fails.
    /// - Throws: `CocoaError` with code 134190 that names everything that cannot be inferred, by entity and
    ///   property, and why; the list itself is under ``obstaclesKey``.
    open class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        let match = ModelMatch(
            source: sourceModel, destination: destinationModel, versions: MigrationModels.all())
        guard match.obstacles.isEmpty else { throw CoreDataError.notInferable(match.obstacles).cocoa }
        return InferredMapping(match).model
    }

    // MARK: Finding

    private struct Registered {
        var mapping: NSMappingModel
        var source: [String: Data]
        var destination: [String: Data]
    }

    private static let registered = Mutex<[Registered]>([])

    /// Makes a mapping known for a pair of versions, so that automatic migration uses it.
    public static func register(
        _ mapping: NSMappingModel, forSourceModel source: NSManagedObjectModel,
        destinationModel: NSManagedObjectModel
    ) {
        let entry = Registered(
            mapping: mapping, source: source.entityVersionHashesByName,
            destination: destinationModel.entityVersionHashesByName)
        registered.withLock { known in
            known.removeAll { $0.source == entry.source && $0.destination == entry.destination }
            known.append(entry)
        }
    }

    /// Makes the registered mapping known that leads from the one model to the other; nil where there is none.
    public convenience init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        guard let sourceModel, let destinationModel,
            let found = Self.registeredMapping(from: sourceModel, to: destinationModel)
        else { return nil }
        self.init()
        entityMappings = found.entityMappings
        match = found.match
    }

    /// Reads a mapping of a file: not offered, so it is always nil, and ``CoreDataLog`` has a line that says so.
    public convenience init?(contentsOf url: URL?) {
        CoreDataLog.report(
            "Mapping models are not read from files (\(url?.path ?? "?")). Make it in code and register it with "
                + "NSMappingModel.register(_:forSourceModel:destinationModel:).")
        return nil
    }

    static func registeredMapping(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel
    ) -> NSMappingModel? {
        let (before, after) = (source.entityVersionHashesByName, destination.entityVersionHashesByName)
        return registered.withLock { $0.last { $0.source == before && $0.destination == after }?.mapping }
    }
}
