import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordWire

/// Finds out what a request asks for, and refuses what is asked in a way that nothing answers.
struct RoutingPolicy: RequestPolicy {
    let address: PublicAddress
    /// In the order in which they are asked; the one whose prefix is empty comes last.
    let sites: [any Site]
    /// What browsers get at `/`.
    let start: (any Site)?

    func enter(_ passage: inout RequestPassage) async throws {
        let request = passage.request
        if let (site, path) = site(of: passage.target.path, request),
            request.method != .options || !site.allowsOtherOrigins
        {
            passage.destination = .site(site, path: path)
            return
        }
        guard request.method != .options else {
            passage.destination = .preflight
            return
        }
        guard let (endpoint, tenant, scope) = try passage.target.call() else {
            passage.destination = .page
            passage.entry.route = "page"
            passage.entry.path = String(passage.target.path.prefix(200))
            return
        }
        passage.entry.route = endpoint.rawValue
        passage.entry.isOfClients = true
        passage.entry.tenant = tenant
        passage.entry.scope = scope
        let isLive =
            request.method == .get && (endpoint == .recordsLive || endpoint == .recordsLiveCount)
        passage.destination = isLive ? .live : .call
        guard isLive || request.method == .post || request.method == .get && endpoint.allowsGET else {
            throw ServiceError(
                .badRequest, "'\(endpoint.rawValue)' does not accept \(request.method.rawValue).",
                remedy: "Use POST.")
        }
        var credentials = passage.target.credentials
        credentials.signature = ResponseHeaders.signature(of: request)
        var call = ServiceCall(
            endpoint: endpoint, tenant: tenant, scope: scope, credentials: credentials,
            body: isLive ? try Self.liveQuery(passage.target) : [], requestID: passage.entry.id,
            baseURL: address.base(of: request))
        call.client = passage.client?.text
        call.languages = String((request.headers[.acceptLanguage] ?? "").prefix(Self.longestLanguages))
        if !isLive { call.wantsSyncToken = passage.target.isSet("getCurrentSyncToken") }
        passage.call = call
    }

    /// The longest list of languages that counts, in characters.
    private static let longestLanguages = 100

    private static func liveQuery(_ target: RequestTarget) throws(ServiceError) -> [UInt8] {
        guard let query = target.member("query") else {
            throw ServiceError(
                .badRequest, "'query' is missing.",
                remedy: "Add the body of 'records/query' to the address, percent-encoded: ?query=…")
        }
        return Array(query.utf8)
    }

    private func site(of path: Substring, _ request: Request) -> (any Site, Substring)? {
        // Most requests are the protocol's, and no site lies there.
        if path.utf8.starts(with: Self.protocolPrefix.utf8) { return nil }
        if path == "/", let start, request.headers[.accept]?.contains("text/html") == true {
            return (start, path)
        }
        for site in sites {
            guard let rest = site.rest(of: path) else { continue }
            if site.prefix.isEmpty, Self.isOwn(path) { return nil }
            return (site, rest)
        }
        return nil
    }

    /// Where the protocol's addresses begin; a site that has all others does not have these.
    private static let protocolPrefix = "/database/"

    /// Whether an address outside the protocol stays the server's where a site has all others.
    private static func isOwn(_ path: Substring) -> Bool {
        OperatorPages.addresses.contains { $0 == path }
    }
}
