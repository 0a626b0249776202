import HTTPTypes
import HummingbirdCore
import NIOCore

/// Whose word counts for where a request comes from.
///
/// This machine is trusted, since a proxy usually runs beside the server: connections from it have no share, and its
/// requests have that of the address in `X-Forwarded-For`, where there is one.
public struct TrustedProxies: Sendable {
    private let addresses: Set<ClientAddress>
    private let trustsLoopback: Bool
    private static let forwardedFor = HTTPField.Name.constant("X-Forwarded-For")

    init(_ addresses: [String] = [], trustsLoopback: Bool = true) {
        self.addresses = Set(addresses.compactMap { ClientAddress(text: $0) })
        self.trustsLoopback = trustsLoopback
    }

    /// Whether a text is an address that a proxy can have.
    public static func isAddress(_ text: String) -> Bool { ClientAddress(text: text) != nil }

    private func trust(_ address: ClientAddress) -> Bool {
        trustsLoopback && address.isLoopback || addresses.contains(address)
    }

    /// The client at the other end of a connection; nil where many may stand behind it.
    func client(of channel: any Channel) -> ClientAddress? {
        guard let address = ClientAddress(channel.remoteAddress), !trust(address) else { return nil }
        return address
    }

    /// The client that sent a request: the last address that a proxy noted and that is none of a proxy. What stands
    /// before it may be the client's own invention.
    func client(of request: Request, over channel: any Channel) -> ClientAddress? {
        guard let address = ClientAddress(channel.remoteAddress) else { return nil }
        guard trust(address) else { return address }
        guard let noted = request.headers[Self.forwardedFor] else { return nil }
        return noted.split(separator: ",").reversed().lazy.compactMap { ClientAddress(text: $0) }
            .first { !trust($0) }
    }
}
