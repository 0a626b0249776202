import Foundation

/// Takes the secret of one data directory to another: with it, sync tokens and markers stay valid.
struct SecretCopy {
    private let bytes: Data?
    private let path: String

    /// Checks whether it can be done.
    ///
    /// - Throws: a ``Failure`` where the target has another secret.
    init(from source: CopySide, to target: CopySide) throws {
        guard !source.sharesFiles(with: target), let from = source.dataDirectory,
            let to = target.dataDirectory
        else {
            bytes = nil
            path = ""
            return
        }
        path = to + "/" + ServerSecret.fileName
        // A server whose secret is in its settings has no file.
        bytes = FileManager.default.contents(atPath: from + "/" + ServerSecret.fileName)
        if let bytes, let there = FileManager.default.contents(atPath: path), there != bytes {
            throw Failure(
                "\(to) has a secret of its own already, so it is not empty.",
                remedy: "Name another directory, or remove \(path).")
        }
    }

    /// Writes it.
    func run() throws {
        guard let bytes, !FileManager.default.fileExists(atPath: path) else { return }
        let draft = path + ".\(getpid())"
        // A draft that stays is only the owner's to read, as the secret is.
        defer { if OutputFile.isOrdinaryOrMissing(draft) { unlink(draft) } }
        try ServerSecret.write(Array(bytes), to: draft)
        // A link replaces nothing that came in between.
        guard link(draft, path) == 0 else {
            throw Failure("The secret \(path) cannot be written.", remedy: "Make its directory writable.")
        }
    }
}
