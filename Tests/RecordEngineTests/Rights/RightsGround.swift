import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport

/// Callers and grants for tests of rights, and a model of who may do what that knows nothing of the engine.
struct RightsGround {
    /// Who asks. Records are Alice's, Carol has the role Editor.
    enum Asker: String, CaseIterable, Sendable {
        case alice, bob, carol, nobody, administrator

        var sender: TestCloud.Sender? { TestCloud.Sender(rawValue: rawValue) }
    }

    let cloud: TestCloud
    let tenant: Tenant

    init(_ cloud: TestCloud) async throws {
        self.cloud = cloud
        let tenant = Tenant(container: cloud.container, environment: .development)
        self.tenant = tenant
        try await cloud.store.write { store in
            try store.setRoles(["Editor"], tenant: tenant)
            let carol = TestCloud.Sender.carol.userName
            try store.insert(
                UserRow(tenant: tenant, recordName: carol, label: "carol", createdAt: 0, roles: ["Editor"]))
        }
    }

    /// Gives a type exactly these grants.
    func set(_ grants: [SecurityGrant], type name: String = "Note") async throws {
        let tenant = tenant
        try await cloud.store.write { store in
            let type = try store.makeType(named: name, tenant: tenant)
            _ = try store.setAnnotations(systemIndexes: [:], grants: grants, of: type, tenant: tenant)
        }
    }

    /// Sends a request to the public database.
    func send(_ endpoint: Endpoint, _ body: JSONValue, as asker: Asker) async throws -> TestCloud.Answer {
        if let sender = asker.sender { return try await cloud.send(endpoint, body, as: sender, in: .public) }
        return try await cloud.administer(endpoint, body)
    }

    func record(_ name: String) async throws -> JSONValue? {
        let body: JSONValue = ["records": [["recordName": .string(name)]]]
        let answer = try await send(.recordsLookup, body, as: .administrator)
        return answer.codes == [nil] ? answer.records.first : nil
    }

    /// Whether somebody has a right to a record of Alice's, or to one of their own.
    static func allows(
        _ permission: SecurityPermissions, _ grants: [SecurityGrant], _ asker: Asker, isOwn: Bool
    ) -> Bool {
        if asker == .administrator { return true }
        return grants.contains { grant in
            guard grant.permissions.contains(permission) else { return false }
            switch grant.role {
            case "_world": return true
            case "_icloud": return asker != .nobody
            case "_creator": return asker != .nobody && isOwn
            default: return asker == .carol
            }
        }
    }
}
