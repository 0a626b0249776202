// Owns `stat` in the eyes of the compiler where FoundationEssentials was loaded before, as jwt-kit does.
import CoreFoundation
import Foundation

/// A small file in which work that takes long keeps how far it got, so that the same command goes on from there.
struct StateFile: Sendable {
    /// Where it is.
    let path: String

    /// What it holds; nil where it is not there.
    var contents: [UInt8]? {
        guard isOrdinaryOrMissing else { return nil }
        return FileManager.default.contents(atPath: path).map { Array($0) }
    }

    /// Writes it so that a reader sees the old content or the new one, whole.
    ///
    /// - Throws: a ``Failure`` with the reason.
    func write(_ bytes: [UInt8], remedy: String) throws(Failure) {
        guard isOrdinaryOrMissing else {
            throw Failure.usage(
                "The state file \(path) is a link, a folder or a device, so it stays as it is.",
                remedy: "Name an ordinary file, or one that does not exist yet.")
        }
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Failure(
                "The state file \(path) cannot be written: \(error.localizedDescription)", remedy: remedy)
        }
    }

    /// Removes it; that it is not there is no error.
    // Writing says what is wrong with a file that stays.
    func remove() { if isOrdinaryOrMissing { unlink(path) } }

    /// Whether the path has an ordinary file or nothing: anything else is nobody's state, and is not replaced or removed.
    private var isOrdinaryOrMissing: Bool { OutputFile.isOrdinaryOrMissing(path) }
}
