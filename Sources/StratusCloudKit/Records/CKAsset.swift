public import Foundation
internal import RecordModel
internal import TemporaryFiles

/// A file that belongs to a record.
///
/// An asset that is made with a file is uploaded when its record is saved; the file has to be there until then, and
/// may be removed afterwards. An asset of a record that was fetched has its file downloaded to a temporary place. The
/// file is removed when the last reference to the asset goes, records that hold it among them, or when the process
/// ends. Move it to a place of the app's to keep it.
///
/// Each fetch gives a file of its own: whatever becomes of one, the next fetch gives the content that the service has.
///
/// ```swift
/// let record = try await database.record(for: recordID)
/// if let photo = (record["image"] as? CKAsset)?.fileURL { try FileManager.default.moveItem(at: photo, to: kept) }
/// ```
///
/// Setting a fetched asset in another record of the same database copies it on the service, without a transfer.
///
/// Sendable is unchecked because the class is open: what it holds itself never changes.
open class CKAsset: NSObject, NSSecureCoding, @unchecked Sendable {
    /// Where the service has the file.
    struct Origin: Hashable, Sendable {
        /// The container, environment and database.
        let place: String
        let recordID: CKRecordID
        let field: String
    }

    /// Where the file is on this machine; nil for an asset that has not been downloaded.
    open private(set) var fileURL: URL?
    /// What the service knows of the file; nil for one that was not uploaded.
    let uploaded: Asset?
    /// Where the service has it; nil where that is not known.
    let origin: Origin?
    /// Keeps a file that was downloaded.
    private let file: TemporaryFile?
    /// The file that an archive names: that of the app; one that was downloaded goes with the process.
    var archivedURL: URL? { file == nil ? fileURL : nil }

    /// Creates an asset from a file of this machine, to be uploaded with its record.
    public init(fileURL: URL) {
        self.fileURL = fileURL
        uploaded = nil
        origin = nil
        file = nil
    }

    init(uploaded: Asset, origin: Origin? = nil, file: TemporaryFile? = nil) {
        fileURL = file?.url
        self.uploaded = uploaded
        self.origin = origin
        self.file = file
    }

    init(fileURL: URL?, uploaded: Asset?, origin: Origin?) {
        self.fileURL = fileURL
        self.uploaded = uploaded
        self.origin = origin
        file = nil
    }

    /// Reads an asset from an archive; nil where the archive does not hold one.
    public required convenience init?(coder: NSCoder) { self.init(archive: coder) }

    /// Writes the asset to an archive: where the app's file is, and what the service knows of it.
    ///
    /// The content is not in the archive. A file that was downloaded goes with the process; the asset that is read
    /// knows where the service has it, and its record fetches it again.
    open func encode(with coder: NSCoder) { write(to: coder) }

    /// True: an archive is read with the classes it should hold.
    open class var supportsSecureCoding: Bool { true }

    private init(_ asset: CKAsset, uploaded: Asset, origin: Origin?) {
        fileURL = asset.fileURL
        self.uploaded = uploaded
        self.origin = origin
        file = asset.file
    }

    /// The same file, as the service knows it after its record was saved.
    func saved(as uploaded: Asset, origin: Origin?) -> CKAsset {
        CKAsset(self, uploaded: uploaded, origin: origin)
    }

    /// Assets are equal when the service has the same content of them, or when they name the same file.
    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKAsset else { return false }
        guard let uploaded, let its = other.uploaded else {
            return uploaded == nil && other.uploaded == nil && fileURL == other.fileURL
        }
        return uploaded.fileChecksum == its.fileChecksum && uploaded.size == its.size
    }

    override open var hash: Int { uploaded?.fileChecksum.hashValue ?? fileURL?.hashValue ?? 0 }
}
