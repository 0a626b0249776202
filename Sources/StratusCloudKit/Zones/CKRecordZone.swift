public import Foundation

/// A zone: a part of a private database with a change feed and atomic batches of its own.
public final class CKRecordZone: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The name of a zone and its owner.
    public typealias ID = CKRecordZoneID

    /// What a zone can do.
    public struct Capabilities: OptionSet, Sendable {
        /// One bit for each capability.
        public let rawValue: UInt
        /// Makes a set of capabilities from its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The zone has a change feed.
        public static let fetchChanges = Capabilities(rawValue: 1)
        /// The zone takes atomic batches.
        public static let atomic = Capabilities(rawValue: 2)
        /// Records of the zone can be shared.
        public static let sharing = Capabilities(rawValue: 4)
        /// The whole zone can be shared.
        public static let zoneWideSharing = Capabilities(rawValue: 8)
    }

    /// The zone's name and owner.
    public let zoneID: CKRecordZoneID
    /// What the zone can do; empty until the service has said so, and for the default zone.
    public let capabilities: Capabilities

    /// Describes a custom zone of the user; it comes to be when it is saved.
    public convenience init(zoneName: String) { self.init(zoneID: ID(zoneName: zoneName)) }

    /// Describes a zone.
    public convenience init(zoneID: ID) { self.init(zoneID: zoneID, capabilities: []) }

    init(zoneID: ID, capabilities: Capabilities) {
        self.zoneID = zoneID
        self.capabilities = capabilities
    }

    /// The zone that every database has.
    public static func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

    /// Reads a zone from an archive; nil where it is none.
    public init?(coder: NSCoder) {
        guard let zoneID = coder.safeObject(of: CKRecordZoneID.self, forKey: "ZoneID") else { return nil }
        self.zoneID = zoneID
        capabilities = Capabilities(rawValue: UInt(max(0, coder.safeInt64(forKey: "Capabilities"))))
    }

    /// Writes the zone to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(zoneID, forKey: "ZoneID")
        coder.encode(Int64(capabilities.rawValue), forKey: "Capabilities")
    }

    /// True: an archive is read with the classes it should hold.
    public static var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    override public var description: String { "CKRecordZone \(zoneID)" }
}
