internal import Foundation
internal import Predicates

/// Reads `xcmapping.xml`: a Core Data store in XML of the objects that Xcode's editor of mapping models works on.
///
/// The layout was read off files in public repositories: `object` elements of four types with an `id`, which hold
/// `attribute` elements with text and `relationship` elements with `idrefs`.
struct XMLMappingReader {
    static let maximumObjects = 100_000

    let file: String
    private var objects: [String: XMLElement] = [:]
    private var predicates = ArchivedPredicateReader()

    init(file: String) { self.file = file }

    mutating func read(_ data: Data) throws -> MappingSource {
        let root = try XMLScanner.root(of: data, file: file, keepsText: true)
        guard root.name == "database" else {
            throw ModelDocumentError(
                .noMapping("the root element is <\(root.name)>, not <database>"), file: file, line: root.line)
        }
        let found = root.children("object")
        guard found.count <= Self.maximumObjects else {
            throw ModelDocumentError(.tooLarge("\(found.count) objects"), file: file, line: root.line)
        }
        for object in found {
            if let id = object.attributes["id"] { objects[id] = object }
        }
        guard let model = found.first(where: { Self.type($0) == "XDDEVMAPPINGMODEL" }) else {
            throw ModelDocumentError(.noMapping("it holds no mapping model"), file: file, line: root.line)
        }
        var source = MappingSource(file: file)
        source.sourceModelPath = text("sourcemodelpath", model)
        source.destinationModelPath = text("destinationmodelpath", model)
        let listed = related("entitymappings", model).enumerated().map { place, element in
            (number: text("mappingnumber", element).flatMap { Int($0) } ?? Int.max, place: place, element)
        }
        for (_, _, element) in listed.sorted(by: { ($0.number, $0.place) < ($1.number, $1.place) }) {
            source.entities.append(try entity(element))
        }
        return source
    }

    private mutating func entity(_ element: XMLElement) throws -> MappingSource.Entity {
        var entity = MappingSource.Entity(line: element.line)
        entity.name = text("name", element)
        entity.sourceName = text("sourcename", element)
        entity.destinationName = text("destinationname", element)
        entity.filter = text("sourcefilterpredicatestring", element)
        if text("autogenerateexpression", element) != "1" {
            entity.sourceExpression = try expression("sourceexpressiondata", element)
        }
        entity.policyClassName = text("migrationpolicyclassname", element)
        entity.userInfo = userInfo(element)
        for child in related("attributemappings", element) { entity.attributes.append(try property(child)) }
        for child in related("relationshipmappings", element) {
            entity.relationships.append(try property(child))
        }
        return entity
    }

    /// A written expression counts even where Xcode may make one: then it is the one that Xcode made.
    private mutating func property(_ element: XMLElement) throws -> MappingSource.Property {
        guard let name = text("name", element) else {
            throw ModelDocumentError(
                .missing, file: file, line: element.line, element: "property mapping", attribute: "name")
        }
        return MappingSource.Property(
            name: name, valueExpression: try expression("valueexpressiondata", element),
            sourceKeyPath: text("sourcekeypath", element),
            sourceMappingName: text("sourcemappingname", element), userInfo: userInfo(element))
    }

    // MARK: Fields

    private static func type(_ element: XMLElement) -> String {
        (element.attributes["type"] ?? "").uppercased()
    }

    /// The text of an attribute; nil where it is missing or empty.
    private func text(_ name: String, _ element: XMLElement) -> String? {
        let child = element.children.first {
            $0.name == "attribute" && $0.attributes["name"]?.lowercased() == name
        }
        return child.flatMap { $0.text.isEmpty ? nil : $0.text }
    }

    private func related(_ name: String, _ element: XMLElement) -> [XMLElement] {
        let child = element.children.first {
            $0.name == "relationship" && $0.attributes["name"]?.lowercased() == name
        }
        let ids = (child?.attributes["idrefs"] ?? "").split(separator: " ").map(String.init)
        return ids.compactMap { objects[$0] }
    }

    private func archive(_ name: String, _ element: XMLElement) throws -> ArchivedItem? {
        guard let text = text(name, element) else { return nil }
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            throw ModelDocumentError(
                .value(String(text.prefix(20)), expected: "base64"), file: file, line: element.line,
                attribute: name)
        }
        return try KeyedArchive(data).root
    }

    /// An archived expression as a format string.
    private mutating func expression(_ name: String, _ element: XMLElement) throws -> String? {
        do {
            return try archive(name, element).map { try predicates.expression($0).description }
        } catch let error as ModelDocumentError {
            throw ModelDocumentError(
                .archive(error.message), file: file, line: element.line,
                element: text("name", element).map { "mapping of '\($0)'" }, attribute: name, cause: error)
        }
    }

    /// Notes of the author; those that are no text are left out.
    private func userInfo(_ element: XMLElement) -> [String: String] {
        guard let item = try? archive("userinfodata", element) else { return [:] }
        return item.textEntries
    }
}
