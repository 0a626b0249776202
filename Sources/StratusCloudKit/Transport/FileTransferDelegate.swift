internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Hands what a session reports of its tasks to their transfers.
final class FileTransferDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let transfers = Mutex<[Int: FileTransfer]>([:])

    func add(_ transfer: FileTransfer, of task: URLSessionTask) {
        transfers.withLock { $0[task.taskIdentifier] = transfer }
    }

    func forget(_ task: URLSessionTask) {
        transfers.withLock { _ = $0.removeValue(forKey: task.taskIdentifier) }
    }

    private func transfer(of task: URLSessionTask) -> FileTransfer? {
        transfers.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        guard let transfer = transfer(of: task), !transfer.isDownload else { return }
        transfer.progress(totalBytesSent)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        transfer(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let transfer = transfer(of: dataTask), !transfer.receive(data) else { return }
        // From another thread: see BoundedQueue.
        DispatchQueue.global().async { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let transfer = transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        transfer?.finish(error)
    }
}

/// One file on its way.
final class FileTransfer: Sendable {
    private struct State {
        var continuation: CheckedContinuation<TransportResponse, any Error>?
        var response = TransportResponse(status: 0)
        var descriptor: Int32 = -1
        var written: Int64 = 0
        var isCancelled = false
        /// Why the transfer was given up on this side.
        var failure: (any Error)?
    }

    /// The most bytes of an answer that are kept in memory; answers to files are short.
    private static let answerBytes = 1_048_576

    let progress: @Sendable (Int64) -> Void
    private let destination: URL?
    private let maximumBytes: Int64
    private let state = Mutex(State())

    init(destination: URL?, maximumBytes: Int64, progress: @escaping @Sendable (Int64) -> Void) {
        self.destination = destination
        self.maximumBytes = maximumBytes
        self.progress = progress
    }

    var isDownload: Bool { destination != nil }

    /// Takes the one who waits; false where the transfer was cancelled before it began, and no call will come.
    func begin(_ continuation: CheckedContinuation<TransportResponse, any Error>) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.continuation = continuation
            return true
        }
    }

    /// Notes that the transfer is not wanted any more; true where it has begun, so that its task must be cancelled.
    func cancel() -> Bool {
        state.withLock { state in
            state.isCancelled = true
            return state.continuation != nil
        }
    }

    func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields { headers["\(name)"] = "\(value)" }
        let head = TransportResponse(status: response.statusCode, headers: headers)
        state.withLock { state in
            state.response = head
            guard let destination, (200..<300).contains(head.status) else { return }
            state.descriptor = open(destination.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if state.descriptor < 0 { state.failure = FileTransferError(errorNumber: errno) }
        }
    }

    /// Takes bytes of the answer; false where no more are wanted.
    func receive(_ data: Data) -> Bool {
        let written = state.withLock { state -> Int64? in
            guard state.failure == nil else { return nil }
            guard state.descriptor >= 0 else {
                let room = Self.answerBytes - state.response.body.count
                state.response.body += data.prefix(max(0, room))
                return 0
            }
            guard state.written + Int64(data.count) <= maximumBytes else {
                state.failure = FileTransferError.tooLong
                return nil
            }
            guard Self.append(data, to: state.descriptor) else {
                state.failure = FileTransferError(errorNumber: errno)
                return nil
            }
            state.written += Int64(data.count)
            return state.written
        }
        guard let written else { return false }
        if written > 0 { progress(written) }
        return true
    }

    func finish(_ error: (any Error)?) {
        let (continuation, result) = state.withLock { state in
            if state.descriptor >= 0, close(state.descriptor) != 0, state.failure == nil {
                state.failure = FileTransferError(errorNumber: errno)
            }
            state.descriptor = -1
            let taken = state.continuation
            state.continuation = nil
            let result: Result<TransportResponse, any Error>
            if let failure = state.failure {
                result = .failure(failure)
            } else if let error {
                result = .failure(URLSessionTransport.translate(error))
            } else if state.response.status == 0 {
                result = .failure(
                    TransportError.misconfigured("The address of a file does not answer with HTTP."))
            } else {
                result = .success(state.response)
            }
            return (taken, result)
        }
        continuation?.resume(with: result)
    }

    private static func append(_ data: Data, to descriptor: Int32) -> Bool {
        data.withUnsafeBytes { bytes in
            var done = 0
            while let start = bytes.baseAddress, done < bytes.count {
                let count = write(descriptor, start + done, bytes.count - done)
                if count < 0 {
                    guard errno == EINTR else { return false }
                    continue
                }
                done += count
            }
            return true
        }
    }
}

/// Why a file that came could not be kept.
struct FileTransferError: Error, CustomStringConvertible {
    let description: String

    init(errorNumber: Int32) {
        description = "The file cannot be written: \(String(cString: strerror(errorNumber)))."
    }

    private init(_ sentence: String) { description = sentence }

    static let tooLong = FileTransferError("The service sent more bytes than the asset has.")
}
