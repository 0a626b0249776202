public import Foundation
internal import RecordModel
internal import Synchronization

/// A container: what one app, or a family of apps, keeps in a record service.
///
/// ```swift
/// let container = CKContainer.default()
/// let database = container.publicCloudDatabase
/// ```
///
/// Nothing here stops the app or asks for an account: where no service is configured, or the configuration
/// cannot be read, every request fails with `CKError.badContainer` and a sentence that says what to set.
public final class CKContainer: NSObject, Sendable {
    /// The identifier, `iCloud.com.example.app` for example.
    public let containerIdentifier: String?
    /// Records that all users of the container share.
    public let publicCloudDatabase: CKDatabase
    /// The user's own records.
    public let privateCloudDatabase: CKDatabase
    /// What others have shared with the user.
    public let sharedCloudDatabase: CKDatabase

    let tokens: TokenStore
    /// The address of the service; nil for one that is reached in the app's own way and has none.
    let serviceURL: URL?
    private let queue: OperationQueue

    private static let shared = Mutex<CKContainer?>(nil)

    /// The container of the configuration file and the environment, or the one given to ``setDefault(_:)``;
    /// always the same instance until then.
    public static func `default`() -> CKContainer {
        shared.withLock { container in
            if let container { return container }
            let made = CKContainer(found: .find(), identifier: nil)
            container = made
            return made
        }
    }

    /// Makes a container the one that ``default()`` gives.
    public static func setDefault(_ container: CKContainer) {
        shared.withLock { $0 = container }
    }

    /// Opens a container of the service that the configuration file and the environment name.
    public convenience init(identifier: String) {
        self.init(found: .find(), identifier: identifier)
    }

    /// Opens a container of a service.
    ///
    /// ```swift
    /// let container = CKContainer(
    ///     identifier: "iCloud.com.example.app",
    ///     configuration: .init(url: URL(string: "http://localhost:8080"), apiToken: token))
    /// ```
    public convenience init(identifier: String, configuration: ServiceConfiguration) {
        let transport: any Transport =
            configuration.url.map(HTTPTransport.init(url:))
            ?? UnconfiguredTransport(problem: FoundConfiguration.missingURL)
        self.init(identifier: identifier, configuration: configuration, transport: transport)
    }

    /// Opens a container of a service that is reached in the app's own way, in the same process for example.
    public convenience init(
        identifier: String, configuration: ServiceConfiguration, transport: any Transport
    ) {
        let client = ServiceClient(
            transport: transport, container: identifier, environment: configuration.environment.model,
            apiToken: configuration.apiToken, tokens: TokenStore(configuration.webAuthToken))
        self.init(
            identifier: identifier, client: client,
            refusesWhatAppleRefuses: configuration.refusesWhatAppleRefuses, serviceURL: configuration.url)
    }

    /// Opens a container by what was found on this machine.
    convenience init(found: FoundConfiguration, identifier: String?) {
        let name = identifier ?? found.containerIdentifier
        let problem =
            found.problem ?? (name == nil ? FoundConfiguration.missingContainer : nil)
            ?? (found.service.url == nil ? FoundConfiguration.missingURL : nil)
        let transport: any Transport =
            problem.map(UnconfiguredTransport.init(problem:))
            ?? found.service.url.map(HTTPTransport.init(url:))
            ?? UnconfiguredTransport(problem: FoundConfiguration.missingURL)
        self.init(identifier: name ?? "", configuration: found.service, transport: transport)
    }

    init(
        identifier: String, client: ServiceClient, refusesWhatAppleRefuses: Bool = false,
        serviceURL: URL? = nil
    ) {
        containerIdentifier = identifier
        self.serviceURL = serviceURL
        tokens = client.tokens
        queue = OperationQueue()
        queue.name = "CKContainer \(identifier)"
        func database(_ scope: CKDatabase.Scope) -> CKDatabase {
            CKDatabase(
                scope: scope, client: client, isStrict: refusesWhatAppleRefuses, options: .init())
        }
        publicCloudDatabase = database(.public)
        privateCloudDatabase = database(.private)
        sharedCloudDatabase = database(.shared)
    }

    /// The same container and user, with a configuration for its requests.
    init(
        _ other: CKContainer, _ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?
    ) {
        containerIdentifier = other.containerIdentifier
        tokens = other.tokens
        serviceURL = other.serviceURL
        queue = other.queue
        publicCloudDatabase = other.publicCloudDatabase.configured(configuration, group)
        privateCloudDatabase = other.privateCloudDatabase.configured(configuration, group)
        sharedCloudDatabase = other.sharedCloudDatabase.configured(configuration, group)
    }

    /// The database of a scope.
    public func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
        switch databaseScope {
        case .public: publicCloudDatabase
        case .private: privateCloudDatabase
        case .shared: sharedCloudDatabase
        }
    }

    /// Runs an operation that names its own database, or none.
    ///
    /// An operation runs once: one that was added before is left alone.
    public func add(_ operation: CKOperation) {
        guard operation.claim() else { return }
        if operation.settings.container == nil { operation.configuration.container = self }
        queue.addOperation(operation)
    }

    /// The user's token, which sign-in gives an app; every answer of the service may replace it.
    ///
    /// ``StratusAccount`` signs people in and keeps it. An app with another way sets it after sign-in, or to nil to sign out,
    /// which posts `CKAccountChanged`, and keeps it for the next launch where that is wanted.
    public var webAuthToken: String? {
        get { tokens.current }
        set {
            tokens.current = newValue
            NotificationCenter.default.post(name: .CKAccountChanged, object: self)
        }
    }
}
