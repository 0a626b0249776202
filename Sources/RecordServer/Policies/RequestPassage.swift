import HTTPTypes
import HummingbirdCore
import NIOCore
import RecordEngine
import RecordModel

/// What a request asks for.
enum RequestDestination {
    /// A part of the server beside the protocol, with the path below its prefix.
    case site(any Site, path: Substring)
    /// Whether another origin's page may ask (the method OPTIONS).
    case preflight
    /// A page of the server's own, such as `/healthz`.
    case page
    /// An endpoint of the protocol.
    case call
    /// An endpoint whose answer goes on for long.
    case live
}

/// One request on its way through the policies: what is known of it, and what it holds.
struct RequestPassage {
    let request: Request
    let channel: any Channel
    let target: RequestTarget
    /// Where the request comes from; nil where that is not known.
    let client: ClientAddress?
    /// Asks the client for the body, where it waits to be asked.
    let invitation: BodyInvitation
    /// When the request came.
    let start = ContinuousClock.now

    /// What the log, the history and the metrics get.
    var entry: RequestLog.Entry
    /// What is left of the tightest rate that the request counted for.
    var standing: RateStanding?
    /// What is asked for, from ``RoutingPolicy`` on.
    var destination: RequestDestination?
    /// The request as the service gets it, from ``RoutingPolicy`` on; nil where it is not for the service.
    var call: ServiceCall?
    /// Who sends it, from ``AdmissionPolicy`` on.
    var admission: Admission?
    /// Who has shares in it, from ``SharePolicy`` on; nil where the answer goes on for long.
    var parties: RequestParties?
    /// Whether the body was signed with the key that the request names.
    var isSignatureValid = false
    /// Whether the connection ends with the answer.
    var isLast = false
    /// How many policies were entered, and not left again.
    var entered = 0
    /// Where the request goes on, set by a policy that has it wait in a line of its own.
    var executor: PartyExecutor?

    // What is held, each by the policy of that name.
    var shares: RequestShares.Taken?
    var tokenShare: RequestShares.Taken?
    var body: CollectedBody?
    var workBytes = 0
    var room: OutgoingAnswers.Making?

    init(_ request: Request, _ channel: any Channel, _ proxies: TrustedProxies) {
        self.request = request
        self.channel = channel
        entry = RequestLog.Entry(
            id: RequestID.next(), method: request.method.rawValue, time: LogTime.milliseconds)
        entry.userAgent = request.headers[.userAgent].map { String($0.prefix(Limits.userAgentCharacters)) }
        target = RequestTarget(request.head.path ?? "/")
        client = proxies.client(of: request, over: channel)
        invitation = BodyInvitation(request, channel)
    }

    /// Whether everything that policies took was given back.
    var holdsNothing: Bool {
        shares == nil && tokenShare == nil && body == nil && workBytes == 0 && room == nil
    }

    /// Whether the service answers, and the answer has an end.
    var isCall: Bool {
        if case .call = destination { true } else { false }
    }

    /// Whether more follows the head than is worth reading only to throw it away.
    var hasLargeBody: Bool {
        if let length = request.contentLength { return length > Self.smallBodyBytes }
        return request.headers[.transferEncoding] != nil
    }

    /// Whether the request was refused, and its body would have to be read only to be thrown away.
    var isRefusedUnread: Bool { entry.status >= 400 && entry.bytesIn == 0 && hasLargeBody }

    /// What is read and thrown away without another thought, so that a client keeps its connection; and what is read without
    /// waiting for others' bodies.
    static let smallBodyBytes = 65_536
}
