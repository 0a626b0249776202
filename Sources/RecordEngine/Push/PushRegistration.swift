import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// `tokens/create` with `webPush`: the key with which a browser subscribes at its push service; our extension.
    func webPushKey() throws -> ServiceOutput {
        let key = try VoluntaryIdentity(secret).publicKey
        return ServiceOutput { writer in
            writer.beginObject()
            writer.member("applicationServerKey", key)
            writer.endObject()
        }
    }

    /// `tokens/register` with `webPush`: a browser's `PushSubscription` as a receiver; our extension.
    ///
    /// The same endpoint is the same receiver, which goes on where it was; that of another user starts over.
    func registerWebPush(
        _ request: TokenRequest, _ subscription: TokenRequest.WebPush, _ user: String, _ context: CallContext
    ) async throws -> ServiceOutput {
        let address = try WebPushAddress(
            endpoint: subscription.endpoint, key: subscription.key, auth: subscription.auth)
        try await registerPush(
            ReceiverRow(
                digest: address.digest, tenant: context.tenant, user: user,
                pushEnvironment: request.apnsEnvironment,
                client: String((request.clientID ?? "").prefix(Limits.nameLength)), cursor: 0,
                createdAt: context.now, seenAt: context.now, channel: .webPush,
                definition: address.definition, origin: context.origin, registeredAt: context.now))
        return .emptyObject
    }

    /// Stores a receiver that is reached by pushes.
    func registerPush(_ wanted: ReceiverRow) async throws {
        let count = try await store.read(.short) { reader in
            let isThere = try reader.receiver(digest: wanted.digest).map { $0.endedAt == nil } ?? false
            return try isThere ? 0 : reader.pushReceiverCount()
        }
        guard count < Limits.pushReceivers else {
            throw ServiceError(
                exceeding: "pushReceivers",
                "The service has \(Limits.pushReceivers) receivers of pushes; no more are served.",
                remedy: "The console's page Subscriptions removes receivers.")
        }
        try await store.write { store in
            var row = wanted
            let known = try store.receiver(digest: row.digest)
            if let known, known.user == row.user, known.tenant == row.tenant, known.channel == row.channel,
                known.endedAt == nil
            {
                try store.checkOrigin(of: row, at: row.registeredAt)
                row.cursor = known.cursor
                row.firstCursor = known.firstCursor
                row.createdAt = known.createdAt
                // New keys are tried at once.
                row.state = known.definition == row.definition ? known.state : []
                try store.store(row)
            } else {
                // What happened before is none of the new one's.
                row.cursor = try store.lastSequence()
                row.firstCursor = row.cursor
                try store.add(row, at: row.registeredAt)
            }
        }
    }
}
