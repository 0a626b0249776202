import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// What people share with each other: every share of a container, the newest first.
enum SharePages {
    static let routes: [Route] = [
        .get("/c/:container/:environment/shares", list),
        .get("/c/:container/:environment/shares/:zone", show),
    ]

    private static let pageLength = 50

    @Sendable private static func list(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let place = place(context)
        let found = try await context.read { reader in
            try ShareOverview.page(of: tenant, after: place, limit: pageLength + 1, reader)
        }
        // Who shares what with whom is private, also without the records.
        try await context.audit("private.look", "shares", tenant: tenant)
        let shares = found.prefix(pageLength)
        let base = "/console" + ConsoleContext.path(tenant, "/shares")
        return context.page(
            SharesPage(
                shares: shares.map { ShareModel($0, context, tenant) }, isEmpty: shares.isEmpty,
                first: place == nil ? nil : base,
                next: found.count > shares.count ? shares.last.map { base + query($0.place) } : nil),
            title: "Shares", section: .shares)
    }

    @Sendable private static func show(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let name = context.query["name"] ?? ""
        let zone = context.parameters["zone"].flatMap(Int64.init) ?? 0
        let found = try await context.read { try ShareOverview.find(name, in: zone, of: tenant, $0) }
        guard let share = found else {
            throw ServiceError(.notFound, "There is no share '\(name.prefix(64))' here any more.")
        }
        try await context.audit("private.look", "the share \(name) of \(share.owner)", tenant: tenant)
        let model = ShareModel(share, context, tenant)
        return context.page(
            SharePage(share: model, people: model.people, isAlone: model.isAlone), title: model.title,
            section: .shares)
    }

    /// Where the list goes on, in an address.
    private static func query(_ place: SharePlace) -> String {
        RecordsAddress.query([
            ("made", String(place.createdAt)), ("zone", String(place.zone)), ("after", place.name),
        ])
    }

    private static func place(_ context: ConsoleContext) -> SharePlace? {
        guard let made = context.query["made"].flatMap(Int64.init),
            let zone = context.query["zone"].flatMap(Int64.init), let name = context.query.text("after")
        else { return nil }
        return SharePlace(createdAt: made, zone: zone, name: name)
    }
}
