import Foundation
import RecordEngine
import RecordModel
import RecordStorage

/// Checks whether the master key opens the keys of encrypted fields.
struct MasterKeyInspection {
    private static let check = "master-key"

    let settings: ServerSettings
    /// The databases that have such a key.
    let databases: [KeyedDatabase]

    /// What was found; nothing where no database has a key.
    func findings() -> [StoreFinding] {
        guard !databases.isEmpty else { return [] }
        let count = databases.count == 1 ? "1 database" : "\(Format.grouped(databases.count)) databases"
        guard hasSource else {
            return [
                problem(
                    "\(count) with encrypted fields, and no \(ServerSecret.fileName) to make their master key of."
                )
            ]
        }
        do {
            let key = try MasterKeySource(settings).key()
            if let (database, error) = KeyRotation.firstFailure(of: databases, with: key) {
                return [
                    problem(
                        "\(count) with encrypted fields; those of \(Self.name(database)) do not open: \(error.sentence)"
                    )
                ]
            }
            return [
                StoreFinding(
                    Self.check, .good, "The master key \(key.name) opens the encrypted fields of \(count).")
            ]
        } catch {
            return [problem("\(count) with encrypted fields, and no master key: \(error)")]
        }
    }

    /// Whether the key can be had without making a secret: looking makes no file.
    private var hasSource: Bool {
        settings.masterKeyFile != nil || settings.masterKey != nil || settings.secret != nil
            || FileManager.default.fileExists(atPath: settings.dataDirectory + "/" + ServerSecret.fileName)
    }

    private func problem(_ message: String) -> StoreFinding {
        StoreFinding(
            Self.check, .problem, message,
            remedy:
                "Give the server's STRATUS_MASTER_KEY or STRATUS_MASTER_KEY_FILE to this command too; else restore the key, or stratus.secret, from where you keep it."
        )
    }

    private static func name(_ database: KeyedDatabase) -> String {
        "\(database.id.tenant), " + (database.id.owner.map { "private of \($0)" } ?? "public")
    }
}
