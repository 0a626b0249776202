/// One thing that a request needs and production's schema lacks.
public struct SchemaGap: Hashable, Sendable, CustomStringConvertible {
    /// What is missing.
    public enum Kind: String, Hashable, Sendable {
        /// A record type.
        case type
        /// A field of a type.
        case field
        /// A field's index.
        case index
    }

    /// What is missing.
    public var kind: Kind
    /// The record type that is missing, or that lacks something.
    public var recordType: String
    /// The field that is missing, or that lacks an index; nil for a type.
    public var field: String?
    /// The type of the field, where the request says.
    public var fieldType: FieldType?
    /// The index that is missing.
    public var index: FieldIndexes?

    /// A record type is missing.
    public static func type(_ name: String) -> SchemaGap { SchemaGap(kind: .type, recordType: name) }

    /// A field is missing.
    public static func field(_ name: String, _ type: FieldType?, of recordType: String) -> SchemaGap {
        SchemaGap(kind: .field, recordType: recordType, field: name, fieldType: type)
    }

    /// An index is missing.
    public static func index(_ index: FieldIndexes, _ field: FieldSchema, of recordType: String) -> SchemaGap
    {
        SchemaGap(
            kind: .index, recordType: recordType, field: field.name, fieldType: field.type, index: index)
    }

    public var description: String {
        let place = "'\(recordType)'"
        switch kind {
        case .type: return "the record type \(place)"
        case .field: return "the field '\(field ?? "")' of \(place)"
        case .index:
            return "the index \(index?.words.joined(separator: " ") ?? "") of \(place).'\(field ?? "")'"
        }
    }
}
