public import Foundation
internal import RecordModel
internal import RecordWire

/// One of a container's databases: records in zones, queries over them, and what changed.
///
/// Every request exists in three forms: `async`, with a completion handler, and as an operation with more to
/// set. Completion handlers and blocks are called on any thread. A database can be used from any task.
public final class CKDatabase: NSObject, Sendable {
    /// Which of a container's databases is meant.
    public enum Scope: Int, Hashable, Sendable {
        /// One for all users.
        case `public` = 1
        /// One for each user.
        case `private` = 2
        /// What others have shared with the user.
        case shared = 3
    }

    /// Which of the container's databases this is.
    public let databaseScope: Scope
    let client: ServiceClient
    /// Whether predicates that Apple's service refuses are refused.
    let isStrict: Bool
    /// What requests use that say nothing else.
    let options: ServiceClient.Options
    private let queue: OperationQueue

    init(scope: Scope, client: ServiceClient, isStrict: Bool, options: ServiceClient.Options) {
        databaseScope = scope
        self.client = client
        self.isStrict = isStrict
        self.options = options
        queue = OperationQueue()
        queue.name = "CKDatabase \(scope)"
        // Operations wait for the network, so a few at once are enough; the rest wait by their priority.
        queue.maxConcurrentOperationCount = 8
    }

    /// Runs an operation in this database, by its priority and after its dependencies.
    ///
    /// An operation runs once: one that was added before is left alone.
    public func add(_ operation: CKDatabaseOperation) {
        guard operation.claim() else { return }
        operation.database = self
        queue.addOperation(operation)
    }

    /// Gives a database whose requests use a configuration.
    ///
    /// The group only names what belongs together; its configuration is used where the other says nothing.
    @discardableResult
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: (CKDatabase) throws -> R
    ) rethrows -> R {
        try body(configured(configuration, group))
    }

    /// Gives a database whose requests use a configuration.
    ///
    /// The group only names what belongs together; its configuration is used where the other says nothing.
    @discardableResult
    @preconcurrency
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        body: @Sendable (CKDatabase) async throws -> R
    ) async rethrows -> R {
        try await body(configured(configuration, group))
    }

    /// The same database, with a configuration for its requests.
    func configured(
        _ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?
    ) -> CKDatabase {
        let settings = (configuration?.settings ?? .init()).filled(
            from: group?.defaultConfiguration?.settings)
        return CKDatabase(
            scope: databaseScope, client: client, isStrict: isStrict,
            options: ServiceClient.Options(settings, over: options))
    }
}

extension CKDatabase {
    /// Posts a request and reads the answer.
    func post<Response: WireResponse>(
        _ endpoint: Endpoint, _ request: some WireRequest, isWrite: Bool = false,
        options: ServiceClient.Options
    ) async throws(CKError) -> Response {
        try await client.send(
            endpoint, in: databaseScope.model, body: request.encoded(), isWrite: isWrite,
            options: options, as: Response.self)
    }

    /// Gets an answer that needs no request.
    func get<Response: WireResponse>(
        _ endpoint: Endpoint, options: ServiceClient.Options
    ) async throws(CKError) -> Response {
        try await client.send(
            endpoint, in: databaseScope.model, body: nil, options: options, as: Response.self)
    }
}

extension CKDatabase.Scope {
    var model: DatabaseScope {
        switch self {
        case .public: .public
        case .private: .private
        case .shared: .shared
        }
    }
}
