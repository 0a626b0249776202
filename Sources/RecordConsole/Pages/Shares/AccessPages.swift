import RecordEngine
import RecordModel
import RecordServer
import RecordStorage

/// Who may do what in a container, and why somebody may or may not see a record.
enum AccessPages {
    static let routes: [Route] = [.get("/c/:container/:environment/access", table)]

    /// The most users that can be chosen, and the most whose roles are listed.
    private static let listedUsers = 200

    @Sendable private static func table(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let schema = context.store.schema(of: tenant)
        let users = try await context.read { try $0.users(of: tenant, limit: listedUsers) }
        // Grants of the type of shares mean nothing.
        let types = schema.visibleTypes.values.filter { $0.name != ShareRecordType.name }
            .sorted { $0.name < $1.name }
        let grants = types.flatMap { type in
            type.effectiveGrants.enumerated().map { index, grant in
                AccessPage.Grant(
                    type: type.name, isFirst: index == 0, role: grant.roleWords,
                    reads: grant.permissions.contains(.read), creates: grant.permissions.contains(.create),
                    writes: grant.permissions.contains(.write))
            }
        }
        let roles = schema.roles.map { role in
            let names = users.filter { $0.roles.contains(role) }.map(\.label)
            return AccessPage.Role(
                name: role, users: names.joined(separator: ", "), hasUsers: !names.isEmpty)
        }
        return context.page(
            AccessPage(
                grants: grants, isEmpty: grants.isEmpty, roles: roles, hasRoles: !roles.isEmpty,
                why: try await question(context, tenant, users)),
            title: "Who may do what", section: .shares)
    }

    /// The form that names a record, with the answer where it was asked.
    private static func question(
        _ context: ConsoleContext, _ tenant: Tenant, _ users: [UserRow]
    ) async throws -> AccessWhyModel {
        let record = context.query["record"] ?? ""
        let owner = context.query["db"].flatMap { $0 == "public" ? nil : $0 }
        let zone = context.query["zone"] ?? ZoneID.defaultName
        let user = context.query["why"]
        var model = AccessWhyModel(
            action: "/console" + ConsoleContext.path(tenant, "/access"), users: choice(users, user),
            hasUsers: !users.isEmpty)
        model.asksForRecord = true
        model.record = record
        model.zone = zone == ZoneID.defaultName ? "" : zone
        model.owners = choice(users, owner)
        if let user, !record.isEmpty {
            let place = AccessExplanation.Place(owner: owner, zone: zone)
            try await model.answer(for: user, record, in: place, context, tenant)
        }
        return model
    }

    private static func choice(_ users: [UserRow], _ chosen: String?) -> [AccessWhyModel.User] {
        users.map { .init(recordName: $0.recordName, name: $0.label, isChosen: $0.recordName == chosen) }
    }

    /// The form on the page of a record; nil where one looks as somebody else already.
    static func question(about record: String, _ scope: RecordsScope) async throws -> AccessWhyModel? {
        guard !scope.address.isLook else { return nil }
        let (context, tenant) = (scope.context, scope.tenant)
        let users = try await context.read { try $0.users(of: tenant, limit: listedUsers) }
        let user = context.query["why"]
        let path = scope.href(scope.address.recordPath(record))
        var model = AccessWhyModel(
            action: String(path.prefix { $0 != "?" }), users: choice(users, user), hasUsers: !users.isEmpty)
        model.hidden = scope.address.placeItems.map { .init(name: $0.name, value: $0.value) }
        if RecordsAddress.isUnnameable(record) { model.hidden.append(.init(name: "name", value: record)) }
        if let user {
            let place = AccessExplanation.Place(owner: scope.address.owner, zone: scope.address.zone)
            try await model.answer(for: user, record, in: place, context, tenant)
        }
        return model
    }
}

extension AccessWhyModel {
    /// Fills in the answer, which the audit log notes where a private database was looked at.
    ///
    /// - Throws: `NOT_FOUND` for an unknown user.
    fileprivate mutating func answer(
        for user: String, _ record: String, in place: AccessExplanation.Place, _ context: ConsoleContext,
        _ tenant: Tenant
    ) async throws {
        let now = context.now
        let found = try await context.read { reader in
            try reader.user(named: user, of: tenant).map {
                try AccessExplanation(of: record, in: place, for: $0, of: tenant, reader, now: now)
            }
        }
        guard let found else { throw ServiceError(.notFound, "There is no user '\(user.prefix(64))'.") }
        if let owner = place.owner {
            try await context.audit("private.look", "\(owner) \(record) for \(user)", tenant: tenant)
        }
        sentence = found.sentence
        mayRead = found.mayRead
        mayWrite = found.mayWrite
    }
}
