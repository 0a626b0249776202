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
        var model = form.page
        model.rows = page.requests.map { RequestModels.row($0) }
        model.isEmpty = page.requests.isEmpty
        model.isNewest = place == .newest && form.problem == nil
        model.live =
            "/console/requests/live?" + form.query(["after": "\(page.requests.first?.sequence ?? 0)"])
        model.newest = "/console/requests?" + form.query()
        if page.hasNewer, let first = page.requests.first {
            model.newer = "/console/requests?" + form.query(["after": "\(first.sequence)"])
        }
        if page.hasOlder, let last = page.requests.last {
            model.older = "/console/requests?" + form.query(["before": "\(last.sequence)"])
        }
        model.oldest = history.oldestTime.map(TimeModel.init)
        model.kept = history.count
        model.slowFrom = Limits.slowRequestMilliseconds
        model.rejected = RejectedModel(context)
        return context.page(model, title: "Requests", section: .requests)
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
                RequestMissingPage(
                    id: String(text.prefix(100)), isID: RequestID(text) != nil,
                    good: Limits.requestHistoryEntries, oldest: history.oldestTime.map(TimeModel.init)),
                title: "This request is not remembered", section: .requests, status: .notFound)
        }
        let page = RequestModels.page(of: request, user: await userLink(of: request, context), context)
        return context.page(page, title: "Request", section: .requests)
    }

    /// Where the user of a request is shown, with their name.
    private static func userLink(
        of request: KeptRequest, _ context: ConsoleContext
    ) async -> RequestPage.User? {
        guard let user = request.user, let base = RequestModels.base(of: request),
            let container = request.container.flatMap({ try? ContainerID($0) }),
            let environment = request.environment
        else { return nil }
        let tenant = Tenant(container: container, environment: environment)
        // The page shows a request also while the store is not there; the user is a link less.
        let row = try? await context.store.read(.short) { try $0.user(named: user, of: tenant) }
        guard let name = row?.label else { return nil }
        return RequestPage.User(href: base + "/users", name: name)
    }
}
