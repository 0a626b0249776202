public import Foundation
internal import Predicates
internal import StratusCoreData

/// Objects of an entity as a table.
public struct RowTable: Sendable, Encodable, Equatable {
    /// The names of the columns: `objectID`, `entity`, then attributes and to-one relationships by name.
    public var columns: [String]
    /// The rows.
    public var rows: [[Cell]]
    /// How many objects match without the limit.
    public var total: Int

    /// Which objects, in which order.
    public struct Query: Sendable {
        /// The name of the entity.
        public var entity: String
        /// A predicate as a format string.
        public var predicate: String?
        /// Keys to sort by, separated by commas, a minus in front of one that descends: `name,-date`.
        public var sort: String?
        /// The most rows, 0 for all.
        public var limit: Int

        /// Asks for objects of an entity.
        public init(entity: String, predicate: String? = nil, sort: String? = nil, limit: Int = 20) {
            self.entity = entity
            self.predicate = predicate
            self.sort = sort
            self.limit = limit
        }
    }

    /// Reads the rows of a store through Core Data.
    ///
    /// - Throws: ``InspectionError``; `PredicateFormatError` for a predicate that is wrong; what the fetch throws.
    public init(_ url: URL, query: Query, model: URL? = nil) throws {
        let session = try StoreSession(url, model: model)
        defer { session.close() }
        let (_, entity) = try session.entity(named: query.entity)
        let request = try Self.request(query, entity, url.path)
        let context = session.context
        let attributes = entity.attributesByName.values.filter { !$0.isTransient }.sorted {
            $0.name < $1.name
        }
        let toOnes = entity.relationshipsByName.values.filter { !$0.isToMany && !$0.isTransient }.map(\.name)
            .sorted()
        columns = ["objectID", "entity"] + attributes.map(\.name) + toOnes
        let result = try context.runAndWait {
            let found = try context.fetch(request)
            let rows = found.map { object -> [Cell] in
                var row = [Cell(Self.text(object.objectID)), Cell(object.entity.name)]
                for attribute in attributes {
                    row.append(Cell(object.value(forKey: attribute.name), of: attribute.attributeType))
                }
                for name in toOnes {
                    row.append(Cell(object.objectIDs(forRelationshipNamed: name).first.map(Self.text)))
                }
                return row
            }
            request.fetchLimit = 0
            return (rows, try context.count(for: request))
        }
        (rows, total) = result
    }

    private static func request(
        _ query: Query, _ entity: NSEntityDescription, _ path: String
    ) throws -> NSFetchRequest<NSManagedObject> {
        guard query.limit >= 0 else {
            throw InspectionError(.request("The limit must not be negative: \(query.limit)."), path: path)
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: query.entity)
        request.fetchLimit = query.limit
        request.returnsObjectsAsFaults = false
        request.predicate = try query.predicate.map { try NSPredicate.parsed($0) }
        let keys = (query.sort ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        request.sortDescriptors = try keys.filter { !$0.isEmpty }.map { key in
            let name = key.hasPrefix("-") ? String(key.dropFirst()) : key
            let first = name.split(separator: ".").first.map(String.init) ?? name
            guard entity.propertiesByName[first] != nil else {
                throw InspectionError(
                    .request("\(query.entity) has no property '\(first)' to sort by."), path: path)
            }
            return NSSortDescriptor(key: name, ascending: !key.hasPrefix("-"))
        }
        return request
    }

    private static func text(_ objectID: NSManagedObjectID) -> String {
        "\(objectID.entity.name ?? "?")/\(objectID.uriRepresentation().lastPathComponent)"
    }
}
