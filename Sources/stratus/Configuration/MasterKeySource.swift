import Foundation
import RecordEngine
import RecordStorage
import Synchronization

/// Where the master key of encrypted fields comes from.
///
/// It is read when it is first needed, and again after a failure: a server starts without it, and answers all that needs
/// no key.
final class MasterKeySource: Sendable {
    private let settings: ServerSettings
    private let known = Mutex<MasterKey?>(nil)

    init(_ settings: ServerSettings) { self.settings = settings }

    /// The key.
    ///
    /// - Throws: a ``Failure`` that names what cannot be read.
    func key() throws -> MasterKey {
        if let key = known.withLock({ $0 }) { return key }
        let key = try read()
        known.withLock { $0 = key }
        return key
    }

    private func read() throws -> MasterKey {
        if let path = settings.masterKeyFile { return try Self.key(inFile: path) }
        if let text = settings.masterKey, let key = MasterKey(text: text) { return key }
        return MasterKey(of: ServiceSecret(bytes: try ServerSecret.key(for: settings)))
    }

    /// The longest file that is taken for one with a key, in bytes.
    private static let mostBytes = 65_536

    /// The key of which a file has the text.
    ///
    /// - Throws: a ``Failure`` that names the file.
    static func key(inFile path: String) throws -> MasterKey {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw Failure(
                "The master key \(path) cannot be read.",
                remedy: "Name a file that the server's user may read.")
        }
        defer { try? handle.close() }
        let bytes = try handle.read(upToCount: mostBytes + 1) ?? Data()
        guard bytes.count <= mostBytes, let text = String(data: bytes, encoding: .utf8),
            let key = MasterKey(text: text)
        else {
            throw Failure(
                "The master key \(path) is not a text of at least \(MasterKey.shortestText) bytes.",
                remedy: "Make one: openssl rand -hex 32 > \(path); chmod 600 \(path)")
        }
        return key
    }
}

extension ServerSettings {
    /// A store whose encrypted fields are sealed with the key of these settings.
    func sealed(_ store: any RecordStore) -> any RecordStore {
        let source = MasterKeySource(self)
        return SealedStore(
            store, keys: SealingKeys(random: ServiceEnvironment.system.random, master: source.key))
    }
}
