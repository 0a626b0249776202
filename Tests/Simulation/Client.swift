import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// What came of a request.
enum Reply {
    case answer(JSONValue)
    /// Nothing was done, and the same may be asked again.
    case later
    case refused(String)
    /// Nobody knows: the answer was lost, or the service could not say.
    case lost
}

/// Somebody who uses the service, one request after the other.
///
/// Used by one thread, that of the simulation.
class Client: @unchecked Sendable {
    let world: World
    let tenant: Tenant
    let user: String

    init(_ world: World, _ tenant: Tenant, user: String) {
        self.world = world
        self.tenant = tenant
        self.user = user
    }

    /// Asks some node.
    func ask(_ endpoint: Endpoint, _ body: String, scope: DatabaseScope = .private) async -> Reply {
        let node = world.anyNode()
        let start = node.starts
        let answer = await node.service.answer(
            ServiceCall(
                endpoint: endpoint, tenant: tenant, scope: scope,
                credentials: Credentials(apiToken: "api", webAuthToken: user), body: Array(body.utf8),
                requestID: "simulated"))
        if node.starts != start || world.isFaulty(25) { return .lost }
        guard let json = try? JSONReader.read(answer.body) else { return .refused("no JSON") }
        if answer.status == 200 { return .answer(json) }
        switch json.object?["serverErrorCode"]?.string {
        case "TRY_AGAIN_LATER", "THROTTLED": return .later
        case "INTERNAL_ERROR": return .lost
        case let code: return .refused(code ?? "no code")
        }
    }

    /// Asks until there is an answer, as one may for what changes nothing or has a key.
    func insist(_ endpoint: Endpoint, _ body: String, scope: DatabaseScope = .private) async -> Reply {
        while true {
            switch await ask(endpoint, body, scope: scope) {
            case .later, .lost: if world.isBroken { return .lost }
            case let reply: return reply
            }
        }
    }
}

extension JSONValue {
    subscript(_ key: String) -> JSONValue { object?[key] ?? .null }
}
