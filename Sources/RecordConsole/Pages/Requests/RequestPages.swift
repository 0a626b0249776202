import HTTPTypes
import RecordModel
import RecordServer
import RecordStorage

/// The requests that the server remembers, and everything about one of them.
enum RequestPages {
    static let routes: [Route] = [
        .get("/requests", list), .get("/requests/live", live), .get("/requests/:id", show),
    ]

    /// Requests on a page.
    static let pageLength = 100

    @Sendable private static func list(_ context: ConsoleContext) async throws -> SiteAnswer {
        let form = RequestForm(context.query)
        let history = context.console.history
        // A whole id that is known opens its request.
        if let text = form.values["id"], let id = RequestID(text.trimming(\.isWhitespace)) {
            return context.redirect(to: "/requests/\(id)")
        }
        let place = place(form.values)
        let page =
            form.problem == nil
            ? history.page(form.filter, at: place, limit: pageLength)
            : .empty
        // Whoever pages back to the top sees the newest, also those that came meanwhile.
        if case .newerThan = place, !page.hasNewer, form.problem == nil {
            return context.redirect(to: "/requests?\(form.query())")
        }
        var model = form.model
        model["rows"] = page.requests.map { RequestModels.row($0) }
        model["isEmpty"] = page.requests.isEmpty
        model["isNewest"] = place == .newest && form.problem == nil
        model["live"] =
            "/console/requests/live?" + form.query(["after": "\(page.requests.first?.sequence ?? 0)"])
        model["newest"] = "/console/requests?" + form.query()
        if page.hasNewer, let first = page.requests.first {
            model["newer"] = "/console/requests?" + form.query(["after": "\(first.sequence)"])
        }
        if page.hasOlder, let last = page.requests.last {
            model["older"] = "/console/requests?" + form.query(["before": "\(last.sequence)"])
        }
        model["oldest"] = history.oldestTime.map(Model.time) as Any
        model["kept"] = history.count
        model["slowFrom"] = Limits.slowRequestMilliseconds
        model["rejected"] = RejectedModel.model(context)
        return context.page("requests", title: "Requests", section: .requests, model)
    }

    private static func place(_ values: FormValues) -> RequestPlace {
        if let before = values["before"].flatMap(UInt64.init) { return .olderThan(before) }
        if let after = values["after"].flatMap(UInt64.init) { return .newerThan(after) }
        return .newest
    }

    @Sendable private static func show(_ context: ConsoleContext) async throws -> SiteAnswer {
        let text = (context.parameters["id"] ?? "").trimming(\.isWhitespace)
        let history = context.console.history
        guard let id = RequestID(text), let request = history.request(id) else {
            return context.page(
                "request-missing", title: "This request is not remembered", section: .requests,
                [
                    "id": String(text.prefix(100)), "isID": RequestID(text) != nil,
                    "good": Limits.requestHistoryEntries, "oldest": history.oldestTime.map(Model.time) as Any,
                ], status: .notFound)
        }
        var model = RequestModels.row(request)
        model.merge(RequestModels.details(request, context)) { $1 }
        model["userLink"] = await userLink(of: request, context) as Any
        return context.page("request", title: "Request", section: .requests, model)
    }

    /// Where the user of a request is shown, with their name.
    private static func userLink(
        of request: KeptRequest, _ context: ConsoleContext
    ) async -> [String: Any]? {
        guard let user = request.user, let base = RequestModels.base(of: request),
            let container = request.container.flatMap({ try? ContainerID($0) }),
            let environment = request.environment
        else { return nil }
        let tenant = Tenant(container: container, environment: environment)
        let row = try? await context.store.read(.short) { try $0.user(named: user, of: tenant) }
        guard let name = row?.label else { return nil }
        return ["href": base + "/users", "name": name]
    }
}
