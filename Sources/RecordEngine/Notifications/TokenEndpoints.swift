import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// The first part of the address that a web courier polls; a receiver's token follows.
    public static let courierPrefix = "/courier"

    /// `tokens/create`: a new receiver of the user's notifications, at whose address the client waits for them.
    func createToken(_ request: TokenRequest, _ context: CallContext) async throws -> ServiceOutput {
        guard case .user(let user) = context.caller else { throw ServiceError.needsUser }
        if request.wantsWebPushKey { return try webPushKey() }
        let token = AccessToken.make(random: environment.random(32))
        let digest = AccessToken.digest(token)
        let cursor = try await store(for: context).write { store in
            // What happened before is none of the new one's.
            let cursor = try store.lastSequence()
            let row = ReceiverRow(
                digest: digest, tenant: context.tenant, user: user, pushEnvironment: request.apnsEnvironment,
                client: String((request.clientID ?? "").prefix(Limits.nameLength)),
                cursor: cursor, createdAt: context.now, seenAt: context.now, origin: context.origin,
                firstCursor: cursor, registeredAt: context.now)
            try store.add(row, at: context.now)
            return cursor
        }
        return ServiceOutput { writer in
            writer.beginObject()
            writer.member("apnsEnvironment", request.apnsEnvironment)
            writer.member("apnsToken", token)
            writer.member("webcourierURL", "\(context.baseURL)\(Self.courierPrefix)/\(token)")
            writer.member("notificationID", NotificationPlace(endOf: cursor).id)
            writer.endObject()
        }
    }

    /// `tokens/register`: keeps a receiver that `tokens/create` made.
    ///
    /// A device's token of Apple's push service is refused where the container has no key for it: nobody would see that
    /// pushes do not come.
    func registerToken(_ request: TokenRequest, _ context: CallContext) async throws -> ServiceOutput {
        guard case .user(let user) = context.caller else { throw ServiceError.needsUser }
        if let subscription = request.webPush {
            return try await registerWebPush(request, subscription, user, context)
        }
        guard let token = request.apnsToken else { throw JSONError.missing("apnsToken") }
        if let output = try await registerDevice(token, request, user, context) { return output }
        let digest = AccessToken.digest(token)
        try await store(for: context).write { store in
            guard var row = try store.receiver(digest: digest), row.user == user, row.tenant == context.tenant
            else {
                throw ServiceError(
                    .badRequest,
                    "'tokens/create' did not give this token, and it is not a device's token for which the container has a key of Apple's push service.",
                    remedy:
                        "Call 'tokens/create' and wait at its 'webcourierURL', or store a key: stratus push set --container \(context.tenant.container)."
                )
            }
            row.seenAt = context.now
            row.registeredAt = context.now
            row.pushEnvironment = request.apnsEnvironment
            row.origin = context.origin
            try store.checkOrigin(of: row, at: context.now)
            try store.store(row)
        }
        return .emptyObject
    }

    /// `tokens/unregister`: ends a receiver of the user, whatever its kind; our extension. One that is not there is none to end.
    func unregisterToken(_ request: TokenRequest, _ context: CallContext) async throws -> ServiceOutput {
        guard case .user(let user) = context.caller else { throw ServiceError.needsUser }
        let digests: [[UInt8]]
        if let subscription = request.webPush {
            digests = [WebPushAddress.digest(ofEndpoint: subscription.endpoint)]
        } else if let token = request.apnsToken {
            digests = [
                AccessToken.digest(token),
                Self.deviceDigest(token.lowercased(), request.apnsEnvironment, context.tenant),
            ]
        } else {
            throw JSONError.missing("apnsToken")
        }
        try await store(for: context).write { store in
            for digest in digests {
                guard let row = try store.receiver(digest: digest), row.user == user,
                    row.tenant == context.tenant, row.endedAt == nil
                else { continue }
                try store.end(row, because: "The app unregistered it.", at: context.now)
            }
        }
        return .emptyObject
    }
}

extension ServiceOutput {
    /// The answer of what says nothing but that it was done.
    static var emptyObject: ServiceOutput {
        ServiceOutput { writer in
            writer.beginObject()
            writer.endObject()
        }
    }
}
