import Crypto
import RecordModel
import RecordWire

/// Seals and opens the encrypted fields of one database's records.
///
/// Each value is sealed by itself with AES-256-GCM under the database's key and a random nonce. The tag covers the container,
/// the environment, the database's owner, the zone, the record's name and the field's: a value that was put anywhere else
/// does not open. Its length is not hidden.
struct DatabaseSeal {
    private static let nonceBytes = 12

    private static let tagBytes = 16

    let database: DatabaseID
    let key: SymmetricKey
    let random: @Sendable (Int) -> [UInt8]

    /// A body with its encrypted fields sealed; one that has none, or sealed ones, as it is.
    func sealed(_ body: [UInt8], zone: String, name: String) throws -> [UInt8] {
        try RecordBody.sealing(body) { field, plain in
            let box = try AES.GCM.seal(
                plain, using: key, nonce: AES.GCM.Nonce(data: random(Self.nonceBytes)),
                authenticating: place(zone, name, field))
            return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        }
    }

    /// A sealed body as it was.
    ///
    /// - Throws: ``SealingError`` for what was sealed elsewhere.
    func opened(_ body: [UInt8], zone: String, name: String) throws -> [UInt8] {
        try RecordBody.opening(body) { field, sealed in
            do {
                return Array(
                    try AES.GCM.open(
                        AES.GCM.SealedBox(combined: sealed), using: key,
                        authenticating: place(zone, name, field)))
            } catch {
                throw SealingError.damaged("The field '\(field.prefix(64))' of a record", cause: error)
            }
        }
    }

    /// How many bytes a body has in the store.
    static func storedBytes(of body: [UInt8]) throws -> Int {
        guard RecordBody.hasEncryptedFields(body) else { return body.count }
        return try RecordBody.sealing(body) { _, plain in
            [UInt8](repeating: 0, count: nonceBytes + plain.count + tagBytes)
        }.count
    }

    private func place(_ zone: String, _ name: String, _ field: String) -> [UInt8] {
        SealedPlace.bytes(
            of: [
                "stratus field", database.tenant.container.rawValue, database.tenant.environment.rawValue,
                database.owner ?? "", zone, name, field,
            ])
    }
}
