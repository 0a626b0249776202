public import Foundation
internal import Synchronization

/// A zone: a part of a private database with a change feed and atomic batches of its own.
///
/// Sendable is unchecked because the class is open: what it holds itself never changes, or is behind a mutex.
open class CKRecordZone: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
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

    /// Which of a zone's values have one key.
    public enum EncryptionScope: Int, Sendable {
        /// Each record has its own.
        case perRecord = 0
        /// All records and the share of the zone have one.
        case perZone = 1
    }

    /// The zone's name and owner.
    open private(set) var zoneID: CKRecordZoneID
    /// What the zone can do; empty until the service has said so, and for the default zone.
    open private(set) var capabilities: Capabilities

    /// The share of the whole zone; nil for a zone that is not shared as a whole, and for one that was not fetched.
    open private(set) var share: CKRecord.Reference?

    private let scope = Mutex(EncryptionScope.perRecord)

    /// Which of the zone's encrypted values have one key. Kept for the app: the service has keys of its own, and gives
    /// zones as `perRecord`.
    open var encryptionScope: EncryptionScope {
        get { scope.withLock { $0 } }
        set { scope.withLock { $0 = newValue } }
    }

    /// Creates a custom zone of the user. Saving it creates it at the service.
    public convenience init(zoneName: String) { self.init(zoneID: ID(zoneName: zoneName)) }

    /// Creates a zone.
    public convenience init(zoneID: ID) { self.init(zoneID: zoneID, capabilities: []) }

    init(zoneID: ID, capabilities: Capabilities, share: CKRecord.Reference? = nil) {
        self.zoneID = zoneID
        self.capabilities = capabilities
        self.share = share
    }

    /// The zone that every database has.
    open class func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

    /// Reads a zone from an archive; nil where the archive does not hold one.
    public required init?(coder: NSCoder) {
        guard let zoneID = coder.safeObject(of: CKRecordZoneID.self, forKey: "ZoneID") else { return nil }
        self.zoneID = zoneID
        capabilities = Capabilities(rawValue: UInt(max(0, coder.safeInt64(forKey: "Capabilities"))))
        share = coder.safeObject(of: CKReference.self, forKey: "ShareReference")
        super.init()
        encryptionScope = coder.safeCase(forKey: "EncryptionScope") ?? .perRecord
    }

    /// Writes the zone to an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(zoneID, forKey: "ZoneID")
        coder.encode(Int64(capabilities.rawValue), forKey: "Capabilities")
        coder.encode(Int64(encryptionScope.rawValue), forKey: "EncryptionScope")
        if let share { coder.encode(share, forKey: "ShareReference") }
    }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    /// A zone of the same ID, capabilities, share and scope.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copied = CKRecordZone(zoneID: zoneID, capabilities: capabilities, share: share)
        copied.encryptionScope = encryptionScope
        return copied
    }

    /// Zones are equal when their IDs, capabilities and shares are.
    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordZone else { return false }
        return zoneID == other.zoneID && capabilities == other.capabilities && share == other.share
    }

    override open var hash: Int { zoneID.hash }

    override open var description: String { "CKRecordZone \(zoneID)" }
}
