/// The value of one field.
public enum FieldValue: Hashable, Sendable {
    /// Unicode text.
    case string(String)
    /// A 64-bit integer.
    case int64(Int64)
    /// A floating-point number; never NaN or infinite, which JSON cannot carry.
    case double(Double)
    /// Milliseconds since 1970.
    case timestamp(Int64)
    /// Raw bytes.
    case bytes([UInt8])
    /// A link to another record.
    case reference(Reference)
    /// A file that was uploaded before.
    case asset(Asset)
    /// A place on Earth.
    case location(Location)
    /// Elements of one kind; the kind is nil only for an empty list nobody gave a type.
    case list([FieldValue], of: FieldType.Scalar?)

    /// The type that the value has; nil for an empty list of unknown kind.
    public var type: FieldType? {
        switch self {
        case .string: FieldType(.string)
        case .int64: FieldType(.int64)
        case .double: FieldType(.double)
        case .timestamp: FieldType(.timestamp)
        case .bytes: FieldType(.bytes)
        case .reference: FieldType(.reference)
        case .asset: FieldType(.asset)
        case .location: FieldType(.location)
        case .list(_, let scalar): scalar.map { FieldType($0, isList: true) }
        }
    }
}

/// A link from one record to another of the same zone.
public struct Reference: Hashable, Sendable {
    /// What happens to the link's owner, or to the deletion, when the target is deleted.
    public enum Action: String, Hashable, Sendable {
        /// Nothing; the link dangles.
        case none
        /// The record that holds the link is deleted too.
        case deleteSelf
        /// The target must exist, and cannot be deleted while the link is there.
        case validate
    }

    /// The target's record name.
    @ExactText public var recordName: String
    /// The target's zone; nil stands for the zone of the record that holds the link.
    public var zoneID: ZoneID?
    /// What the link protects.
    public var action: Action

    /// Makes a link.
    public init(recordName: String, zoneID: ZoneID? = nil, action: Action = .none) {
        self.recordName = recordName
        self.zoneID = zoneID
        self.action = action
    }
}

/// What the service knows of an uploaded file.
public struct Asset: Hashable, Sendable {
    /// The digest of the content, opaque to clients.
    public var fileChecksum: String
    /// The length in bytes.
    public var size: Int64
    /// What CloudKit's clients carry besides; opaque to them, and of no meaning here.
    public var referenceChecksum: String?
    /// What CloudKit's clients carry besides; nothing is wrapped with it here.
    public var wrappingKey: String?
    /// The proof of an upload, sent once when the field is saved.
    public var receipt: String?
    /// Where the content can be fetched; in answers only.
    public var downloadURL: String?

    /// Creates the value of an asset field.
    public init(
        fileChecksum: String, size: Int64, referenceChecksum: String? = nil, wrappingKey: String? = nil,
        receipt: String? = nil, downloadURL: String? = nil
    ) {
        self.fileChecksum = fileChecksum
        self.size = size
        self.referenceChecksum = referenceChecksum
        self.wrappingKey = wrappingKey
        self.receipt = receipt
        self.downloadURL = downloadURL
    }
}

/// A place on Earth, with what a receiver may know besides.
public struct Location: Hashable, Sendable {
    /// Degrees north, -90 to 90.
    public var latitude: Double
    /// Degrees east, -180 to 180.
    public var longitude: Double
    /// Metres; negative means invalid.
    public var horizontalAccuracy: Double?
    /// Metres; negative means invalid.
    public var verticalAccuracy: Double?
    /// Metres above sea level.
    public var altitude: Double?
    /// Metres per second.
    public var speed: Double?
    /// Degrees clockwise from north.
    public var course: Double?
    /// Milliseconds since 1970.
    public var timestamp: Int64?

    /// Makes a place from degrees.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}
