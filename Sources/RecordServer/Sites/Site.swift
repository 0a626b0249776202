import HTTPTypes
public import HummingbirdCore
import NIOCore
public import RecordEngine
import RecordModel

/// A part of the server beside the record protocol: whatever is below its prefix is its own.
///
/// The console, the files of assets and static pages are sites. The server gives each request an id, logs and
/// counts it, and sends the site's answer as it is, so bodies may be streams.
public protocol Site: Sendable {
    /// What the log calls the site's requests.
    var name: String { get }
    /// The beginning of the addresses that are the site's, from the first `/` on and without one at its end.
    /// An empty one stands for all addresses that nothing else of the server has.
    var prefix: String { get }
    /// Whether pages of other origins may read the answers. Only for what is guarded by its address alone.
    var allowsOtherOrigins: Bool { get }
    /// Whether its pages are for whoever runs the server: the history of requests then keeps only those that fail
    /// or change something.
    var isForOperators: Bool { get }
    /// What the log tells of an address below the prefix; nil where knowing the address is a right.
    func loggedPath(of path: Substring) -> Substring?
    /// Answers a request; failures are answers as well.
    func answer(_ request: SiteRequest) async -> SiteAnswer
}

/// A request to a ``Site``.
public struct SiteRequest: Sendable {
    /// Method, headers, body.
    public let request: Request
    /// The path below the site's prefix: empty, or with a `/` in front. Still percent-encoded.
    public private(set) var path: Substring
    /// What follows the `?`, still percent-encoded.
    public let query: Substring
    /// The id under which the log has the request.
    public let requestID: String
    /// The address by which the client reached the server, without a `/` at its end.
    public let baseURL: String
    /// Where the client is, as a text that names its address or its network; the same for all of one IPv6 network.
    public let clientAddress: String
    /// The network around it, as a text: of IPv6, what whoever rents a machine has.
    public let clientNetwork: String
    let intake: BodyIntake
    /// How much is read ahead for the client.
    let pieces: LargePieces
    var channel: any Channel { intake.channel }

    init(
        _ request: Request, path: Substring, query: Substring, requestID: String, baseURL: String,
        client: ClientAddress?, intake: BodyIntake, pieces: LargePieces
    ) {
        clientAddress = client?.text ?? Accounts.Client.unknownAddress
        clientNetwork = client?.network.text ?? Accounts.Client.unknownAddress
        self.request = request
        self.path = path
        self.query = query
        self.requestID = requestID
        self.baseURL = baseURL
        self.intake = intake
        self.pieces = pieces
    }

    /// The address of this machine at which the client's connection came in; nil where it is not known.
    public var localAddress: String? { channel.localAddress?.ipAddress }

    /// The port of this machine at which the client's connection came in; nil where it is not known.
    public var localPort: Int? { channel.localAddress?.port }

    /// The same request with what follows a prefix of its path, for a site within a site.
    public func below(_ prefix: String) -> SiteRequest {
        var request = self
        if path.hasPrefix(prefix) { request.path = path.dropFirst(prefix.count) }
        return request
    }

    /// The whole body.
    ///
    /// - Throws: `QUOTA_EXCEEDED` when it is larger than that, `BAD_REQUEST` when the connection breaks,
    ///   `TRY_AGAIN_LATER` when there is no room for it or it is too slow. A client that pauses for
    ///   `Limits/stallSeconds` or takes `Limits/requestReadSeconds` is cut off.
    public func body(upTo limit: Int) async throws -> [UInt8] {
        try await intake.whole(request.body, upTo: limit).bytes
    }
}

/// What a ``Site`` answers.
public struct SiteAnswer: Sendable {
    /// Status, headers and body; the server adds the request's id.
    public var response: Response
    /// What the log keeps besides.
    public var trace: ServiceTrace
    /// How many bytes the request's body had, as far as it was read.
    public var bytesIn = 0
    /// Whether nothing was changed although the request was posted: a preview, say.
    public var isLook = false

    /// Creates an answer.
    public init(_ response: Response, trace: ServiceTrace = ServiceTrace()) {
        self.response = response
        self.trace = trace
    }

    /// The error dictionary of a request that failed, as the protocol's endpoints send it.
    public init(_ error: any Error, requestID: String) {
        let failure = ServiceError(describing: error)
        let reply = Reply(failure, requestID: requestID)
        self.init(
            Response(
                status: HTTPResponse.Status(code: reply.status),
                headers: ResponseHeaders.fields(for: reply, requestID: requestID),
                body: ResponseBody(byteBuffer: reply.body)))
        trace.code = failure.code
        trace.error = error
    }
}

extension Site {
    /// A site is for clients unless it says otherwise.
    public var isForOperators: Bool { false }

    /// The log tells the addresses, unless a site says otherwise.
    public func loggedPath(of path: Substring) -> Substring? { path }

    /// The rest of a path that belongs to the site; nil for another's.
    func rest(of path: Substring) -> Substring? {
        guard path.hasPrefix(prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        return rest.isEmpty || rest.first == "/" ? rest : nil
    }
}
