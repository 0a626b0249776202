import Foundation
import Synchronization

/// The certificate that new connections get.
public final class CertificateStore: Sendable {
    /// The files that it is read from.
    public let files: CertificateFiles
    private let offersHTTP2: Bool
    private let current: Mutex<ServerCertificate>
    private let stamp: Mutex<[FileStamp]>

    private struct FileStamp: Equatable {
        var modified: Date?
        var size: Int?
        var number: Int?
    }

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - files: the certificate and its key.
    ///   - offersHTTP2: whether clients may choose HTTP/2; without it they speak HTTP/1.1.
    /// - Throws: ``CertificateError``.
    public init(_ files: CertificateFiles, offersHTTP2: Bool = true) throws {
        self.files = files
        self.offersHTTP2 = offersHTTP2
        stamp = Mutex(Self.stamps(files))
        current = Mutex(try ServerCertificate(files, offersHTTP2: offersHTTP2))
    }

    /// The certificate.
    public var certificate: ServerCertificate { current.withLock { $0 } }

    /// Reads the files again where they changed. Connections that are there keep what they have.
    ///
    /// - Returns: whether there is a new certificate.
    /// - Throws: ``CertificateError``, once for each change; the old certificate stays in use.
    public func reloadIfChanged() throws -> Bool {
        let now = Self.stamps(files)
        let hasChanged = stamp.withLock { stamp in
            defer { stamp = now }
            return stamp != now
        }
        guard hasChanged else { return false }
        let newer = try ServerCertificate(files, offersHTTP2: offersHTTP2)
        current.withLock { $0 = newer }
        return true
    }

    private static func stamps(_ files: CertificateFiles) -> [FileStamp] {
        [files.certificate, files.key].map { path in
            // Those who renew certificates put links in the place of files.
            let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
            // A file that is gone has another stamp, and reading it says why.
            let attributes = try? FileManager.default.attributesOfItem(atPath: real)
            return FileStamp(
                modified: attributes?[.modificationDate] as? Date,
                size: (attributes?[.size] as? NSNumber)?.intValue,
                number: (attributes?[.systemFileNumber] as? NSNumber)?.intValue)
        }
    }
}
