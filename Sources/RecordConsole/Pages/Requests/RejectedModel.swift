import RecordModel
import RecordServer
import RecordStorage

/// The banner with what production's schemas lacked in the last day, until an operator puts it away.
struct RejectedModel: TemplatePage {
    static let template = Template("rejected", PackageResources.rejected_mustache)

    /// Something that a schema lacks.
    struct Gap: TemplateModel {
        let what: String
        let container: String
        let type: String?
        let count: String
        let last: TimeModel
        let request: String
        let short: String
        let user: String?
        let schema: String
    }

    let gaps: [Gap]
    let until: String
    let to: String
    /// The one container that the banner is about; nil where it is about all.
    let only: String?
    let more: Int
    let hasMore: Bool
    let commands: [String]
}

extension RejectedModel {
    static let routes: [Route] = [.post("/rejected/dismiss", dismiss)]

    /// Forgets what the banner showed, and goes back to its page.
    @Sendable private static func dismiss(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.form["container"].map {
            Tenant(container: try ContainerID($0), environment: .production)
        }
        let until = context.form["until"].flatMap(Int64.init) ?? context.now
        // Before they go: nothing is done that is not noted.
        let rejected = context.console.history.rejectedWrites
        let count = rejected.entries(of: tenant, now: context.now).count { $0.last <= until }
        try await context.audit("rejected.dismiss", "\(count) entries", tenant: tenant)
        rejected.forget(of: tenant, upTo: until)
        return context.redirect(
            to: SignInPages.destination(context.form["to"]),
            saying: "Dismissed. What production refuses from now on is shown again.")
    }

    /// The most that the banner lists.
    private static let most = 20

    /// Nil where nothing was rejected, or all of it is there now.
    init?(_ context: ConsoleContext, tenant: Tenant? = nil) {
        let now = context.now
        let entries = context.console.history.rejectedWrites.entries(of: tenant, now: now).filter { entry in
            !Self.isThere(entry.gap, in: context.store.schema(of: entry.tenant))
        }
        guard !entries.isEmpty else { return nil }
        gaps = entries.prefix(Self.most).map { entry in
            Gap(
                what: entry.gap.description, container: entry.tenant.container.rawValue,
                type: entry.gap.fieldType?.title,
                count: entry.count == 1 ? "1 request" : "\(entry.count) requests",
                last: TimeModel(entry.last), request: entry.request.description,
                short: String(entry.request.description.prefix(8)), user: entry.user,
                schema: "/console" + ConsoleContext.path(entry.tenant, "/schema"))
        }
        until = String(now)
        to = String(context.request.path)
        only = tenant?.container.rawValue
        more = max(0, entries.count - Self.most)
        hasMore = entries.count > Self.most
        commands = Set(entries.map(\.tenant.container.rawValue)).sorted()
            .map { context.command("schema deploy --container \($0)") }
    }

    private static func isThere(_ gap: SchemaGap, in schema: Schema) -> Bool {
        guard let type = schema.types[gap.recordType] else { return false }
        guard let name = gap.field else { return true }
        guard let field = type[name] else { return false }
        return gap.index.map { field.indexes.isSuperset(of: $0) } ?? true
    }
}
