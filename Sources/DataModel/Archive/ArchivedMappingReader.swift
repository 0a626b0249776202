internal import Foundation
internal import Predicates

/// Reads the archive of an `NSMappingModel`: the bytes of a `.cdm` file.
///
/// The names of the fields are those that public tools for such files name; nothing of Apple's compiler was at hand
/// to try them on.
struct ArchivedMappingReader {
    static let maximumMappings = 10_000
    static let maximumProperties = 200_000

    let name: String
    private var predicates = ArchivedPredicateReader()
    private var propertyCount = 0

    init(name: String) { self.name = name }

    mutating func read(_ data: Data) throws -> MappingDocument {
        do {
            return try mapping(KeyedArchive(data))
        } catch var error as ModelDocumentError {
            if error.file == nil { error.file = name }
            throw error
        }
    }

    private mutating func mapping(_ archive: KeyedArchive) throws -> MappingDocument {
        guard let root = archive.root, let items = root["NSEntityMappings"]?.elements else {
            let found = archive.root?.className ?? "(none)"
            throw ModelDocumentError(
                .noMapping("the root of the archive is a \(found) without NSEntityMappings"))
        }
        guard items.count <= Self.maximumMappings else {
            throw ModelDocumentError(.tooLarge("\(items.count) mappings"))
        }
        var document = MappingDocument(hasOwnHashes: root[OwnKey.mappingHashes]?.bool == true)
        for item in items { document.entityMappings.append(try entity(item)) }
        return document
    }

    private mutating func entity(_ item: ArchivedItem) throws -> EntityMappingDocument {
        let name = item["NSMappingName"]?.string ?? ""
        let number = item["NSMappingType"]?.int ?? 0
        guard let kind = Int(exactly: number).flatMap(EntityMappingDocument.Kind.init) else {
            throw ModelDocumentError(
                .value("\(number)", expected: "a type of mapping, 0 to 5"), element: "mapping '\(name)'",
                attribute: "NSMappingType")
        }
        return EntityMappingDocument(
            name: name, kind: kind, sourceEntityName: item["NSSourceEntityName"]?.string,
            sourceVersionHash: item["NSSourceEntityVersionHash"]?.data,
            destinationEntityName: item["NSDestinationEntityName"]?.string,
            destinationVersionHash: item["NSDestinationEntityVersionHash"]?.data,
            sourceExpression: try expression(item, "NSSourceExpression", in: name),
            policyClassName: item["NSEntityMigrationPolicyClassName"]?.string,
            attributeMappings: try properties(item["NSAttributeMappings"], in: name),
            relationshipMappings: try properties(item["NSRelationshipMappings"], in: name),
            userInfo: item["NSUserInfo"]?.textEntries ?? [:])
    }

    private mutating func properties(_ list: ArchivedItem?, in mapping: String) throws
        -> [PropertyMappingDocument]
    {
        let items = list?.elements ?? []
        propertyCount += items.count
        guard propertyCount <= Self.maximumProperties else {
            throw ModelDocumentError(.tooLarge("\(propertyCount) mappings of properties"))
        }
        return try items.map { item in
            guard let name = item["NSDestinationPropertyName"]?.string, !name.isEmpty else {
                throw ModelDocumentError(
                    .missing, element: "mapping '\(mapping)'", attribute: "NSDestinationPropertyName")
            }
            return PropertyMappingDocument(
                name: name,
                valueExpression: try expression(item, "NSValueExpression", in: "\(mapping).\(name)"),
                userInfo: item["NSUserInfo"]?.textEntries ?? [:])
        }
    }

    /// An expression that cannot be read is an error: without it, a migration would lose what it gives.
    private mutating func expression(_ item: ArchivedItem, _ key: String, in mapping: String) throws
        -> String?
    {
        if let text = item[OwnKey.mappingExpression]?.string { return text }
        guard let archived = item[key] else { return nil }
        do {
            return try predicates.expression(archived).description
        } catch let error as ModelDocumentError {
            throw ModelDocumentError(
                .archive(error.message), element: "mapping '\(mapping)'", attribute: key, cause: error)
        }
    }
}

extension ArchivedItem {
    /// The entries of a dictionary that are text.
    var textEntries: [String: String] {
        Dictionary(
            (entries ?? []).compactMap { entry in entry.value.string.map { (entry.key, $0) } },
            uniquingKeysWith: { first, _ in first })
    }
}
