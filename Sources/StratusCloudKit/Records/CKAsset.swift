public import Foundation
internal import RecordModel

/// A file that belongs to a record.
///
/// Assets are not served yet: a record with one that was set by the app cannot be saved, the error says so.
public final class CKAsset: NSObject, Sendable {
    /// Where the file is on this machine; nil for an asset that has not been downloaded.
    public let fileURL: URL?
    /// What the service knows of the file; nil for one that was not uploaded.
    let uploaded: Asset?

    /// Describes a file of this machine, to be uploaded with its record.
    public init(fileURL: URL) {
        self.fileURL = fileURL
        uploaded = nil
    }

    init(uploaded: Asset) {
        fileURL = nil
        self.uploaded = uploaded
    }

    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKAsset else { return false }
        return fileURL == other.fileURL && uploaded == other.uploaded
    }

    override public var hash: Int { fileURL?.hashValue ?? uploaded?.hashValue ?? 0 }
}
