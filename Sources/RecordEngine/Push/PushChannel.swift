import Crypto
import RecordModel
import RecordStorage
import RecordWire

/// A notification on its way to a push service.
struct PushNotification: Sendable {
    let json: [UInt8]
    /// The notification's id, the same each time that it is sent.
    let id: String
    /// What it replaces on the device, as its subscription says.
    var collapseID: String?
}

/// How notifications reach receivers of one kind.
protocol PushChannel: Sendable {
    /// The most bytes of a notification.
    var mostBytes: Int { get }
    /// The push of a notification.
    ///
    /// - Throws: `ServiceError` where the receiver cannot be reached as things are; it is tried again later.
    func request(_ notification: PushNotification, to row: ReceiverRow, now: Int64) async throws
        -> PushRequest
    /// What an answer means.
    func verdict(on answer: PushAnswer) -> PushVerdict
}

/// What the answer of a push service means.
enum PushVerdict: Equatable {
    case taken
    /// The receiver is gone for good, since a time in milliseconds where its push service names one.
    case gone(since: Int64?)
    /// This notification will not be taken, whenever it is sent; those after it may be.
    case never
    /// It may be taken later.
    case later
}

/// Browsers (RFC 8030).
struct WebPushChannel: PushChannel {
    let identity: VoluntaryIdentity
    let environment: ServiceEnvironment
    /// An `https` address of this service, for who runs a push service; nil where there is none.
    let contact: String?

    var mostBytes: Int { WebPushEncryption.mostBytes }

    func request(_ notification: PushNotification, to row: ReceiverRow, now: Int64) async throws
        -> PushRequest
    {
        let address = try WebPushAddress(stored: row.definition)
        let body = try WebPushEncryption.encrypt(
            notification.json, for: address.key, auth: address.auth, sender: .init(),
            salt: environment.random(WebPushEncryption.saltBytes))
        return PushRequest(
            url: address.endpoint,
            headers: [
                (
                    "Authorization",
                    try identity.authorization(for: address.origin, contact: contact, now: now)
                ),
                ("Content-Encoding", "aes128gcm"),
                // So long the service remembers changes.
                ("TTL", String(Limits.changeLogSeconds)), ("Urgency", "normal"),
            ], type: "application/octet-stream", body: body, needsHTTP2: false)
    }

    func verdict(on answer: PushAnswer) -> PushVerdict {
        switch answer.status {
        case 200?, 201?, 202?, 204?: .taken
        case 404?, 410?: .gone(since: nil)
        // Too large, or not understood: it would be so again.
        case 400?, 413?: .never
        default: .later
        }
    }
}
