/// The name of a container, the unit that owns schemas, users and records: `iCloud.` and a reverse domain at
/// Apple, any non-empty ASCII name here.
public struct ContainerID: Hashable, Sendable, CustomStringConvertible {
    /// The identifier as it appears in the address of a request.
    public let rawValue: String

    /// Takes an identifier of letters, digits, `.`, `-` and `_`, at most ``Limits/nameLength`` long.
    ///
    /// - Throws: `BAD_REQUEST` for anything else, so that an identifier is safe in paths and logs.
    public init(_ rawValue: String) throws(ServiceError) {
        let isPlain = rawValue.utf8.allSatisfy { byte in
            switch byte {
            case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
        guard isPlain, !rawValue.isEmpty, rawValue.utf8.count <= Limits.nameLength else {
            throw ServiceError(
                .badRequest, "The container identifier is not valid.",
                remedy: "Use letters, digits, '.', '-' and '_', for example iCloud.com.example.app.")
        }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}

/// Which of a container's two separate worlds a request means.
public enum CloudEnvironment: String, Hashable, Sendable, CaseIterable {
    /// Types, fields and indexes are created when they are first used.
    case development
    /// Only what was deployed is accepted.
    case production
}

/// Which of a container's databases a request means.
public enum DatabaseScope: String, Hashable, Sendable, CaseIterable {
    /// One for all users of the container.
    case `public`
    /// One for each user, seen by nobody else.
    case `private`
    /// What others have shared with the user.
    case shared
}

/// A container in one environment: what has one schema and one set of users.
public struct Tenant: Hashable, Sendable, CustomStringConvertible {
    /// The container.
    public let container: ContainerID
    /// The environment.
    public let environment: CloudEnvironment

    /// Names a container in an environment.
    public init(container: ContainerID, environment: CloudEnvironment) {
        self.container = container
        self.environment = environment
    }

    /// A tenant by the texts that a store keeps of it; nil where they are none.
    public init?(_ container: String, _ environment: String) {
        guard let container = try? ContainerID(container),
            let environment = CloudEnvironment(rawValue: environment)
        else { return nil }
        self.init(container: container, environment: environment)
    }

    public var description: String { "\(container)/\(environment.rawValue)" }
}

/// One database: the public one of a tenant, or the private one of a user.
public struct DatabaseID: Hashable, Sendable {
    /// The container and environment that the database belongs to.
    public let tenant: Tenant
    /// The user whose private database this is; nil for the public one.
    public let owner: String?

    /// Names the public database of a tenant (no owner) or the private database of a user.
    public init(tenant: Tenant, owner: String?) {
        self.tenant = tenant
        self.owner = owner
    }

    /// The scope that a client addresses the database by.
    public var scope: DatabaseScope { owner == nil ? .public : .private }
}
