internal import Foundation

/// What a file to upload looked like at a moment: enough to see that it was changed meanwhile.
struct FileState: Equatable, Sendable {
    let size: Int64
    private let modified: Date?
    private let number: Int?

    /// Looks at a file.
    ///
    /// - Throws: `CKError.assetFileNotFound` where there is none that can be read.
    init(_ url: URL) throws(CKError) {
        let path = url.resolvingSymlinksInPath().path
        guard url.isFileURL, FileManager.default.isReadableFile(atPath: path),
            // One that cannot be looked at is thrown as not found.
            let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            attributes[.type] as? FileAttributeType == .typeRegular
        else {
            throw CKError(
                .assetFileNotFound, "There is no file to be read at '\(url.path)'.",
                remedy: "An asset's file must exist until its record is saved.")
        }
        size = (attributes[.size] as? NSNumber)?.int64Value ?? 0
        modified = attributes[.modificationDate] as? Date
        number = (attributes[.systemFileNumber] as? NSNumber)?.intValue
    }
}
