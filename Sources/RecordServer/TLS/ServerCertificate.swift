public import Foundation
import NIOSSL

/// A certificate that was read and fits its key.
public struct ServerCertificate: Sendable {
    /// When it ends.
    public let expiresAt: Date
    let context: NIOSSLContext

    /// The least version of TLS that is spoken (RFC 9325, 3.1.1).
    private static let leastVersion = TLSVersion.tlsv12

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - files: the certificate and its key.
    ///   - offersHTTP2: whether clients may choose HTTP/2.
    ///   - now: when it has to be good.
    /// - Throws: ``CertificateError`` that says which file is wrong, and names the command that shows or fixes it.
    public init(_ files: CertificateFiles, offersHTTP2: Bool = true, now: Date = Date()) throws {
        let chain = try Self.chain(files)
        let key = try Self.key(files)
        guard let own = chain.first else { throw Self.noCertificate(files, nil) }
        expiresAt = Date(timeIntervalSince1970: TimeInterval(own.notValidAfter))
        guard expiresAt > now else {
            throw CertificateError(
                "certificate-expired",
                "The certificate \(files.certificate) ended at \(expiresAt.ISO8601Format()).",
                remedy: "Renew it: with certbot by 'certbot renew', then start the server.")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = Self.leastVersion
        configuration.applicationProtocols =
            (offersHTTP2 ? [SecureChannel.http2] : []) + [SecureChannel.http1]
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw CertificateError(
                "certificate-mismatch",
                "The key \(files.key) does not belong to the certificate \(files.certificate).",
                remedy:
                    "Compare 'openssl x509 -in \(files.certificate) -noout -pubkey' with 'openssl pkey -in \(files.key) -pubout', and name the files that belong together.",
                cause: error)
        }
    }

    private static func chain(_ files: CertificateFiles) throws -> [NIOSSLCertificate] {
        let bytes = try read(files.certificate, setting: "--tls-certificate")
        do {
            return try NIOSSLCertificate.fromPEMBytes(bytes)
        } catch {
            throw noCertificate(files, error)
        }
    }

    private static func noCertificate(_ files: CertificateFiles, _ cause: (any Error)?) -> CertificateError {
        CertificateError(
            "certificate-unreadable", "\(files.certificate) holds no certificate in PEM.",
            remedy:
                "Check it with 'openssl x509 -in \(files.certificate) -noout -text'; one in DER becomes PEM by 'openssl x509 -inform der -in FILE -out \(files.certificate)'.",
            cause: cause)
    }

    private static func key(_ files: CertificateFiles) throws -> NIOSSLPrivateKey {
        let bytes = try read(files.key, setting: "--tls-key")
        if String(decoding: bytes, as: UTF8.self).contains("ENCRYPTED") {
            throw CertificateError(
                "key-encrypted",
                "The key \(files.key) has a passphrase, which nobody can enter when the server starts.",
                remedy:
                    "Remove it: openssl pkey -in \(files.key) -out \(files.key).plain; then chmod 600 that file."
            )
        }
        do {
            return try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        } catch {
            throw CertificateError(
                "key-unreadable", "\(files.key) holds no private key in PEM.",
                remedy: "Check it with 'openssl pkey -in \(files.key) -noout -text'.", cause: error)
        }
    }

    private static func read(_ path: String, setting: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw CertificateError(
                "file-unreadable", "The file \(path) of \(setting) cannot be read by this user.",
                remedy:
                    "Check it with 'ls -l \(path)': the server's user must be able to read it: chgrp USER \(path); chmod 640 \(path)",
                cause: error)
        }
    }
}
