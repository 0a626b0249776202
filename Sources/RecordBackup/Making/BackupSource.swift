import Crypto
import Foundation
import RecordModel
public import RecordStorageSQLite

/// What is backed up: a data directory, and who copies its database.
public struct BackupSource: Sendable {
    /// Copies the database into a file that does not exist yet, as of a moment after it was called.
    public typealias CopyDatabase =
        @Sendable (_ path: String, _ progress: @escaping CopyProgress) async throws -> Void

    /// The data directory.
    public var directory: String
    /// The name of the secret's file in it.
    public var secretName: String
    /// Tells stores apart, and says nothing of the secret.
    public var store: String
    let copyDatabase: CopyDatabase

    /// Names a source.
    ///
    /// - Parameters:
    ///   - directory: the data directory.
    ///   - secretName: the name of the secret's file in it; a server whose secret is in its settings has none.
    ///   - key: the server's key: backups of one server are known by it.
    ///   - copyDatabase: copies the database.
    public init(
        directory: String, secretName: String, key: [UInt8], copyDatabase: @escaping CopyDatabase
    ) {
        self.directory = directory
        self.secretName = secretName
        self.copyDatabase = copyDatabase
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("name of the store in its backups".utf8), using: SymmetricKey(data: key))
        store = Array(Array(code).prefix(16)).hex
    }
}
