import Foundation
import RecordModel
import RecordWire
import StratusCloudKit
import Synchronization

/// A service that answers from a script and keeps what it was asked.
final class ScriptedTransport: Transport {
    /// One answer: a response, a failure, or never, until the task is cancelled.
    enum Answer: Sendable {
        case response(TransportResponse)
        case failure(TransportError)
        case never

        static func json(_ text: String, status: Int = 200, headers: [String: String] = [:]) -> Answer {
            .response(TransportResponse(status: status, headers: headers, body: Array(text.utf8)))
        }
    }

    /// A file that was sent or asked for: its address, and its bytes where it was sent.
    struct Transfer: Sendable, Equatable {
        let address: String
        let sent: [UInt8]?
    }

    private struct State {
        var requests: [TransportRequest] = []
        var answers: [Answer]
        var transfers: [Transfer] = []
    }

    private let state: Mutex<State>
    private let fallback: @Sendable (TransportRequest) -> Answer
    private let files: @Sendable (Transfer) throws -> Answer

    /// Answers in order; a request beyond the script gets what `fallback` says.
    init(
        _ answers: [Answer] = [],
        fallback: @escaping @Sendable (TransportRequest) -> Answer = { request in
            .json(
                #"{"serverErrorCode":"INTERNAL_ERROR","reason":"unscripted \#(request.path)"}"#, status: 500)
        },
        files: @escaping @Sendable (Transfer) throws -> Answer = { _ in .json("{}", status: 404) }
    ) {
        state = Mutex(State(answers: answers))
        self.fallback = fallback
        self.files = files
    }

    var requests: [TransportRequest] { state.withLock { $0.requests } }

    var transfers: [Transfer] { state.withLock { $0.transfers } }

    /// The bodies of all requests as JSON text, without their keys, which are new each time.
    var bodies: [String] {
        requests.map {
            String(decoding: $0.body ?? [], as: UTF8.self)
                .replacing(/"idempotencyKey":"[0-9A-F-]{36}",/, with: "")
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let scripted = state.withLock { state -> Answer? in
            state.requests.append(request)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        switch scripted ?? fallback(request) {
        case .response(let response): return response
        case .failure(let error): throw error
        case .never:
            try await Task.sleep(for: .seconds(60))
            throw TransportError.timedOut("The script's wait is over.")
        }
    }

    func upload(
        _ file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ sent: Int64) -> Void
    ) async throws -> TransportResponse {
        let bytes = Array(try Data(contentsOf: file))
        for part in stride(from: 0, through: bytes.count, by: max(1, bytes.count / 4)) {
            progress(Int64(part))
        }
        return try await answer(Transfer(address: request.address, sent: bytes))
    }

    func download(
        to file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ received: Int64) -> Void
    ) async throws -> TransportResponse {
        let response = try await answer(Transfer(address: request.address, sent: nil))
        guard response.status == 200 else { return response }
        let count = response.body.count
        for part in stride(from: 0, through: count, by: max(1, count / 4)) { progress(Int64(part)) }
        try Data(response.body).write(to: file)
        return TransportResponse(status: 200)
    }

    private func answer(_ transfer: Transfer) async throws -> TransportResponse {
        state.withLock { $0.transfers.append(transfer) }
        switch try files(transfer) {
        case .response(let response): return response
        case .failure(let error): throw error
        case .never:
            try await Task.sleep(for: .seconds(60))
            throw TransportError.timedOut("The script's wait is over.")
        }
    }
}
