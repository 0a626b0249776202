import Foundation
import RecordModel

/// The files that came and are not in the archive yet, one digest on each line. It outlives the process, not a power cut: after that
/// a new base compares all files.
final class PlacedJournal: Sendable {
    private let path: String

    /// Makes the folder where it is missing; what cannot be made shows when the log is to be written there.
    init(folder: String) {
        // One that is there is what is wanted; without one, the log says so when it is written.
        mkdir(folder, 0o700)
        path = folder + "/files.txt"
    }

    /// What an earlier process noted.
    func read() -> Set<AssetDigest> {
        let text =
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return Set(text.split(separator: "\n").compactMap { AssetDigest(hex: String($0)) })
    }

    /// Adds one.
    func add(_ digest: AssetDigest) { append([digest], O_APPEND) }

    /// Has these alone.
    func write(_ digests: Set<AssetDigest>) { append(digests, O_TRUNC) }

    /// What the disk refuses is sent by this process all the same, or with the next base.
    private func append(_ digests: some Sequence<AssetDigest>, _ mode: Int32) {
        guard Files.isOrdinaryOrMissing(path) else { return }
        let file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | mode, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        let bytes = Array(digests.map { $0.hex + "\n" }.joined().utf8)
        // What is missing here is sent again, as said above.
        _ = bytes.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
    }
}
