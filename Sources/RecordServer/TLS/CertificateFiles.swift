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
