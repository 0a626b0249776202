import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordWire

/// The zones of a database, and what happened in them lately, deletions included.
enum ZonePages {
    static let routes: [Route] = [
        .get("/c/:container/:environment/zones", list),
        .get("/c/:container/:environment/zones/:zone", changes),
        .post("/c/:container/:environment/zones", make),
        .post("/c/:container/:environment/zones/:zone/delete", delete),
        // For zones that no path can name; see ``path(_:_:)``.
        .post("/c/:container/:environment/zones/delete", delete),
    ]

    /// The address of a zone, below a tenant's: browsers take `.` and `..` out of paths.
    private static func path(_ zone: String, _ query: String) -> String {
        RecordsAddress.recordPath(zone, below: "/zones/", query.isEmpty ? "" : "?" + query)
    }

    private static func deletePath(_ zone: String) -> String {
        zone == "." || zone == ".."
            ? "/zones/delete?name=" + zone : "/zones/\(FormValues.encoded(zone))/delete"
    }

    private static func zoneName(_ context: ConsoleContext) -> String {
        context.parameters["zone"] ?? context.query["name"] ?? ""
    }

    /// Changes on a page, and zones on one.
    private static let pageLength = 100
    /// The most users that the chooser lists.
    private static let listedUsers = 200

    /// Whose private database the address means; nil for the public one.
    private static func owner(_ context: ConsoleContext) -> String? {
        let owner = context.query["db"] ?? context.form["db"]
        return owner == "public" ? nil : owner
    }

    @Sendable private static func list(_ context: ConsoleContext) async throws -> SiteAnswer {
        if context.query["name"] != nil { return try await changes(context) }
        let tenant = try context.tenant()
        let owner = owner(context)
        let start = context.query.text("from") ?? ""
        let (listed, user, found) = try await context.read { reader in
            let database = try reader.database(DatabaseID(tenant: tenant, owner: owner))
            return (
                try reader.users(of: tenant, limit: listedUsers),
                try owner.flatMap { try reader.user(named: $0, of: tenant) },
                try database.map { try reader.zones(in: $0, from: start, limit: pageLength + 1) } ?? []
            )
        }
        if let owner {
            guard user != nil else {
                throw ServiceError(.notFound, "There is no user '\(owner.prefix(64))'.")
            }
            try await context.audit("private.look", owner, tenant: tenant)
        }
        let users = listed + (user.map { user in listed.contains(user) ? [] : [user] } ?? [])
        let zones = found.prefix(pageLength)
        let query = owner.map { "db=\(FormValues.encoded($0))" } ?? ""
        let base = "/console" + ConsoleContext.path(tenant, "/zones?\(query)")
        let next = found.dropFirst(pageLength).first.map { "\(base)&from=\(FormValues.encoded($0.name))" }
        let rows = zones.map { zone in
            let name = FormValues.encoded(zone.name)
            return ZonesPage.Zone(
                name: zone.name, isCustom: zone.isTracked, sequence: zone.sequence,
                href: "/console" + ConsoleContext.path(tenant, path(zone.name, query)),
                records: "/console" + ConsoleContext.path(tenant, "/records?\(query)&zone=\(name)"),
                deleteAction: "/console" + ConsoleContext.path(tenant, deletePath(zone.name)))
        }
        return context.page(
            ZonesPage(
                zones: rows, isEmpty: rows.isEmpty, isPrivate: owner != nil, db: owner ?? "public",
                first: start.isEmpty ? nil : base, next: next,
                users: users.map { user in
                    ZonesPage.User(
                        recordName: user.recordName, name: user.label, isChosen: user.recordName == owner)
                }),
            title: "Zones", section: .zones)
    }

    @Sendable private static func changes(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let owner = owner(context)
        let name = zoneName(context)
        let before = context.query["before"].flatMap(Int64.init) ?? .max
        let types = Dictionary(
            context.store.schema(of: tenant).types.values.map { ($0.id, $0.name) },
            uniquingKeysWith: { first, _ in first })
        let query = owner.map { "db=\(FormValues.encoded($0))" } ?? ""
        let found = try await context.store.read(.short) { reader -> (ZoneRow, [Change])? in
            guard let database = try reader.database(DatabaseID(tenant: tenant, owner: owner)),
                let zone = try reader.zone(named: name, in: database)
            else { return nil }
            var rows: [Change] = []
            let feed = ChangeFeed(zone: zone.id, after: 0, limit: pageLength + 1, backwardsFrom: before)
            try reader.changes(feed) { change in
                rows.append(
                    Change(
                        name: change.name, type: types[change.type] ?? "", sequence: change.sequence,
                        isDeleted: change.body == nil))
                return true
            }
            return (zone, rows)
        }
        guard let (zone, rows) = found else {
            throw ServiceError(.zoneNotFound, "The zone '\(name.prefix(64))' does not exist.")
        }
        if owner != nil { try await context.audit("private.look", "\(owner ?? "") \(name)", tenant: tenant) }
        let page = rows.prefix(pageLength)
        let older = rows.count > pageLength ? page.last?.sequence : nil
        let database = FormValues.encoded(owner ?? "public")
        let models = page.map { change in
            ChangesPage.Change(
                name: change.name, type: change.type, sequence: change.sequence, isDeleted: change.isDeleted,
                href: "/console"
                    + ConsoleContext.path(
                        tenant,
                        RecordsAddress.recordPath(
                            change.name, below: "/records/", "?\(query)&zone=\(FormValues.encoded(name))")))
        }
        return context.page(
            ChangesPage(
                changes: models, isEmpty: page.isEmpty, isTracked: zone.isTracked, isLater: before != .max,
                newest: "/console" + ConsoleContext.path(tenant, path(name, "db=\(database)")),
                older: older.map { older in
                    "/console" + ConsoleContext.path(tenant, path(name, "db=\(database)&before=\(older)"))
                },
                sequence: zone.sequence, list: "/console" + ConsoleContext.path(tenant, "/zones?\(query)")),
            title: name, section: .zones)
    }

    private struct Change: Sendable {
        var name: String
        var type: String
        var sequence: Int64
        var isDeleted: Bool
    }

    @Sendable private static func make(_ context: ConsoleContext) async throws -> SiteAnswer {
        let name = (context.form["name"] ?? "").trimming { $0.isWhitespace }
        return try await modify(context, zone: name, isDelete: false, saying: "The zone '\(name)' is there.")
    }

    @Sendable private static func delete(_ context: ConsoleContext) async throws -> SiteAnswer {
        let name = zoneName(context)
        return try await modify(
            context, zone: name, isDelete: true, saying: "The zone '\(name)' and its records were deleted.")
    }

    private static func modify(
        _ context: ConsoleContext, zone: String, isDelete: Bool, saying sentence: String
    ) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let owner = owner(context)
        let request = ZonesModifyRequest(
            operations: [.init(isDelete: isDelete, zoneID: ZoneID(zoneName: zone))])
        let subject = "\(owner ?? "") \(zone)"
        let (answer, _) = try await context.doing(
            isDelete ? "zone.delete" : "zone.make", tenant: tenant,
            subject: { $0.first(of: "zones") == nil ? nil : subject }
        ) {
            try await context.ask(.zonesModify, request.encoded(), tenant: tenant, owner: owner)
        }
        for zone in answer["zones"]?.array ?? [] {
            if let object = zone.object, let error = ErrorDictionary(json: object) { throw error }
        }
        let query = owner.map { "?db=\(FormValues.encoded($0))" } ?? ""
        return context.redirect(to: ConsoleContext.path(tenant, "/zones" + query), saying: sentence)
    }
}
