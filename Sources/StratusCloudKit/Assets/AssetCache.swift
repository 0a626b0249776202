internal import Foundation
internal import RecordModel
internal import Synchronization
internal import TemporaryFiles

/// The files of a container's assets that were downloaded and that somebody still holds.
///
/// A file lives as long as an asset that points at it. While it does, records with the same content share it
/// and do not download it again.
final class AssetCache: Sendable {
    private struct Key: Hashable {
        let checksum: String
        let size: Int64
    }

    private struct Entry {
        weak var file: TemporaryFile?
    }

    private let directory = ScratchDirectory(name: "stratus-assets")
    private let entries = Mutex<[Key: Entry]>([:])

    /// The file of an asset, where somebody holds it.
    func file(of asset: Asset) -> TemporaryFile? {
        entries.withLock { $0[Self.key(asset)]?.file }
    }

    /// A place for a download.
    func newFile() throws(CKError) -> TemporaryFile {
        do {
            return try TemporaryFile(in: directory)
        } catch {
            throw CKError(
                .internalError, error.sentence, remedy: error.remedy, userInfo: [NSUnderlyingErrorKey: error])
        }
    }

    /// Shares a file that was downloaded; gives the one that was there first.
    func keep(_ file: TemporaryFile, of asset: Asset) -> TemporaryFile {
        entries.withLock { entries in
            if let other = entries[Self.key(asset)]?.file { return other }
            if entries.count >= 1_024 { entries = entries.filter { $0.value.file != nil } }
            entries[Self.key(asset)] = Entry(file: file)
            return file
        }
    }

    private static func key(_ asset: Asset) -> Key { Key(checksum: asset.fileChecksum, size: asset.size) }
}
