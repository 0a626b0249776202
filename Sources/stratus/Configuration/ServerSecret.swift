import Crypto
import Foundation

/// The secret with which the service seals markers and sync tokens: it has to be the same after a restart, and
/// on every node of one service.
enum ServerSecret {
    /// The shortest text that is taken for a secret.
    static let shortestText = 32
    /// The name of the file in the data directory.
    static let fileName = "stratus.secret"
    /// The fewest bytes of a secret that was made.
    static let byteCount = 32

    /// The key for settings: made from the secret that was given, else kept in the data directory.
    ///
    /// - Throws: a ``Failure`` when the file can be neither read nor made.
    static func key(for settings: ServerSettings) throws -> [UInt8] {
        if let secret = settings.secret { return Array(SHA256.hash(data: Data(secret.utf8))) }
        return try key(in: settings.dataDirectory)
    }

    /// The key of a data directory, made at the first call.
    static func key(in directory: String) throws -> [UInt8] {
        let path = directory + "/" + fileName
        if let bytes = try read(path) { return bytes }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
        // Made under another name and linked: a file of this name is always whole, and of two processes that
        // start at once the second one takes the first one's.
        let draft = path + ".\(getpid())"
        // A draft that stays is only the owner's to read, as the secret is; the next start of this number replaces it.
        defer { if OutputFile.isOrdinaryOrMissing(draft) { unlink(draft) } }
        try write(bytes, to: draft)
        if link(draft, path) == 0 { return bytes }
        guard let winner = try read(path) else { throw Failure("The secret \(path) cannot be made.") }
        return winner
    }

    /// Writes a draft of a secret, in the place of one that a process of this number left.
    static func write(_ bytes: [UInt8], to draft: String) throws {
        // Where one stays, making it fails, and that is said.
        if OutputFile.isOrdinaryOrMissing(draft) { unlink(draft) }
        do { try OutputFile.makePrivate(draft).write(contentsOf: Data(bytes)) } catch {
            throw Failure(
                "The secret \(draft) cannot be written.", remedy: "Make its directory writable.")
        }
    }

    private static func read(_ path: String) throws -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path), data.count >= byteCount else {
            throw Failure(
                "The secret \(path) cannot be read or is too short.",
                remedy:
                    "Restore it from a backup; or remove it, which ends all continuation markers and sync tokens, and loses encrypted fields where no masterKey is set."
            )
        }
        return Array(data)
    }
}
