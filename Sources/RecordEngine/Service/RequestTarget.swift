public import RecordModel
public import RecordWire

/// What the address of a request names: the one place that takes addresses apart, for every way in.
public struct RequestTarget: Sendable {
    /// The path without the query.
    public let path: Substring
    /// What follows the `?`, still percent-encoded.
    public let query: Substring

    /// Takes the target of a request line: a path, and perhaps a query.
    public init(_ target: String) {
        let parts = target[...].parts(at: UInt8(ascii: "?"), most: 2)
        path = parts[0][...]
        query = parts.count == 2 ? parts[1][...] : ""
    }

    /// The tokens that the query carries.
    public var credentials: Credentials {
        var credentials = Credentials(apiToken: nil, webAuthToken: nil)
        for (name, value) in members {
            switch name {
            case "ckAPIToken": credentials.apiToken = Self.decoded(value)
            case "ckWebAuthToken": credentials.webAuthToken = Self.decoded(value)
            case "publicAccessAuthToken": credentials.shareToken = Self.decoded(value)
            default: break
            }
        }
        return credentials
    }

    /// The members of the query that have a value, still percent-encoded.
    private var members: some Sequence<(name: String, value: Substring)> {
        query.parts(at: UInt8(ascii: "&")).lazy.compactMap { member in
            let parts = member[...].parts(at: UInt8(ascii: "="), most: 2)
            return parts.count == 2 ? (parts[0], parts[1][...]) : nil
        }
    }

    /// The value of a member of the query, with percent encoding undone; nil where it is not there.
    public func member(_ name: String) -> String? {
        guard let value = members.first(where: { $0.name == name })?.value else { return nil }
        // Forms write a space as a plus.
        return Self.decoded(value.replacing("+", with: "%20")[...])
    }

    /// Whether a member of the query says yes: `true` in any case, or `1`.
    ///
    /// Clients write what their language makes of a truth value: CloudKit's own pages `true`, pyicloud's photos and several
    /// others `True`, PHP `1` (observed).
    public func isSet(_ name: String) -> Bool {
        guard let value = member(name) else { return false }
        return value == "1" || value.lowercased() == "true"
    }

    /// The parts of `/database/1/{container}/{environment}/{database}/{entity}/{action}`.
    ///
    /// - Returns: nil for a path that is none of the service's.
    /// - Throws: `BAD_REQUEST` or `NOT_FOUND` for one that is, but names nothing that there is.
    public func call() throws(ServiceError) -> (endpoint: Endpoint, tenant: Tenant, scope: DatabaseScope)? {
        let parts = path.parts(at: UInt8(ascii: "/"), most: 7)
        guard parts.count == 7, parts[0].isEmpty else { return nil }
        // The last part is the entity and the action, or for devices the action alone.
        let name = parts[6]
        let isOfDevices = !name.utf8.contains(UInt8(ascii: "/"))
        if isOfDevices {
            guard parts[5] == "tokens", parts[1] == "device" || parts[1] == "database" else { return nil }
        } else {
            guard parts[1] == "database" else { return nil }
        }
        guard parts[2] == "1" else {
            throw ServiceError(
                .badRequest, "The protocol version must be 1.", remedy: "Begin the path with /database/1/.")
        }
        let container = try ContainerID(Self.decoded(parts[3][...]) ?? "")
        guard let environment = CloudEnvironment(rawValue: parts[4]) else {
            throw ServiceError(.badRequest, "The environment must be 'development' or 'production'.")
        }
        if isOfDevices {
            guard let endpoint = Endpoint(rawValue: "tokens/\(name)") else {
                throw Self.unknown("tokens/\(name)")
            }
            return (endpoint, Tenant(container: container, environment: environment), .public)
        }
        guard let scope = DatabaseScope(rawValue: parts[5]) else {
            throw ServiceError(.badRequest, "The database must be 'public', 'private' or 'shared'.")
        }
        guard let endpoint = Endpoint(rawValue: name) else {
            if Self.later.contains(where: { name == $0 || name.hasPrefix($0 + "/") }) {
                throw Self.later(name)
            }
            throw Self.unknown(name)
        }
        return (endpoint, Tenant(container: container, environment: environment), scope)
    }

    /// Endpoints of the protocol that this version does not serve, and what all others of a kind begin with.
    private static let later = [
        "records/copy", "records/zip", "users/lookup", "users/restrict",
    ]

    private static func unknown(_ name: String) -> ServiceError {
        ServiceError(
            .notFound, "There is no endpoint '\(name.prefix(80))'.",
            remedy: "GET /openapi.json says what is served.")
    }

    private static func later(_ name: String) -> ServiceError {
        ServiceError(
            .badRequest, "'\(name.prefix(80))' is not served by this version yet.",
            remedy: "GET /openapi.json says what is served.")
    }

    /// Undoes percent encoding; nil for a text that is not UTF-8 then.
    public static func decoded(_ text: Substring) -> String? {
        let isEncoded = text.utf8.withContiguousStorageIfAvailable { $0.contains(UInt8(ascii: "%")) } ?? true
        guard isEncoded else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(hexDigits: rest.prefix(2)) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// The byte that two hexadecimal digits are; nil for anything else, also for a sign and a digit, which `init(_:radix:)` takes.
    package init?(hexDigits digits: some Collection<UInt8>) {
        guard digits.count == 2, digits.allSatisfy({ $0 < 0x80 && Character(Unicode.Scalar($0)).isHexDigit })
        else { return nil }
        self.init(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}

extension Endpoint {
    /// Whether the endpoint answers GET as well: those that need no body.
    public var allowsGET: Bool {
        self == .zonesList || self == .usersCaller || self == .usersCurrent || self == .usersDiscover
            || self == .storageUsage || self == .subscriptionsList
            || self == .recordsLive || self == .recordsLiveCount
    }
}
