internal import RecordWire

extension CKContainer {
    /// What an app may ask its user for.
    public struct ApplicationPermissions: OptionSet, Hashable, Sendable {
        /// One bit for each permission.
        public let rawValue: UInt
        /// Makes permissions from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Whether others may find the user by an email address.
        @available(*, deprecated, message: "Share records with a CKShare instead of discovering users.")
        public static var userDiscoverability: ApplicationPermissions { ApplicationPermissions(rawValue: 1) }
    }

    /// What a user answered when an app asked for a permission.
    @available(*, deprecated, message: "Share records with a CKShare instead of discovering users.")
    public enum ApplicationPermissionStatus: Int, Hashable, Sendable {
        /// The user was not asked yet.
        case initialState = 0
        /// The service could not be asked.
        case couldNotComplete = 1
        /// The user said no.
        case denied = 2
        /// The user said yes.
        case granted = 3
    }

    /// Takes what a user answered.
    @available(*, deprecated, message: "Share records with a CKShare instead of discovering users.")
    public typealias ApplicationPermissionBlock = (ApplicationPermissionStatus, (any Error)?) -> Void

    /// Older names.
    public enum Application {
        /// The older name.
        @available(*, deprecated, renamed: "CKContainer.ApplicationPermissions")
        public typealias Permissions = CKContainer.ApplicationPermissions
        /// The older name.
        @available(*, deprecated, renamed: "CKContainer.ApplicationPermissionStatus")
        public typealias PermissionStatus = CKContainer.ApplicationPermissionStatus
        /// The older name.
        @available(*, deprecated, renamed: "CKContainer.ApplicationPermissionBlock")
        public typealias PermissionBlock = CKContainer.ApplicationPermissionBlock
    }

    /// Gives the user's answer; `couldNotComplete` with an error where the service could not be asked.
    @available(*, deprecated, message: "Share records with a CKShare instead of discovering users.")
    @preconcurrency
    public func status(
        forApplicationPermission applicationPermission: ApplicationPermissions,
        completionHandler: @escaping @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void
    ) {
        Handler { completionHandler($0 ?? .couldNotComplete, $1) }.run { [self] in
            try await applicationPermissionStatus(for: applicationPermission)
        }
    }

    /// Gives the user's answer.
    ///
    /// - Throws: `CKError.notAuthenticated` when nobody is signed in; another `CKError` when the service cannot be asked.
    @available(*, deprecated, message: "Share records with a CKShare instead of discovering users.")
    public func applicationPermissionStatus(
        for applicationPermission: ApplicationPermissions
    ) async throws -> ApplicationPermissionStatus {
        let user: UserIdentityResponse = try await publicCloudDatabase.get(.usersCaller, options: .init())
        return switch user.isDiscoverable {
        case nil: .initialState
        case true?: .granted
        case false?: .denied
        }
    }

    /// Gives what the user answered on the account page; see ``requestApplicationPermission(_:)``.
    @available(*, deprecated, message: "Share records with a CKShare instead of discovering users.")
    @preconcurrency
    public func requestApplicationPermission(
        _ applicationPermission: ApplicationPermissions,
        completionHandler: @escaping @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void
    ) {
        Handler { completionHandler($0 ?? .couldNotComplete, $1) }.run { [self] in
            try await requestApplicationPermission(applicationPermission)
        }
    }

    /// Gives what the user answered on the account page, `initialState` before that.
    ///
    /// A program cannot ask here: users answer on the server's page, so that no app answers for them. Open
    /// `/sign-in/CONTAINER/ENVIRONMENT/account` of the server for the user, and call this again.
    ///
    /// - Throws: `CKError.notAuthenticated` when nobody is signed in; another `CKError` when the service cannot be asked.
    @available(*, deprecated, message: "Share records with a CKShare instead of discovering users.")
    public func requestApplicationPermission(
        _ applicationPermission: ApplicationPermissions
    ) async throws -> ApplicationPermissionStatus {
        try await applicationPermissionStatus(for: applicationPermission)
    }
}

/// The older name.
@available(*, deprecated, renamed: "CKContainer.ApplicationPermissionBlock")
public typealias CKContainer_Application_PermissionBlock = CKContainer.ApplicationPermissionBlock
/// The older name.
@available(*, deprecated, renamed: "CKContainer.ApplicationPermissionStatus")
public typealias CKContainer_Application_PermissionStatus = CKContainer.ApplicationPermissionStatus
/// The older name.
@available(*, deprecated, renamed: "CKContainer.ApplicationPermissions")
public typealias CKContainer_Application_Permissions = CKContainer.ApplicationPermissions
