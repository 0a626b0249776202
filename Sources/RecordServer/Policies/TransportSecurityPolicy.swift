import HTTPTypes
import HummingbirdCore

/// Has browsers come back over HTTPS only, where the server is reached by it.
struct TransportSecurityPolicy: RequestPolicy {
    let isOn: Bool

    /// - Parameter address: a proxy that ends TLS, as an https address says, passes the header on. Browsers ignore it over plain HTTP.
    init(_ address: PublicAddress) {
        isOn = address.isSecure || address.publicURL?.hasPrefix("https://") == true
    }

    func leave(_ passage: inout RequestPassage, _ response: inout Response) {
        if isOn { response.headers[.strictTransportSecurity] = Self.strictTransport }
    }

    /// How long browsers are not to ask over plain HTTP again (RFC 6797, 6.1.1): a year, as usual.
    private static let strictTransport = "max-age=31536000"
}
