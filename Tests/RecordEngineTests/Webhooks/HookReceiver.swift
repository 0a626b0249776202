import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Synchronization
import TestSupport

/// The other side of webhooks: it notes what arrives, and refuses what a test wants it to.
final class HookReceiver: WebhookTransport {
    struct Delivery: Sendable {
        var headers: [String: String]
        var body: [UInt8]
        var json: JSONValue

        var reason: String { json["reason"].string ?? "?" }
        var zone: String { json["zoneID"]["zoneName"].string ?? "" }
        var name: String { json["recordName"].string ?? zone }
        /// `reason:name` and the value of `n` where there is one.
        var text: String {
            let number = json["record"]["fields"]["n"]["value"].int.map { "=\($0)" } ?? ""
            return "\(reason):\(name)\(number)"
        }
    }

    private struct State {
        var taken: [Delivery] = []
        var tried: [Delivery] = []
        var refusal: @Sendable (Delivery) -> WebhookAnswer? = { _ in nil }
    }

    private let state = Mutex(State())

    /// What was taken, in order.
    var taken: [Delivery] { state.withLock { $0.taken } }
    /// All that came, in order.
    var tried: [Delivery] { state.withLock { $0.tried } }
    var texts: [String] { taken.map(\.text) }

    /// Sets what is refused, and how.
    func refuse(_ refusal: @escaping @Sendable (Delivery) -> WebhookAnswer?) {
        state.withLock { $0.refusal = refusal }
    }

    func send(_ request: WebhookRequest) async throws -> WebhookAnswer {
        try Task.checkCancellation()
        let delivery = Delivery(
            headers: Dictionary(request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }),
            body: request.body, json: (try? JSONReader.read(request.body)) ?? .null)
        let refusal = state.withLock { state in
            state.tried.append(delivery)
            let refusal = state.refusal(delivery)
            if refusal == nil { state.taken.append(delivery) }
            return refusal
        }
        return refusal ?? .status(204)
    }
}

extension TestCloud {
    var tenant: Tenant { Tenant(container: container, environment: .development) }

    /// A webhook of alice's private database, or of the public one.
    func addHook(
        _ types: [String] = ["Note"], in scope: DatabaseScope = .private, zone: String? = nil,
        where predicate: String? = nil, on triggers: [SubscriptionDictionary.Trigger]? = nil
    ) async throws -> (id: String, secret: String) {
        var definition = WebhookDictionary(url: "https://example.org/hook")
        definition.recordTypes = types
        definition.zoneName = zone
        definition.predicate = predicate
        if let triggers { definition.firesOn = triggers }
        if scope == .private {
            let name = Sender.alice.userName
            definition.owner = name
            let tenant = tenant
            try await store.write { store in
                guard try store.user(named: name, of: tenant) == nil else { return }
                try store.insert(UserRow(tenant: tenant, recordName: name, label: "alice", createdAt: 1))
            }
        }
        let (hook, secret) = try await Webhooks.add(
            definition, to: tenant, store: store, environment: hookEnvironment)
        return (hook.row.id, secret)
    }

    var hookEnvironment: ServiceEnvironment {
        ServiceEnvironment(
            now: { self.wait(milliseconds: 1) },
            random: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } })
    }

    /// Delivers while a test does something.
    func delivering(to receiver: HookReceiver, _ body: () async throws -> Void) async throws {
        let service = service
        let task = Task { await service.runWebhooks(over: receiver, baseURL: nil) }
        do {
            try await body()
        } catch {
            task.cancel()
            await task.value
            throw error
        }
        task.cancel()
        await task.value
    }

    func hook(_ id: String) async throws -> Webhooks.Listed {
        let tenant = tenant
        return try await store.read(.short) { try Webhooks.find(id, of: tenant, $0) }
    }
}
