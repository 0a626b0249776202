import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// Which containers there are, and what is in one.
enum OverviewPages {
    static let routes: [Route] = [
        .get("/", containers),
        .post("/containers", makeContainer),
        .get("/c/:container/:environment", overview),
    ]

    @Sendable private static func containers(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenants = try await context.store.read(.short) { try $0.tenants() }
        let groups = Dictionary(grouping: tenants, by: \.container.rawValue).sorted { $0.key < $1.key }
        let rows = groups.map { container, tenants in
            ContainersPage.Container(
                container: container,
                environments: CloudEnvironment.allCases.map { environment in
                    let tenant = tenants.first { $0.environment == environment }
                    return ContainersPage.Environment(
                        name: environment.rawValue,
                        href: "/console/c/\(container)/\(environment.rawValue)",
                        summary: tenant.map { summary(of: $0, context) } ?? "nothing deployed yet")
                })
        }
        return context.page(
            ContainersPage(containers: rows, isEmpty: rows.isEmpty), title: "Containers")
    }

    private static func summary(of tenant: Tenant, _ context: ConsoleContext) -> String {
        let count = context.store.schema(of: tenant).visibleTypes.count
        return count == 1 ? "1 record type" : "\(count) record types"
    }

    @Sendable private static func makeContainer(_ context: ConsoleContext) async throws -> SiteAnswer {
        let container = try ContainerID((context.form["container"] ?? "").trimming { $0.isWhitespace })
        let tenant = Tenant(container: container, environment: .development)
        try await context.doing("container.make", container.rawValue, tenant: tenant) {
            try await context.store.write { store in
                _ = try store.makeDatabase(DatabaseID(tenant: tenant, owner: nil))
            }
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, ""), saying: "The container \(container) was created.")
    }

    @Sendable private static func overview(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let schema = context.store.schema(of: tenant)
        let (users, tokens, usage, isCounted) = try await context.read { reader in
            let counts = try reader.accessCounts(of: tenant)
            return (counts.users, counts.tokens, try reader.usage(of: tenant), try reader.isUsageCounted)
        }
        let quota = context.console.service.quotas.perContainer
        let types = schema.visibleTypes.values.sorted { $0.name < $1.name }.map { type in
            OverviewPage.RecordType(
                name: type.name, fields: type.fields.map(\.name).joined(separator: ", "),
                href: "/console"
                    + ConsoleContext.path(tenant, "/records?type=\(FormValues.encoded(type.name))"))
        }
        let waiting = try SchemaDeployPages.changes(of: tenant.container, context).count
        return context.page(
            OverviewPage(
                waiting: waiting, hasWaiting: waiting > 0, isOneWaiting: waiting == 1,
                rejected: RejectedModel(
                    context, tenant: Tenant(container: tenant.container, environment: .production)),
                types: types, isEmpty: types.isEmpty, users: users, tokens: tokens, typeCount: types.count,
                stored: NumberText.bytes(usage.bytes), quota: quota.map { NumberText.bytes($0) },
                isCounting: !isCounted,
                isDevelopment: tenant.environment == .development, address: context.request.baseURL,
                container: tenant.container.rawValue, environment: tenant.environment.rawValue),
            title: tenant.container.rawValue, section: .overview)
    }
}

extension String {
    /// The text without the characters at its ends that are to go.
    func trimming(_ isGone: (Character) -> Bool) -> String {
        var text = self[...]
        while let first = text.first, isGone(first) { text.removeFirst() }
        while let last = text.last, isGone(last) { text.removeLast() }
        return String(text)
    }
}
