/// One reason why the way from a model to another cannot be inferred.
public struct MigrationObstacle: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The entity, with its name in the newer model where it is in it.
    public var entity: String
    /// The attribute or relationship; nil where the entity itself is meant.
    public var property: String?
    /// What stands in the way, and what can be done.
    public var reason: String

    /// Keeps a reason.
    public init(entity: String, property: String? = nil, reason: String) {
        self.entity = entity
        self.property = property
        self.reason = reason
    }

    /// `Book.title: …`
    public var description: String { "\(entity)\(property.map { "." + $0 } ?? ""): \(reason)" }
}

/// A reason that counts only where a store has objects of an older entity.
package struct RowObstacle {
    /// The older entity.
    package let source: NSEntityDescription
    /// The reason.
    package let obstacle: MigrationObstacle
}

/// What one entity of the newer model was in the older one.
package final class EntityMatch {
    /// Nil for an entity that is new.
    package let source: NSEntityDescription?
    /// The newer entity.
    package let destination: NSEntityDescription
    /// What each property of the newer entity was, by its new name; inherited ones too. New ones are not in it.
    package var properties: [String: NSPropertyDescription] = [:]
    /// The stored properties of the older entity that the newer one has no more.
    package var removed: [NSPropertyDescription] = []

    init(source: NSEntityDescription?, destination: NSEntityDescription) {
        self.source = source
        self.destination = destination
    }
}

extension CoreDataError {
    /// No mapping leads to the model, for these reasons.
    package static func notInferable(_ obstacles: [MigrationObstacle]) -> CoreDataError {
        CoreDataError(
            134190,
            "The mapping between the models cannot be inferred.\n"
                + obstacles.map { "  \($0)" }.joined(separator: "\n"),
            remedy: "Change the model as said, add a version of it in between, or write a mapping model.",
            userInfo: [NSMappingModel.obstaclesKey: obstacles])
    }
}
