public import Foundation
import NIOSSL
import Synchronization

/// A certificate and its key, in files.
public struct CertificateFiles: Sendable, Equatable {
    /// The certificate with those that lead to its authority, in PEM.
    public var certificate: String
    /// The private key, in PEM and without a passphrase.
    public var key: String

    /// Names the files.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// Why a certificate cannot be served with.
public struct CertificateError: Error, CustomStringConvertible {
    /// The kind of failure.
    public let code: StaticString
    /// What is wrong.
    public let reason: String
    /// What to do.
    public let remedy: String
    /// What lies beneath.
    public let cause: (any Error)?

    init(_ code: StaticString, _ reason: String, remedy: String, cause: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.remedy = remedy
        self.cause = cause
    }

    /// The sentences.
    public var description: String { "\(reason) \(remedy)" }
}

/// A certificate that was read and fits its key.
public struct ServerCertificate: Sendable {
    /// When it ends.
    public let expiresAt: Date
    let context: NIOSSLContext

    /// The least version of TLS that is spoken (RFC 9325, 3.1.1).
    private static let leastVersion = TLSVersion.tlsv12

    /// Reads the files.
    ///
    /// - Throws: ``CertificateError`` that says which file is wrong, and names the command that shows or mends it.
    public init(_ files: CertificateFiles, now: Date = Date()) throws {
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
        configuration.applicationProtocols = ["http/1.1"]
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
                "Look at it with 'openssl x509 -in \(files.certificate) -noout -text'; one in DER becomes PEM by 'openssl x509 -inform der -in FILE -out \(files.certificate)'.",
            cause: cause)
    }

    private static func key(_ files: CertificateFiles) throws -> NIOSSLPrivateKey {
        let bytes = try read(files.key, setting: "--tls-key")
        if String(decoding: bytes, as: UTF8.self).contains("ENCRYPTED") {
            throw CertificateError(
                "key-encrypted",
                "The key \(files.key) has a passphrase, which nobody could type when the server starts.",
                remedy:
                    "Take it off: openssl pkey -in \(files.key) -out \(files.key).plain; then chmod 600 that file."
            )
        }
        do {
            return try NIOSSLPrivateKey(bytes: bytes, format: .pem)
        } catch {
            throw CertificateError(
                "key-unreadable", "\(files.key) holds no private key in PEM.",
                remedy: "Look at it with 'openssl pkey -in \(files.key) -noout -text'.", cause: error)
        }
    }

    private static func read(_ path: String, setting: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw CertificateError(
                "file-unreadable", "The file \(path) of \(setting) cannot be read by this user.",
                remedy:
                    "Look at it with 'ls -l \(path)'; the server's user needs to read it: chgrp USER \(path); chmod 640 \(path)",
                cause: error)
        }
    }
}

/// The certificate that new connections get.
public final class CertificateStore: Sendable {
    /// The files that it is read from.
    public let files: CertificateFiles
    private let current: Mutex<ServerCertificate>
    private let stamp: Mutex<[FileStamp]>

    private struct FileStamp: Equatable {
        var modified: Date?
        var size: Int?
        var number: Int?
    }

    /// Reads the files.
    ///
    /// - Throws: ``CertificateError``.
    public init(_ files: CertificateFiles) throws {
        self.files = files
        stamp = Mutex(Self.stamps(files))
        current = Mutex(try ServerCertificate(files))
    }

    /// The certificate.
    public var certificate: ServerCertificate { current.withLock { $0 } }

    /// Reads the files again where they changed. Connections that are there keep what they have.
    ///
    /// - Returns: whether there is a new certificate.
    /// - Throws: ``CertificateError``, once for each change; the old certificate is served further.
    public func reloadIfChanged() throws -> Bool {
        let now = Self.stamps(files)
        let hasChanged = stamp.withLock { stamp in
            defer { stamp = now }
            return stamp != now
        }
        guard hasChanged else { return false }
        let newer = try ServerCertificate(files)
        current.withLock { $0 = newer }
        return true
    }

    private static func stamps(_ files: CertificateFiles) -> [FileStamp] {
        [files.certificate, files.key].map { path in
            // Those who renew certificates put links in the place of files.
            let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            let attributes = try? FileManager.default.attributesOfItem(atPath: real)
            return FileStamp(
                modified: attributes?[.modificationDate] as? Date,
                size: (attributes?[.size] as? NSNumber)?.intValue,
                number: (attributes?[.systemFileNumber] as? NSNumber)?.intValue)
        }
    }
}
