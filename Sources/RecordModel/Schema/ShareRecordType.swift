/// The record type of shares, the one type whose name has a dot (Documentation/Protocol.md, 'The type of shares').
///
/// Development makes it with the first share; production has it once it is deployed. Besides its three fields it takes
/// any of the app's own.
public enum ShareRecordType {
    /// The type's name.
    public static let name = "cloudkit.share"
    /// What the names of the service's own fields begin with, in this type alone.
    public static let fieldPrefix = "cloudkit."

    /// The fields that the type always has. CloudKit's exports give them no index.
    public static let fields = [
        field("cloudkit.thumbnailImageData", .bytes), field("cloudkit.title", .string),
        field("cloudkit.type", .string),
    ]

    private static func field(_ name: String, _ scalar: FieldType.Scalar) -> FieldSchema {
        FieldSchema(name: name, type: FieldType(scalar), indexes: [], column: 0)
    }

    /// The field of the service's own that a name is; nil for the app's.
    public static func field(named name: String) -> FieldSchema? { fields.first { $0.name == name } }

    /// The fields of the service's own that a type of this name lacks; none for other types.
    public static func missingFields(of type: RecordType) -> [FieldSchema] {
        type.name == name ? fields.filter { type[$0.name] == nil } : []
    }
}
