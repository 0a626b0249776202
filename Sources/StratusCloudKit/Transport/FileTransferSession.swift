internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Moves files over HTTP in memory that does not grow with them.
///
/// NB: a download task of Foundation on Linux leaves its temporary file behind when it fails or is cancelled, and a
/// data task hands on bytes as fast as they come, however slowly they are written (both seen with Swift 6.3.1). So
/// downloads are data tasks whose delegate is called by a ``BoundedQueue``, which makes the network wait.
final class FileTransferSession: Sendable {
    /// For transports that have no session of their own.
    static let shared = FileTransferSession()

    private let session: URLSession
    private let delegate = FileTransferDelegate()

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpMaximumConnectionsPerHost = 8
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: BoundedQueue())
    }

    deinit { session.finishTasksAndInvalidate() }

    func upload(
        _ file: URL, by request: TransferRequest, to url: URL, progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> TransportResponse {
        var message = Self.message(request, url)
        message.httpMethod = "POST"
        message.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        return try await run(
            session.uploadTask(with: message, fromFile: file),
            FileTransfer(destination: nil, maximumBytes: .max, progress: progress))
    }

    func download(
        to file: URL, by request: TransferRequest, from url: URL,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> TransportResponse {
        try await run(
            session.dataTask(with: Self.message(request, url)),
            FileTransfer(destination: file, maximumBytes: request.maximumBytes, progress: progress))
    }

    private static func message(_ request: TransferRequest, _ url: URL) -> URLRequest {
        var message = URLRequest(url: url)
        message.timeoutInterval = request.timeout
        message.allowsCellularAccess = request.allowsCellularAccess
        return message
    }

    private func run(_ task: URLSessionTask, _ transfer: FileTransfer) async throws -> TransportResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The delegate knows the transfer before its task can report anything.
                delegate.add(transfer, of: task)
                if transfer.begin(continuation) {
                    task.resume()
                } else {
                    delegate.forget(task)
                    task.cancel()
                    continuation.resume(throwing: TransportError.cancelled(cause: nil))
                }
            }
        } onCancel: {
            if transfer.cancel() { task.cancel() }
        }
    }
}

/// A queue that holds a bounded number of blocks: whoever adds one more waits.
///
/// The session adds its delegate's calls here, from the thread that reads from the network. A delegate's call must
/// not wait for that thread, cancelling a task among others, because the thread may be waiting for the call to end.
///
/// Sendable is unchecked as its superclass's is; what it adds never changes.
final class BoundedQueue: OperationQueue, @unchecked Sendable {
    private let room = DispatchSemaphore(value: 64)

    override init() {
        super.init()
        maxConcurrentOperationCount = 1
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        room.wait()
        super.addOperation {
            block()
            self.room.signal()
        }
    }
}
