public import RecordModel

/// A file as the record store knows it.
public struct AssetRow: Hashable, Sendable {
    /// What the file holds.
    public var content: AssetContent
    /// When it was first uploaded, in milliseconds since 1970.
    public var createdAt: Int64
    /// Since when nothing refers to it, as far as is known; nil where something does.
    public var unusedSince: UnusedSince?
    /// How many fields of records refer to it: of the tenant that was asked for, or of all.
    public var uses: Int

    /// Creates a row from its columns.
    public init(content: AssetContent, createdAt: Int64, unusedSince: UnusedSince?, uses: Int) {
        self.content = content
        self.createdAt = createdAt
        self.unusedSince = unusedSince
        self.uses = uses
    }

    /// Since when nothing refers to a file.
    public enum UnusedSince: Hashable, Sendable {
        /// A record let go of it, and no sweep has looked yet whether another one holds it.
        case released
        /// Since a time in milliseconds since 1970.
        case time(Int64)

        /// What engines keep for ``released``, where times are.
        public static let releasedMark: Int64 = -1

        /// Reads what an engine keeps.
        public init(mark: Int64) { self = mark == Self.releasedMark ? .released : .time(mark) }

        /// What an engine keeps.
        public var mark: Int64 {
            switch self {
            case .released: Self.releasedMark
            case .time(let time): time
            }
        }
    }
}

/// A field of a record that refers to a file.
public struct AssetUse: Hashable, Sendable {
    /// The user in whose private database the record is; nil for the public one.
    public var owner: String?
    /// The name of the record's zone.
    public var zoneName: String
    /// The record's name.
    public var recordName: String
    /// The field.
    public var field: String

    /// Creates a row from its columns.
    public init(owner: String?, zoneName: String, recordName: String, field: String) {
        self.owner = owner
        self.zoneName = zoneName
        self.recordName = recordName
        self.field = field
    }
}

/// How much room the files take that the records of a tenant refer to.
public struct AssetUsage: Hashable, Sendable {
    /// The part of one record type.
    public struct TypeUsage: Hashable, Sendable {
        /// The type's name.
        public var recordType: String
        /// How many files its records refer to, each counted once.
        public var files: Int
        /// Their bytes.
        public var bytes: Int64

        /// Creates the usage of one record type.
        public init(recordType: String, files: Int, bytes: Int64) {
            self.recordType = recordType
            self.files = files
            self.bytes = bytes
        }
    }

    /// How many files there are, each counted once.
    public var files: Int
    /// Their bytes.
    public var bytes: Int64
    /// The parts of the types, by name; a file that two types refer to counts in both.
    public var types: [TypeUsage]

    /// Creates a usage, of nothing by default.
    public init(files: Int = 0, bytes: Int64 = 0, types: [TypeUsage] = []) {
        self.files = files
        self.bytes = bytes
        self.types = types
    }
}
