import Synchronization

/// How objects of a model's version become objects of another.
///
/// Made in code, inferred, or read from a file: a compiled `.cdm`, which the build plugin makes of an
/// `.xcmappingmodel`, or the latter itself. ``init(from:forSourceModel:destinationModel:)`` finds files in bundles, and
/// mappings that were made in code after they were registered.
///
/// Unchecked sendable: set up before it is used, and not changed afterwards.
open class NSMappingModel: NSObject, @unchecked Sendable {
    /// The mappings of the entities, in the order in which they are done.
    open var entityMappings: [NSEntityMapping]! = []
    /// What the mapping said when it was inferred; nil where it was not.
    private var inferredContent: [String]?

    /// Whether the mapping is still what inference made of it, and can be done in SQL. One that was changed, by a policy
    /// for an entity, say, is done object by object.
    var isAsInferred: Bool { inferredContent == content }

    /// Says that the mapping is as inference makes it.
    func noteInferred() { inferredContent = content }

    private var content: [String] { (entityMappings ?? []).flatMap(\.content) }

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
        let match = ModelCorrespondence(
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

    /// Finds the mapping that leads from the one model to the other; nil where there is none.
    ///
    /// Registered mappings come first, then the files `.cdm` and `.xcmappingmodel` of the bundles. A compiled one has to
    /// have the hashes of both versions' entities. What this package did not compile has no such hashes: it has to name
    /// exactly what the versions have, and where several do, none is taken and ``CoreDataLog`` says so.
    /// - Parameters:
    ///   - bundles: where to look; nil means the places where the program looks for models.
    ///   - sourceModel: the model of the store as it is.
    ///   - destinationModel: the model that it is to have.
    public convenience init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        guard let sourceModel, let destinationModel,
            let found = Self.known(from: sourceModel, to: destinationModel, in: bundles)
        else { return nil }
        self.init()
        entityMappings = found.entityMappings
        inferredContent = found.inferredContent
    }

    /// The registered mapping of two versions, else the one of a file.
    package static func known(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel, in bundles: [Bundle]? = nil
    ) -> NSMappingModel? {
        registeredMapping(from: source, to: destination)
            ?? MappingLibrary.mapping(from: source, to: destination, in: bundles)
    }

    private static func registeredMapping(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel
    ) -> NSMappingModel? {
        let (before, after) = (source.entityVersionHashesByName, destination.entityVersionHashesByName)
        return registered.withLock { $0.last { $0.source == before && $0.destination == after }?.mapping }
    }
}
