import Crypto
import Foundation

/// Encrypts a message for a browser: RFC 8291 over the content coding `aes128gcm` of RFC 8188, in one record.
enum WebPushEncryption {
    /// The length of the record, which the header names; push services take 4,096 bytes (RFC 8030, 7.2).
    static let recordBytes = 4_096
    static let saltBytes = 16
    private static let pointBytes = 65
    private static let tagBytes = 16
    /// Salt, record length, length of the key and the key (RFC 8188, 2.1).
    private static let headerBytes = saltBytes + 4 + 1 + pointBytes
    /// The longest message: what is left of a record beside the header, the tag and the delimiter.
    static let mostBytes = recordBytes - headerBytes - tagBytes - 1

    /// - Parameters:
    ///   - message: at most ``mostBytes`` bytes.
    ///   - receiver: the browser's public key, `p256dh`.
    ///   - auth: the browser's secret, `auth`.
    ///   - sender: a key pair for this message alone.
    ///   - salt: ``saltBytes`` random bytes.
    /// - Throws: what the library throws for keys that do not fit.
    static func encrypt(
        _ message: [UInt8], for receiver: P256.KeyAgreement.PublicKey, auth: [UInt8],
        sender: P256.KeyAgreement.PrivateKey, salt: [UInt8]
    ) throws -> [UInt8] {
        let own = Array(sender.publicKey.x963Representation)
        let shared = try sender.sharedSecretFromKeyAgreement(with: receiver)
        let info = Array("WebPush: info".utf8) + [0] + Array(receiver.x963Representation) + own
        let material = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: auth, sharedInfo: info, outputByteCount: 32)
        let key = derive(material, salt, "Content-Encoding: aes128gcm", 16)
        let nonce = derive(material, salt, "Content-Encoding: nonce", 12)
        // 2 ends the last record; nothing is padded.
        let sealed = try AES.GCM.seal(
            message + [2], using: key, nonce: AES.GCM.Nonce(data: nonce.withUnsafeBytes { Array($0) }))
        let length = UInt32(recordBytes)
        let lengthBytes = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32($0))) }
        return salt + lengthBytes + [UInt8(own.count)] + own + Array(sealed.ciphertext) + Array(sealed.tag)
    }

    private static func derive(
        _ material: SymmetricKey, _ salt: [UInt8], _ label: String, _ count: Int
    ) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: material, salt: salt, info: Array(label.utf8) + [0], outputByteCount: count)
    }
}
