public import Foundation
internal import RecordModel
internal import RecordWire

/// Where the next page of a query begins. Write it as `CKQueryOperation.Cursor`.
///
/// Opaque. It says which row was the last one, not how many there were, so it can be archived and used after
/// the app or the service was restarted: rows that did not change meanwhile are neither skipped nor repeated.
public final class CKQueryCursor: NSObject, NSSecureCoding, NSCopying, Sendable {
    // NB: at the top level for NSKeyedArchiver's sake, as CKRecordID is.

    /// The query, its zone and the marker of the page before.
    let request: RecordsQueryRequest
    /// The zone as the app named it.
    let zoneID: CKRecordZoneID?

    init(request: RecordsQueryRequest, zoneID: CKRecordZoneID?) {
        self.request = request
        self.zoneID = zoneID
    }

    /// Reads a cursor from an archive; nil where the archive does not hold one.
    public init?(coder: NSCoder) {
        guard let data = coder.safeData(forKey: "Request"),
            let json = try? JSONReader.read(data).object,
            let request = try? RecordsQueryRequest(json: json)
        else { return nil }
        self.request = request
        zoneID = coder.safeObject(of: CKRecordZoneID.self, forKey: "ZoneID")
    }

    /// Writes the cursor to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(NSData(data: Data(request.encoded())), forKey: "Request")
        if let zoneID { coder.encode(zoneID, forKey: "ZoneID") }
    }

    /// True: an archive is read with the classes it should hold.
    public static var supportsSecureCoding: Bool { true }

    /// The receiver itself, since it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKQueryCursor else { return false }
        return request == other.request && zoneID == other.zoneID
    }

    override public var hash: Int { request.hashValue }
}
