/// The name of a zone and, where it is not the caller's own, its owner.
public struct ZoneID: Hashable, Sendable, CustomStringConvertible {
    /// The name that every database's built-in zone has.
    public static let defaultName = "_defaultZone"

    /// The built-in zone of the caller's database.
    public static let `default` = ZoneID(zoneName: defaultName)

    /// The name of the zone, unique in its database.
    public var zoneName: String

    /// The user record name of the owner; nil stands for the caller.
    public var ownerName: String?

    /// Names a zone.
    public init(zoneName: String, ownerName: String? = nil) {
        self.zoneName = zoneName
        self.ownerName = ownerName
    }

    /// Whether this is the built-in zone, which has no change feed and no atomic batches.
    public var isDefault: Bool { zoneName == Self.defaultName }

    public var description: String { zoneName }
}

/// A place where a record is, or could be: its name and its zone.
public struct RecordID: Hashable, Sendable {
    /// Unique in its zone, over all record types.
    @ExactText public var recordName: String
    /// The zone.
    public var zoneID: ZoneID

    /// Names a record in a zone.
    public init(recordName: String, zoneID: ZoneID = .default) {
        self.recordName = recordName
        self.zoneID = zoneID
    }
}
