public import RecordModel
public import RecordStorage

/// Security roles as operators handle them: a schema declares them and grants them rights, operators give them to users.
public enum SecurityRoles {
    /// Gives a user a role; one that the user has stays.
    ///
    /// Servers know it after ``rememberedSeconds`` at most.
    /// - Parameters:
    ///   - role: a role that the schema declares.
    ///   - name: the user's name or record name.
    ///   - tenant: whose schema and users are meant.
    ///   - store: where both are kept.
    /// - Throws: `NOT_FOUND` for a user or a role that is not there.
    @discardableResult
    public static func give(
        _ role: String, to name: String, in tenant: Tenant, store: any RecordStore
    ) async throws -> UserRow {
        try await change(name, in: tenant, store) { roles, declared in
            guard declared.contains(role) else { throw unknown(role, declared, tenant) }
            if !roles.contains(role) { roles.append(role) }
        }
    }

    /// Takes a role from a user, also one that the schema does not declare any more.
    ///
    /// - Throws: `NOT_FOUND` for a user who is not there or does not have it.
    @discardableResult
    public static func take(
        _ role: String, from name: String, in tenant: Tenant, store: any RecordStore
    ) async throws -> UserRow {
        try await change(name, in: tenant, store) { roles, _ in
            guard let index = roles.firstIndex(of: role) else {
                throw ServiceError(.notFound, "The user '\(name)' does not have the role '\(role)'.")
            }
            roles.remove(at: index)
        }
    }

    /// Adds rights to those that a role has with records of a type, which is made where it is missing.
    ///
    /// - Throws: `NOT_FOUND` for a role that the schema does not declare.
    public static func grant(
        _ permissions: SecurityPermissions, to role: String, ofTypeNamed typeName: String, in tenant: Tenant,
        store: any RecordStore
    ) async throws {
        try await store.write { store in
            let declared = try store.schema(of: tenant).roles
            guard (SecurityGrant.systemRoles + declared).contains(role) else {
                throw unknown(role, declared, tenant)
            }
            let type = try store.makeType(named: typeName, tenant: tenant)
            var grants = type.effectiveGrants
            if let index = grants.firstIndex(where: { $0.role == role }) {
                grants[index].permissions.formUnion(permissions)
            } else {
                grants.append(SecurityGrant(permissions, to: role))
            }
            _ = try store.setAnnotations(
                systemIndexes: type.systemIndexes, grants: grants, of: type, tenant: tenant)
        }
    }

    /// How long a server may not know yet that a role was given or taken.
    public static let rememberedSeconds = Int(Authenticator.rememberedMilliseconds / 1_000)

    private static func change(
        _ name: String, in tenant: Tenant, _ store: any RecordStore,
        _ body: @escaping @Sendable (_ roles: inout [String], _ declared: [String]) throws -> Void
    ) async throws -> UserRow {
        try await store.write { store in
            var user = try Users.find(name, in: tenant, reader: store)
            try body(&user.roles, store.schema(of: tenant).roles)
            user.roles.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            try store.setRoles(user.roles, ofUserNamed: user.recordName, tenant: tenant)
            return user
        }
    }

    private static func unknown(_ role: String, _ declared: [String], _ tenant: Tenant) -> ServiceError {
        if SecurityGrant.systemRoles.contains(role) {
            return ServiceError(
                .badRequest, "'\(role)' is nobody's to give: everybody has it whom it is for.",
                remedy: "Give a role that the schema declares with CREATE ROLE.")
        }
        return ServiceError(
            .notFound, "The schema of \(tenant) declares no role '\(role)'.",
            remedy: declared.isEmpty
                ? "Declare it in the schema's text: CREATE ROLE \(role);"
                : "Its roles are \(declared.joined(separator: ", ")).")
    }
}
