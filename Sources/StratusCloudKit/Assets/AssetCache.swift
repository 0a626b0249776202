internal import Foundation
internal import RecordModel
internal import Synchronization
internal import TemporaryFiles

/// The files of a container's assets that were downloaded and that somebody still holds.
///
/// Each fetch has a file of its own, so what an app does to one reaches no other record. While a file with the same
/// content is here, it is copied and not downloaded again. Apps move such files, write over them and put others in
/// their place, so a copy counts only where its bytes have the checksum that the service gives.
final class AssetCache: Sendable {
    private struct Key: Hashable {
        let checksum: String
        let size: Int64

        init(_ asset: Asset) { (checksum, size) = (asset.fileChecksum, asset.size) }
    }

    private struct Entry {
        weak var file: TemporaryFile?
    }

    private let directory = ScratchDirectory(name: "stratus-assets")
    private let entries = Mutex<[Key: [Entry]]>([:])

    /// A new file with the content of an asset, copied from one that somebody holds; nil where none is whole any more.
    ///
    /// - Throws: why there is no place for it.
    func copy(of asset: Asset) throws(CKError) -> TemporaryFile? {
        for source in files(of: asset) {
            let file = try newFile()
            if FileDigest.copy(source.url, to: file.url, of: asset) { return keep(file, of: asset) }
            forget(source, of: asset)
        }
        return nil
    }

    /// A place for a download.
    ///
    /// - Throws: why there is none.
    func newFile() throws(CKError) -> TemporaryFile {
        do {
            return try TemporaryFile(in: directory)
        } catch {
            throw CKError(
                .internalError, error.sentence, remedy: error.remedy, userInfo: [NSUnderlyingErrorKey: error])
        }
    }

    /// Notes a whole file to copy from for as long as somebody holds it, and gives it back.
    func keep(_ file: TemporaryFile, of asset: Asset) -> TemporaryFile {
        entries.withLock { entries in
            if entries.count >= 1_024 { entries = entries.filter { $0.value.contains { $0.file != nil } } }
            entries[Key(asset), default: []].removeAll { $0.file == nil }
            entries[Key(asset), default: []].append(Entry(file: file))
        }
        return file
    }

    /// The files that once had the content, the newest first.
    private func files(of asset: Asset) -> [TemporaryFile] {
        entries.withLock { ($0[Key(asset)] ?? []).reversed().compactMap(\.file) }
    }

    /// Forgets a file that does not have the content any more, so that it is read once in vain.
    private func forget(_ file: TemporaryFile, of asset: Asset) {
        entries.withLock { $0[Key(asset)]?.removeAll { $0.file == nil || $0.file === file } }
    }
}
