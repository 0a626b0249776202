import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// Bringing development's schema to production.
enum SchemaDeployPages {
    static let routes: [Route] = [
        .get("/c/:container/:environment/schema/deploy", preview),
        .post("/c/:container/:environment/schema/deploy", deploy),
    ]

    /// What production lacks of development's schema.
    static func changes(
        of container: ContainerID, _ context: ConsoleContext
    ) throws(ServiceError) -> [SchemaDeployment.Change] {
        try SchemaDeployment.changes(
            from: context.store.schema(of: Tenant(container: container, environment: .development)),
            to: context.store.schema(of: Tenant(container: container, environment: .production)))
    }

    @Sendable private static func preview(_ context: ConsoleContext) async throws -> SiteAnswer {
        try page(context, isOutdated: false)
    }

    /// Shows the changes; the form carries their digest, so that no others are deployed.
    private static func page(_ context: ConsoleContext, isOutdated: Bool) throws -> SiteAnswer {
        let container = try context.tenant().container
        let development = context.store.schema(of: Tenant(container: container, environment: .development))
        let changes = try SchemaDeployment.changes(
            from: development,
            to: context.store.schema(of: Tenant(container: container, environment: .production)))
        return context.page(
            SchemaDeployPage(
                changes: changes.map(\.description), isEmpty: changes.isEmpty, container: container.rawValue,
                isOutdated: isOutdated, command: context.command("schema deploy --container \(container)"),
                plan: SchemaDeployment.digest(of: changes)),
            title: "Deploy to production", section: .schema, status: isOutdated ? .conflict : .ok)
    }

    @Sendable private static func deploy(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let production = Tenant(container: tenant.container, environment: .production)
        let changes: [SchemaDeployment.Change]
        do {
            changes = try await context.doing(
                "schema.deploy", tenant: production,
                subject: { $0.given([SchemaDeployment.Change].self).map { "\($0.count) changes" } }
            ) {
                try await SchemaDeployment.deploy(
                    container: tenant.container, expecting: context.form["plan"] ?? "", store: context.store)
            }
        } catch is SchemaPreviewOutdated {
            return try page(context, isOutdated: true)
        }
        return context.redirect(
            to: ConsoleContext.path(production, "/schema"),
            saying: changes.isEmpty
                ? "Production had everything already." : "Production has development's schema now.")
    }
}
