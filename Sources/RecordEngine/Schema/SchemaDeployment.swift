public import RecordModel
public import RecordStorage
import RecordWire

/// Brings what development has to production.
///
/// Only ever adds: types, fields and indexes that production has and development lacks stay as they are.
public struct SchemaDeployment: Sendable {
    /// One thing that production lacks.
    public enum Change: Hashable, Sendable, CustomStringConvertible {
        /// A record type.
        case type(String)
        /// A field of a type.
        case field(type: String, name: String, FieldType)
        /// Another set of indexes for a field.
        case indexes(type: String, name: String, FieldIndexes)

        /// The change as a line for a person.
        public var description: String {
            switch self {
            case .type(let name): "add record type \(name)"
            case .field(let type, let name, let fieldType): "add field \(type).\(name) \(fieldType.tag)"
            case .indexes(let type, let name, _): "set the indexes of \(type).\(name)"
            }
        }
    }

    /// Compares the two environments of a container.
    ///
    /// - Throws: `CONFLICT` when a field has different types on the two sides, which nothing can mend.
    public static func changes(from development: Schema, to production: Schema) throws(ServiceError)
        -> [Change]
    {
        var changes: [Change] = []
        for type in development.types.values.sorted(by: { $0.name < $1.name }) {
            let target = production.types[type.name]
            if target == nil { changes.append(.type(type.name)) }
            for field in type.fields {
                guard let there = target?[field.name] else {
                    changes.append(.field(type: type.name, name: field.name, field.type))
                    continue
                }
                guard there.type == field.type else {
                    throw ServiceError(
                        .conflict,
                        "\(type.name).\(field.name) is \(field.type.tag) in development and \(there.type.tag) in production.",
                        remedy: "Give the field another name; a type that holds data cannot change.")
                }
                if there.indexes != field.indexes {
                    changes.append(.indexes(type: type.name, name: field.name, field.indexes))
                }
            }
        }
        return changes
    }

    /// Applies the changes that ``changes(from:to:)`` finds, as one write.
    public static func deploy(container: ContainerID, store: any RecordStore) async throws -> [Change] {
        let development = Tenant(container: container, environment: .development)
        let production = Tenant(container: container, environment: .production)
        return try await store.write { store in
            let source = try store.schema(of: development)
            let changes = try changes(from: source, to: store.schema(of: production))
            for change in changes {
                switch change {
                case .type(let name): _ = try store.makeType(named: name, tenant: production)
                case .field(let typeName, let name, let fieldType):
                    let type = try store.makeType(named: typeName, tenant: production)
                    let indexes = source.types[typeName]?[name]?.indexes ?? .all(for: fieldType)
                    _ = try store.addField(
                        named: name, type: fieldType, indexes: indexes, to: type, tenant: production)
                case .indexes(let typeName, let name, let indexes):
                    let type = try store.makeType(named: typeName, tenant: production)
                    try store.setIndexes(indexes, ofField: name, in: type, tenant: production)
                }
            }
            return changes
        }
    }
}
