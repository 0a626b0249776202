public import RecordModel

extension FieldType {
    /// The tag that answers carry: `STRING`, `INT64_LIST`, ….
    public var tag: String { isList ? scalar.tag + "_LIST" : scalar.tag }

    /// The type that a request's tag names; nil for a tag that names none by itself (`LIST`, `UNKNOWN_LIST`).
    public init?(tag: String) {
        if tag.hasSuffix("_LIST"), let scalar = Scalar(tag: String(tag.dropLast(5))) {
            self = .list(scalar)
        } else if let scalar = Scalar(tag: tag) {
            self = FieldType(scalar)
        } else {
            return nil
        }
    }
}

extension FieldType.Scalar {
    /// The tag of a single value of this kind.
    public var tag: String {
        switch self {
        case .string: "STRING"
        case .int64: "INT64"
        case .double: "DOUBLE"
        case .timestamp: "TIMESTAMP"
        case .bytes: "BYTES"
        case .reference: "REFERENCE"
        case .asset: "ASSETID"
        case .location: "LOCATION"
        }
    }

    init?(tag: String) {
        switch tag {
        case "STRING": self = .string
        // Apple's own web clients send the longer words (Documentation/Protocol.md, 'Field values').
        case "INT64", "NUMBER_INT64": self = .int64
        case "DOUBLE", "NUMBER_DOUBLE": self = .double
        case "TIMESTAMP": self = .timestamp
        case "BYTES": self = .bytes
        case "REFERENCE": self = .reference
        // Clients send either word (Documentation/Protocol.md, 'Field values').
        case "ASSETID", "ASSET": self = .asset
        case "LOCATION": self = .location
        default: return nil
        }
    }
}
