import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordWire

/// What a page about records works on: the tenant, the address, and the record type where one is chosen.
struct RecordsScope: Sendable {
    let context: ConsoleContext
    let tenant: Tenant
    let schema: Schema
    var address: RecordsAddress
    /// Whether answers have encrypted fields; see ``revealing(_:)``.
    var reveals = false

    init(_ context: ConsoleContext, _ values: FormValues? = nil) throws {
        self.context = context
        tenant = try context.tenant()
        schema = context.store.schema(of: tenant)
        address = RecordsAddress(values ?? context.query)
        let types = schema.visibleTypes
        if address.type == nil, types.count == 1 { address.type = types.keys.first }
    }

    var isDevelopment: Bool { tenant.environment == .development }

    /// The record type of the address; nil where none is chosen.
    ///
    /// - Throws: `NOT_FOUND` for one that is not there.
    func type() throws(ServiceError) -> RecordType? {
        guard let name = address.type else { return nil }
        guard let type = schema.types[name], !type.isHidden else {
            throw ServiceError(.notFound, "There is no record type '\(name.prefix(64))' here.")
        }
        return type
    }

    /// The record type of the address, where a page cannot do without.
    func requiredType() throws(ServiceError) -> RecordType {
        guard let type = try type() else { throw ServiceError(.badRequest, "No record type is chosen.") }
        return type
    }

    /// Asks the record service in the database of the address.
    func ask(_ endpoint: Endpoint, _ request: some WireRequest) async throws -> (
        json: JSONObject, trace: ServiceTrace
    ) {
        guard !address.isLook || endpoint != .recordsModify && endpoint != .assetsUpload else {
            throw ServiceError(
                .badRequest, "Who looks as somebody else changes nothing.",
                remedy: "Change the record in its owner's private database.")
        }
        return try await context.ask(
            endpoint, request.encoded(), tenant: tenant, owner: address.owner, isShared: address.isLook,
            reveals: reveals)
    }

    /// Notes that a user's private database was looked at, where it is one.
    func auditLook() async throws {
        guard let owner = address.owner else { return }
        let subject = address.sharedBy.map { "\($0) as \(owner)" } ?? owner
        try await context.audit("private.look", subject, tenant: tenant)
    }

    /// Notes what was done to a record, with the database in which it is and the change tag that the record got.
    func audit(_ action: String, _ subject: String, tag: String? = nil) async throws {
        try await context.audit(action, auditSubject(subject, tag: tag), tenant: tenant)
    }

    /// What the audit log calls a record, and where the tag is known, a version of it.
    func auditSubject(_ name: String, tag: String?) -> String {
        let place = [address.databaseOwner, address.zone == ZoneID.defaultName ? nil : address.zone]
            .compactMap { $0 }
        let text = place.isEmpty ? name : "\(name) in \(place.joined(separator: "/"))"
        return tag.map { text + Self.auditTag + "\($0))" } ?? text
    }

    /// What is between a record and its change tag in the audit log.
    static let auditTag = " (change tag "

    /// The address of a page, below the console's prefix.
    func path(_ rest: String) -> String { ConsoleContext.path(tenant, rest) }

    /// The whole address of a page.
    func href(_ rest: String) -> String { "/console" + path(rest) }
}

/// The chooser of database and zone that stands above the pages of records.
extension RecordsScope {
    /// The most users that the chooser lists; beyond it one types the record name.
    private static let listedUsers = 200

    /// What the chooser's template shows.
    func chooser() async throws -> RecordsChooser {
        let id = DatabaseID(tenant: tenant, owner: address.owner)
        let sharer = address.sharedBy
        let (users, user, sharing, found) = try await context.read { reader in
            (
                try reader.users(of: id.tenant, limit: Self.listedUsers),
                try id.owner.flatMap { try reader.user(named: $0, of: id.tenant) },
                try sharer.flatMap { try reader.user(named: $0, of: id.tenant) },
                try id.owner == nil || sharer != nil
                    ? []
                    : reader.database(id).map {
                        try reader.zones(in: $0, from: "", limit: Self.listedZones + 1).map(\.name)
                    } ?? []
            )
        }
        var databases = [option("public", "Public database", isChosen: address.owner == nil)]
        databases += users.map { user in
            option(
                user.recordName, "Private: \(user.label)",
                isChosen: user.recordName == address.owner && !address.isLook)
        }
        let look = address.sharedBy.map { sharer in
            (user?.label ?? address.owner ?? "", sharing?.label ?? sharer)
        }
        if let look, let value = address.databaseItem {
            databases.append(option(value, "Shared with \(look.0) by \(look.1)", isChosen: true))
        } else if let owner = address.owner, !users.contains(where: { $0.recordName == owner }) {
            databases.append(option(owner, "Private: \(user?.label ?? owner)", isChosen: true))
        }
        var zones = Array(found.prefix(Self.listedZones))
        if address.owner != nil, look == nil, !zones.contains(ZoneID.defaultName) {
            zones.insert(ZoneID.defaultName, at: 0)
        }
        if !zones.contains(address.zone) { zones.insert(address.zone, at: 0) }
        let types = schema.visibleTypes.keys.sorted()
        let place = RecordsAddress.query(address.placeItems + (address.type.map { [("type", $0)] } ?? []))
        return RecordsChooser(
            databases: databases,
            zones: zones.map { zone in
                option(
                    zone, zone == ZoneID.defaultName ? "default zone" : zone, isChosen: zone == address.zone)
            },
            hasZones: zones.count > 1 || look != nil, hasManyZones: found.count > Self.listedZones,
            zone: address.zone,
            types: types.map { option($0, $0, isChosen: $0 == address.type) }, hasTypes: !types.isEmpty,
            hasManyTypes: types.count > Self.listedTypes, type: address.type,
            typeHref: address.type.map { href("/records" + RecordsAddress.query([("type", $0)])) },
            newHref: href("/new-record" + place), importHref: href("/records-import" + place),
            owner: user?.label ?? address.owner,
            look: look.map {
                "You look as \($0.0) at what \($0.1) shares: these are the records that \($0.0) sees."
            })
    }

    /// From how many types on one types the name, with suggestions.
    private static let listedTypes = 40
    /// From how many zones on one types the name, with suggestions.
    private static let listedZones = 200

    private func option(_ value: String, _ title: String, isChosen: Bool) -> RecordsChooser.Option {
        .init(value: value, encoded: FormValues.encoded(value), title: title, isChosen: isChosen)
    }
}
