import HTTPTypes
import HummingbirdCore
import NIOCore

/// Whose word counts for where a request comes from.
///
/// This machine is trusted, since a proxy usually runs beside the server: connections from it have no share, and its
/// requests have that of the address in `X-Forwarded-For`, where there is one. `Forwarded` and `X-Real-IP` are not read.
public struct TrustedProxies: Sendable {
    private let addresses: Set<InternetAddress>
    private let trustsLoopback: Bool
    private static let forwardedFor = HTTPField.Name.constant("X-Forwarded-For")

    init(_ addresses: [String] = [], trustsLoopback: Bool = true) {
        self.addresses = Set(addresses.compactMap { Self.address($0) })
        self.trustsLoopback = trustsLoopback
    }

    /// Whether a text is an address that a proxy can have.
    public static func isAddress(_ text: String) -> Bool { address(text) != nil }

    /// Brackets are let through, as addresses of IPv6 have them elsewhere; a port is not, since the next connection has another.
    private static func address(_ text: String) -> InternetAddress? {
        let text = text.filter { $0 != " " }
        return InternetAddress(
            text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...])
    }

    private func trust(_ address: InternetAddress) -> Bool {
        trustsLoopback && address.isLoopback || addresses.contains(address)
    }

    /// The client at the other end of a connection; nil where many may stand behind it.
    func client(of channel: any Channel) -> ClientAddress? {
        guard let address = InternetAddress(channel.remoteAddress), !trust(address) else { return nil }
        return ClientAddress(address)
    }

    /// The client that sent a request: the last address that a proxy noted and that is none of a proxy, or the last proxy where
    /// what it noted is no address (``ForwardedNote``). Nil where a proxy or this machine asks for itself.
    func client(of request: Request, over channel: any Channel) -> ClientAddress? {
        guard let address = InternetAddress(channel.remoteAddress) else { return nil }
        guard trust(address) else { return ClientAddress(address) }
        // Several headers are one list (RFC 9110, 5.3), in their order.
        guard let note = request.headers[Self.forwardedFor] else { return nil }
        return ForwardedNote.client(note, over: address, isTrusted: trust).map { ClientAddress($0) }
    }
}
