/// What an `.xcmappingmodel` says: a mapping model before it is compiled against its two models.
///
/// Expressions that the author did not write are not in it; ``compiled(from:to:)`` makes them.
public struct MappingSource: Sendable, Hashable {
    /// The mapping of one entity, as the author left it.
    struct Entity: Sendable, Hashable {
        var name: String?
        var sourceName: String?
        var destinationName: String?
        /// A predicate that chooses among the source objects.
        var filter: String?
        /// A fetch of the author's own, as a format string.
        var sourceExpression: String?
        var policyClassName: String?
        var attributes: [Property] = []
        var relationships: [Property] = []
        var userInfo: [String: String] = [:]
        /// The line on which it begins, for messages.
        var line: Int
    }

    /// The mapping of one property, as the author left it.
    struct Property: Sendable, Hashable {
        var name: String
        var valueExpression: String?
        /// Which property of the source object it comes from, where the author chose one.
        var sourceKeyPath: String?
        /// Which mapping made the objects that a relationship leads to, where the author chose one.
        var sourceMappingName: String?
        var userInfo: [String: String] = [:]
    }

    /// The file, for messages.
    let file: String
    /// Where the project had the older model, such as `App/Notes.xcdatamodeld/Notes 2.xcdatamodel`.
    public internal(set) var sourceModelPath: String?
    /// Where the project had the newer model.
    public internal(set) var destinationModelPath: String?
    var entities: [Entity] = []

    init(file: String) { self.file = file }
}
