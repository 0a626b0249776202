public import RecordModel
public import RecordStorage

/// Which of the remembered requests are wanted; all that is set has to be true.
public struct RequestFilter: Sendable, Hashable {
    /// The record name of the user who sent it.
    public var user: String?
    /// The code of the request's error, or of one of its items' errors.
    public var code: String?
    /// The endpoint, or the name of the part of the server that answered.
    public var route: String?
    /// The first digit of the status.
    public var statusClass: Int?
    /// The container.
    public var container: ContainerID?
    /// The environment, of that container or of all.
    public var environment: CloudEnvironment?
    /// The beginning of the request's id, or all of it.
    public var id: RequestIDPrefix?
    /// The least duration.
    public var milliseconds: Double?
    /// How a query found its rows.
    public var plan: ScanPlan?
    /// Whether only requests are wanted that failed, as a whole or in part.
    public var failedOnly = false

    /// A filter that every request passes.
    public init() {}

    /// Wants the requests to one container in one environment.
    public mutating func take(_ tenant: Tenant) {
        container = tenant.container
        environment = tenant.environment
    }
}

/// A filter with its texts as bytes, so that looking at a request makes nothing.
struct PreparedFilter: Sendable {
    private let filter: RequestFilter
    private let texts: [(RequestTexts.Text, [UInt8])]

    init(_ filter: RequestFilter) {
        self.filter = filter
        texts = [
            (.user, filter.user), (.route, filter.route),
            (.container, filter.container?.rawValue),
        ].compactMap { text, value in value.map { (text, Array($0.utf8)) } }
    }

    func passes(_ view: RequestRecord.View) -> Bool {
        if let id = filter.id, !id.matches(view.id) { return false }
        if filter.failedOnly, view.status < 400, view.failedItems == 0 { return false }
        if let wanted = filter.statusClass, view.status / 100 != wanted { return false }
        if let least = filter.milliseconds, Double(view.microseconds) < least * 1_000 { return false }
        if let plan = filter.plan,
            view.choice(RequestRecord.Place.plan, RequestRecord.plans) != plan
        {
            return false
        }
        if let environment = filter.environment,
            view.choice(RequestRecord.Place.environment, RequestRecord.environments) != environment
        {
            return false
        }
        guard texts.allSatisfy({ view.has($0.1, as: $0.0) }) else { return false }
        return filter.code.map { hasCode($0, view) } ?? true
    }

    private func hasCode(_ code: String, _ view: RequestRecord.View) -> Bool {
        if view.has(Array(code.utf8), as: .code) { return true }
        guard view.failedItems > 0, let items = view.text(.items) else { return false }
        return KeptItemFailure.read(items).contains { $0.code == code }
    }
}
