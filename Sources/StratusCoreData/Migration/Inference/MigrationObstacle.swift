/// One reason why the way from a model to another cannot be inferred.
public struct MigrationObstacle: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The entity, with its name in the newer model where it is in it.
    public var entity: String
    /// The attribute or relationship; nil where the entity itself is meant.
    public var property: String?
    /// What stands in the way, and what can be done.
    public var reason: String
    /// Whether objects of the store lack a value that the newer model requires; the models alone are no obstacle.
    package var isOfObjects = false

    private enum CodingKeys: String, CodingKey { case entity, property, reason }

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
    /// The older attribute that only objects without a value of it are an obstacle of; nil where every object is one.
    package let attribute: NSAttributeDescription?
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
    ///
    /// Where only objects without a value are in the way, the code and the error below are those of Apple's systems, as
    /// reports show them (https://github.com/dmytro-anokhin/url-image/issues/37).
    package static func notInferable(_ obstacles: [MigrationObstacle]) -> CoreDataError {
        if let first = obstacles.first, obstacles.allSatisfy(\.isOfObjects) {
            return missingValues(obstacles, first)
        }
        return CoreDataError(
            134190,
            "The mapping between the models cannot be inferred.\n"
                + obstacles.map { "  \($0)" }.joined(separator: "\n"),
            remedy: "Change the model as said, add a version of it in between, or write a mapping model.",
            userInfo: [NSMappingModel.obstaclesKey: obstacles])
    }

    private static func missingValues(
        _ obstacles: [MigrationObstacle], _ first: MigrationObstacle
    ) -> CoreDataError {
        let info: [String: Any] = [
            "entity": first.entity, "attribute": first.property ?? "",
            "reason": "Validation error missing attribute values on mandatory destination attribute",
        ]
        let cause = CoreDataError(134110, "\(first)", userInfo: info).cocoa
        return CoreDataError(
            134110,
            "Objects of the store lack values that the model requires, so the store was left as it was.\n"
                + obstacles.map { "  \($0)" }.joined(separator: "\n"),
            remedy:
                "Give the attribute a default, make it optional, or fill the values in a custom migration stage.",
            userInfo: info.merging([NSMappingModel.obstaclesKey: obstacles]) { $1 }, cause: cause)
    }
}
