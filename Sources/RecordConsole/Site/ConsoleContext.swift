import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordWire

/// One request to the console, with what a page needs to answer it.
struct ConsoleContext: Sendable {
    let console: ConsoleParts
    let request: SiteRequest
    /// What the route's pattern found in the address.
    var parameters: [String: String] = [:]
    /// The values of a posted form.
    var form = FormValues()
    /// Who is signed in.
    var session: OperatorAccess.Session?

    init(console: ConsoleParts, request: SiteRequest) {
        self.console = console
        self.request = request
    }

    var store: any RecordStore { console.store }
    var operatorName: String? { session?.operatorName }
    /// Whether who is signed in may look at everything and change nothing; ``ConsoleSite`` refuses what changes something.
    var isReadOnly: Bool { session?.isReadOnly ?? false }
    /// Milliseconds since 1970.
    var now: Int64 { console.environment.now() }

    /// For how long the values are kept that a change of the schema deletes.
    var removalKeeping: RemovalKeeping {
        RemovalKeeping(days: console.settings.removedSchemaDays, now: console.environment.now)
    }

    /// The values of the address's query.
    var query: FormValues { (try? FormValues(request.query.utf8)) ?? FormValues() }

    /// The container and environment that the address names (`/c/:container/:environment/…`).
    func tenant() throws(ServiceError) -> Tenant {
        guard let environment = CloudEnvironment(rawValue: parameters["environment"] ?? "") else {
            throw ServiceError(.notFound, "The environment must be 'development' or 'production'.")
        }
        return Tenant(container: try ContainerID(parameters["container"] ?? ""), environment: environment)
    }

    /// The address of a page of a tenant, below the console's prefix: `/c/iCloud.x/development/records`.
    static func path(_ tenant: Tenant, _ rest: String) -> String {
        "/c/\(tenant.container)/\(tenant.environment.rawValue)" + rest
    }

    /// Asks the record service, as the operator who is signed in.
    ///
    /// - Parameters:
    ///   - endpoint: what is asked for.
    ///   - body: the request's body.
    ///   - tenant: of whom.
    ///   - owner: whose private database is meant; nil for the public one.
    ///   - isShared: whether what others share with the owner is meant instead.
    ///   - reveals: whether encrypted fields are in the answer; who asks for them notes it in the audit log.
    /// - Returns: the answer's object with what the service tells of its work.
    /// - Throws: `ErrorDictionary` where the request failed as a whole.
    func ask(
        _ endpoint: Endpoint, _ body: [UInt8], tenant: Tenant, owner: String? = nil, isShared: Bool = false,
        reveals: Bool = false
    ) async throws -> (json: JSONObject, trace: ServiceTrace) {
        let answer = await console.service.answer(
            ServiceCall(
                endpoint: endpoint, tenant: tenant,
                scope: isShared ? .shared : owner == nil ? .public : .private,
                credentials: Credentials(apiToken: nil, webAuthToken: nil), body: body,
                requestID: request.requestID, baseURL: request.baseURL,
                administration: Administration(name: operatorName ?? "", owner: owner)))
        var json = try JSONReader.read(answer.body, maximumDepth: Limits.jsonDepth).object ?? JSONObject()
        if !reveals { json = json.withoutEncryptedFields }
        if answer.status >= 400, let error = ErrorDictionary(json: json) { throw error }
        return (json, answer.trace)
    }

    /// Reads what may take a while, in a turn of this operator's: ends with the request, at the latest with its time.
    ///
    /// - Throws: what the closure throws; `StorageError`; `CancellationError`.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        try await store.read(.long, for: .administrator(operatorName ?? ""), body)
    }

    /// Notes what the operator looked at, or tried: for deeds, see ``doing(_:_:tenant:by:_:)``.
    ///
    /// - Parameter name: who it was, where nobody was signed in before it.
    func audit(
        _ action: String, _ subject: String, tenant: Tenant? = nil, by name: String? = nil
    ) async throws {
        let row = auditRow(action, subject, tenant: tenant, by: name)
        try await store.write { try $0.insert(row) }
    }

    /// Does something in one write, and notes it in the audit log in the same write.
    ///
    /// - Parameters:
    ///   - action: the deed's name, the same fixed text for the same deed.
    ///   - name: who it was, where nobody was signed in before it.
    ///   - subject: what it was done to, made from what came of the write; nil where nothing was done.
    ///   - deed: what is done.
    @discardableResult
    func doing<Value>(
        _ action: String, tenant: Tenant?,
        by name: @escaping @Sendable (AuditedAction.Outcome) -> String? = { _ in nil },
        subject: @escaping @Sendable (AuditedAction.Outcome) -> String?, _ deed: () async throws -> Value
    ) async throws -> Value {
        let row = auditRow(action, "", tenant: tenant, by: nil)
        let noted = AuditedAction { [environment = console.environment] outcome in
            guard let subject = subject(outcome) else { return nil }
            var row = row
            // After the deed: an entry that is older than its record would not be taken for that of its making.
            row.at = environment.now()
            row.subject = String(subject.prefix(Self.subjectCharacters))
            if let name = name(outcome) { row.operatorName = name }
            return row
        }
        return try await AuditedAction.$current.withValue(noted, operation: deed)
    }

    /// The same with a subject that is known before.
    @discardableResult
    func doing<Value>(
        _ action: String, _ subject: String, tenant: Tenant?, _ deed: () async throws -> Value
    ) async throws -> Value {
        try await doing(action, tenant: tenant, subject: { _ in subject }, deed)
    }

    /// The longest subject in the log.
    private static let subjectCharacters = 500

    private func auditRow(
        _ action: String, _ subject: String, tenant: Tenant?, by name: String?
    ) -> AuditRow {
        AuditRow(
            at: now, operatorName: name ?? operatorName ?? "", action: action, tenant: tenant,
            subject: String(subject.prefix(Self.subjectCharacters)), requestID: request.requestID)
    }

    /// Refuses forms that another site's page, or another session, sent.
    func checkOrigin(needsToken: Bool) throws(ServiceError) {
        let headers = request.request.headers
        if let site = headers[.secFetchSite], site != "same-origin", site != "none" {
            throw ServiceError(.accessDenied, "The form was sent by another site's page.")
        }
        guard needsToken else { return }
        let token = form["csrf"] ?? headers[.csrfToken]
        guard let token, let session, ConstantTime.areEqual(token.utf8, session.csrf.utf8) else {
            throw ServiceError(
                .accessDenied, "The form is not of this session.",
                remedy: "Reload the page and send it again; you may have signed in again meanwhile.")
        }
    }
}

extension HTTPField.Name {
    static let secFetchSite = constant("Sec-Fetch-Site")
    static let csrfToken = constant("X-CSRF-Token")
    static let contentTypeOptions = constant("X-Content-Type-Options")
    static let referrerPolicy = constant("Referrer-Policy")
}
