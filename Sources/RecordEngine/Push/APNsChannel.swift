import Crypto
import Foundation
import RecordModel
import RecordStorage
import RecordWire
import Synchronization

/// Apple's push service, over HTTP/2 with tokens that a key signs.
final class APNsChannel: PushChannel {
    private struct Token {
        let keyID: String
        let text: String
        let madeAt: Int64
    }

    private let store: any RecordStore
    private let tokens = Mutex<[Tenant: Token]>([:])

    /// How long a token is used, in milliseconds: Apple refuses those of more than an hour, and new ones within 20 minutes.
    private static let tokenMilliseconds: Int64 = 2_400_000
    private static let longestCollapseID = 64

    init(store: any RecordStore) { self.store = store }

    let mostBytes = 4_096

    func request(
        _ notification: PushNotification, to row: ReceiverRow, now: Int64
    ) async throws -> PushRequest {
        guard let stored = try await store.read(.short, { try $0.pushKey(of: row.tenant) }) else {
            throw ServiceError(
                .badRequest,
                "\(row.tenant) has no key for Apple's push service; 'stratus push set' stores one.")
        }
        let key = try PushKey(stored: stored)
        guard let device = try JSONReader.read(row.definition).object?.string("token") else {
            throw JSONError.missing("token")
        }
        let aps = try JSONReader.read(notification.json).object?.object("aps") ?? JSONObject()
        let isAlert = ["alert", "sound", "badge"].contains { aps[$0] != nil }
        var headers = [
            ("authorization", "bearer \(try token(of: key, for: row.tenant, now: now))"),
            ("apns-topic", key.topic), ("apns-push-type", isAlert ? "alert" : "background"),
            // 10 is for what a person sees; Apple refuses it for pushes in the background.
            ("apns-priority", isAlert ? "10" : "5"), ("apns-id", notification.id),
            ("apns-expiration", String(now / 1_000 + Int64(Limits.changeLogSeconds))),
        ]
        if let collapseID = notification.collapseID,
            (1...Self.longestCollapseID).contains(collapseID.utf8.count),
            collapseID.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        {
            headers.append(("apns-collapse-id", collapseID))
        }
        return PushRequest(
            url: "\(key.server(for: row.pushEnvironment))/3/device/\(device)", headers: headers,
            type: "application/json", body: notification.json, needsHTTP2: true,
            certificates: key.certificates)
    }

    /// A token is made again when it is old, or when the key is another one.
    private func token(of key: PushKey, for tenant: Tenant, now: Int64) throws -> String {
        let known = tokens.withLock { $0[tenant] }
        if let known, known.keyID == key.keyID, (0..<Self.tokenMilliseconds).contains(now - known.madeAt) {
            return known.text
        }
        let text = try SignedToken.make(
            header: {
                $0.member("alg", "ES256")
                $0.member("kid", key.keyID)
            },
            claims: {
                $0.member("iss", key.teamID)
                $0.member("iat", now / 1_000)
            }, key: P256.Signing.PrivateKey(pemRepresentation: key.pem))
        tokens.withLock { $0[tenant] = Token(keyID: key.keyID, text: text, madeAt: now) }
        return text
    }

    func verdict(on answer: PushAnswer) -> PushVerdict {
        let json = try? JSONReader.read(Array(answer.text.utf8)).object
        let reason = json?["reason"]?.string ?? ""
        switch answer.status {
        case 200?: return .taken
        case 410?: return .gone(since: json?["timestamp"]?.int)
        // Of the other environment, or of another app: it will never be good here. The device registers again when it has
        // another one, and operators see the reason until then.
        case 400? where ["BadDeviceToken", "DeviceTokenNotForTopic"].contains(reason):
            return .gone(since: nil)
        case 413?: return .never
        case 400? where ["PayloadTooLarge", "BadCollapseId"].contains(reason): return .never
        case 403? where reason == "ExpiredProviderToken":
            // The clocks differ: the next attempt has a new one.
            tokens.withLock { $0 = [:] }
            return .later
        default: return .later
        }
    }
}
