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
    let console: Console
    let request: SiteRequest
    /// What the route's pattern found in the address.
    var parameters: [String: String] = [:]
    /// The values of a posted form.
    var form = FormValues()
    /// Who is signed in.
    var session: OperatorAccess.Session?

    init(console: Console, request: SiteRequest) {
        self.console = console
        self.request = request
    }

    var store: any RecordStore { console.store }
    var operatorName: String? { session?.operatorName }
    /// Milliseconds since 1970.
    var now: Int64 { console.environment.now() }

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
    /// - Parameter owner: whose private database is meant; nil for the public one.
    /// - Returns: the answer's object with what the service tells of its work.
    /// - Throws: `ErrorDictionary` where the request failed as a whole.
    func ask(
        _ endpoint: Endpoint, _ body: [UInt8], tenant: Tenant, owner: String? = nil
    ) async throws -> (json: JSONObject, trace: ServiceTrace) {
        let answer = await console.service.answer(
            ServiceCall(
                endpoint: endpoint, tenant: tenant, scope: owner == nil ? .public : .private,
                credentials: Credentials(apiToken: nil, webAuthToken: nil), body: body,
                requestID: request.requestID, baseURL: request.baseURL,
                administration: Administration(name: operatorName ?? "", owner: owner)))
        let json = try JSONReader.read(answer.body, maximumDepth: Limits.jsonDepth).object ?? JSONObject()
        if answer.status >= 400, let error = ErrorDictionary(json: json) { throw error }
        return (json, answer.trace)
    }

    /// Notes what the operator did. Call it after the deed, with the same fixed text for the same deed.
    ///
    /// - Parameter name: whose deed it is, where nobody was signed in before it.
    func audit(
        _ action: String, _ subject: String, tenant: Tenant? = nil, by name: String? = nil
    ) async throws {
        let row = AuditRow(
            at: now, operatorName: name ?? operatorName ?? "", action: action, tenant: tenant,
            subject: String(subject.prefix(500)), requestID: request.requestID)
        try await store.write { try $0.insert(row) }
    }

    /// Refuses forms that another site's page, or another session, sent.
    func checkOrigin(needsToken: Bool) throws(ServiceError) {
        let headers = request.request.headers
        if let site = headers[.secFetchSite], site != "same-origin", site != "none" {
            throw ServiceError(.accessDenied, "The form was sent by another site's page.")
        }
        guard needsToken else { return }
        let token = form["csrf"] ?? headers[.csrfToken]
        guard let token, let session, OperatorAccess.areEqual(token, session.csrf) else {
            throw ServiceError(
                .accessDenied, "The form is not of this session.",
                remedy: "Reload the page and send it again; you may have signed in again meanwhile.")
        }
    }
}

extension HTTPField.Name {
    // The texts are constants; a wrong one would be found by the first test.
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
    static let csrfToken = HTTPField.Name("X-CSRF-Token") ?? .origin
    static let contentSecurityPolicy = HTTPField.Name("Content-Security-Policy") ?? .server
    static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options") ?? .server
    static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .server
}
