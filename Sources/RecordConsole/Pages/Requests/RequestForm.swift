import RecordModel
import RecordServer
import RecordStorage
import RecordWire

/// The form above the list of requests: what its values mean, and how it shows them again.
struct RequestForm {
    /// What was asked for, as it was written.
    let values: FormValues
    private(set) var filter = RequestFilter()
    /// What could not be understood.
    private(set) var problem: String?

    private static let names = [
        "id", "user", "code", "route", "status", "container", "environment", "slow", "plan", "failed",
    ]

    init(_ values: FormValues) {
        self.values = values
        filter.user = values["user"]?.trimming(\.isWhitespace)
        filter.code = values["code"]
        filter.route = values["route"]
        filter.statusClass = values["status"].flatMap(Int.init)
        filter.plan = values["plan"].flatMap(ScanPlan.init)
        filter.environment = values["environment"].flatMap(CloudEnvironment.init)
        filter.failedOnly = values["failed"] != nil
        if let text = values["id"]?.trimming(\.isWhitespace) {
            filter.id = RequestIDPrefix(text)
            if filter.id == nil {
                problem =
                    "'\(text.prefix(60))' is not the beginning of an id: ids have the digits 0–9 and a–f."
            }
        }
        if let text = values["slow"] {
            filter.milliseconds = Double(text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
            if filter.milliseconds == nil { problem = "'\(text.prefix(60))' is not a number." }
        }
        if let text = values["container"]?.trimming(\.isWhitespace) {
            do {
                filter.container = try ContainerID(text)
            } catch {
                problem = error.reason
            }
        }
    }

    /// Whether anything is asked for but all.
    var isEmpty: Bool { filter == RequestFilter() }

    /// The values as a query of an address, and a position in the list.
    func query(_ changes: [String: String?] = [:]) -> String {
        var all: [String: String?] = ["before": nil, "after": nil]
        for (name, value) in changes { all[name] = value }
        return values.query(changing: all)
    }

    /// The page with the form filled in, and nothing listed yet.
    var page: RequestsPage {
        let codes = ServiceError.Code.all.map(\.description).sorted()
        let routes = Endpoint.allCases.map(\.rawValue).sorted() + ["console", "page"]
        let statuses = [("2", "2xx good"), ("4", "4xx refused"), ("5", "5xx failed")]
        return RequestsPage(
            codes: Self.choices(codes.map { ($0, $0) }, values["code"]),
            routes: Self.choices(routes.map { ($0, $0) }, values["route"]),
            statuses: Self.choices(statuses, values["status"]),
            environments: Self.choices(
                [("production", "production"), ("development", "development")], values["environment"]),
            plans: Self.choices([("index", "by an index"), ("scan", "by a scan")], values["plan"]),
            idValue: values["id"] ?? "", userValue: values["user"] ?? "",
            containerValue: values["container"] ?? "", slowValue: values["slow"] ?? "",
            failedOnly: filter.failedOnly, isFiltered: !isEmpty || problem != nil,
            hasMore: ["route", "status", "slow", "plan"].contains { values[$0] != nil }, tenant: tenantTitle,
            everywhere: "/console/requests?" + query(["container": nil, "environment": nil]),
            problem: problem)
    }

    /// Whose requests are listed, where it is not everybody's.
    private var tenantTitle: String? {
        let parts = [filter.container?.rawValue, filter.environment?.rawValue].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func choices(_ items: [(String, String)], _ chosen: String?) -> [RequestsPage.Choice] {
        var items = items
        // What an address names is shown even where the list does not know it.
        if let chosen, !items.contains(where: { $0.0 == chosen }) { items.append((chosen, chosen)) }
        return items.map { .init(value: $0.0, text: $0.1, isChosen: $0.0 == chosen) }
    }
}
