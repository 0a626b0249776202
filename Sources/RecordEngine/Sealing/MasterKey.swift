import Crypto
import Foundation
import RecordModel

/// The key that wraps the keys of databases, and nothing else.
///
/// A database's key is 32 random bytes. What the store has of it is a version (1), the short name of the master key (8
/// bytes), a nonce (12), the encrypted key (32) and its tag (16): AES-256-GCM, bound to the database's container,
/// environment and owner. So another master key needs new wraps, of which there are as many as databases, and no field is
/// touched.
public struct MasterKey: Sendable {
    private static let version: UInt8 = 1
    private static let nameBytes = 8
    /// The shortest text of which a key is made.
    public static let shortestText = 32

    private let key: SymmetricKey
    private let nameOfKey: [UInt8]

    /// The short name of the key, which does not tell it: 16 hexadecimal digits.
    public var name: String { nameOfKey.hex }

    /// The key that an installation has by itself, made of its secret.
    public init(of secret: ServiceSecret) {
        // HKDF's second step (RFC 5869), the secret being a random key already.
        var code = secret.code
        code.update(data: Array("stratus master key of the installation".utf8) + [1])
        self.init(SymmetricKey(data: Data(code.finalize())))
    }

    /// A key made of a text that the operator keeps.
    ///
    /// - Parameter text: ``shortestText`` bytes or more, of which white space at both ends does not count; nil is given for
    ///   fewer.
    public init?(text: String) {
        let text = Array(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
        guard text.count >= Self.shortestText else { return nil }
        self.init(
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: text), info: Array("stratus master key".utf8),
                outputByteCount: 32))
    }

    private init(_ key: SymmetricKey) {
        self.key = key
        let code = HMAC<SHA256>.authenticationCode(for: Array("name".utf8), using: key)
        nameOfKey = Array(Array(code).prefix(Self.nameBytes))
    }

    /// Wraps a database's key.
    func wrap(_ plain: SymmetricKey, of database: DatabaseID, nonce: [UInt8]) throws -> [UInt8] {
        let box = try AES.GCM.seal(
            plain.withUnsafeBytes { Array($0) }, using: key, nonce: AES.GCM.Nonce(data: nonce),
            authenticating: Self.place(of: database))
        return [Self.version] + nameOfKey + Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    /// The key of a database.
    ///
    /// - Throws: ``SealingError`` where another master key wrapped it, or it is another database's.
    func unwrap(_ wrapped: [UInt8], of database: DatabaseID) throws(SealingError) -> SymmetricKey {
        let head = 1 + Self.nameBytes
        guard wrapped.first == Self.version, wrapped.count > head else {
            throw .damaged("The key of a database")
        }
        guard isWrappedHere(wrapped) else {
            throw .wrongKey(theirs: Self.name(in: wrapped), ours: name)
        }
        do {
            let box = try AES.GCM.SealedBox(combined: wrapped[head...])
            return SymmetricKey(
                data: try AES.GCM.open(box, using: key, authenticating: Self.place(of: database)))
        } catch {
            throw .damaged("The key of a database", cause: error)
        }
    }

    /// Whether this key wrapped a database's key.
    func isWrappedHere(_ wrapped: [UInt8]) -> Bool {
        Array(wrapped.dropFirst().prefix(Self.nameBytes)) == nameOfKey
    }

    /// The short name of the master key that wrapped a database's key.
    static func name(in wrapped: [UInt8]) -> String { Array(wrapped.dropFirst().prefix(nameBytes)).hex }

    private static func place(of database: DatabaseID) -> [UInt8] {
        SealedPlace.bytes(
            of: [
                "stratus database key", database.tenant.container.rawValue,
                database.tenant.environment.rawValue, database.owner ?? "",
            ])
    }
}

/// Where something sealed belongs, as the bytes that its tag covers.
enum SealedPlace {
    /// Each text after its length, so that no two lists give the same.
    static func bytes(of texts: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for text in texts {
            withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: text.utf8)
        }
        return bytes
    }
}
