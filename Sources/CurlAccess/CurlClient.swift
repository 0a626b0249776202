/// Sends requests over HTTP and TLS with libcurl.
///
/// Connections are kept and shared by all requests of a client, which lives as long as the process. No cookies are kept, nothing is cached; redirections
/// are followed, five at most; proxies are those of the environment (`https_proxy`, `no_proxy`).
///
/// It stands in for `URLSession`, which on Linux (swift-corelibs-foundation of Swift 6.3) cannot be cancelled safely:
/// a task that is cancelled while it ends waits for itself for ever, or stops the process.
public struct CurlClient: Sendable {
    /// The client that most callers share, with at most eight connections to a server.
    public static let shared = CurlClient(connectionsPerHost: 8)

    private let loop: CurlLoop

    /// Makes a client, with a thread that never ends.
    ///
    /// - Parameter connectionsPerHost: the most connections to one server; further requests wait for one of them.
    public init(connectionsPerHost: Int) { loop = CurlLoop(connectionsPerHost: connectionsPerHost) }

    /// Sends a request and waits for its answer.
    ///
    /// A task that is cancelled gets its error at once, and the connection is closed.
    /// - Throws: ``CurlError`` where no answer came. A file that the answer should have gone into may be there in part.
    public func send(_ request: CurlRequest) async throws -> CurlResponse {
        let transfer = try CurlTransfer(request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                transfer.begin(for: waiter)
                loop.add(transfer)
            }
        } onCancel: {
            loop.cancel(transfer)
        }
    }
}
