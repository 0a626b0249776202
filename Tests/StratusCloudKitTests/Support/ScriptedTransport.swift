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

    private struct State {
        var requests: [TransportRequest] = []
        var answers: [Answer]
    }

    private let state: Mutex<State>
    private let fallback: @Sendable (TransportRequest) -> Answer

    /// Answers in order; a request beyond the script gets what `fallback` says.
    init(
        _ answers: [Answer] = [],
        fallback: @escaping @Sendable (TransportRequest) -> Answer = { request in
            .json(
                #"{"serverErrorCode":"INTERNAL_ERROR","reason":"unscripted \#(request.path)"}"#, status: 500)
        }
    ) {
        state = Mutex(State(answers: answers))
        self.fallback = fallback
    }

    var requests: [TransportRequest] { state.withLock { $0.requests } }

    /// The bodies of all requests as JSON text.
    var bodies: [String] { requests.map { String(decoding: $0.body ?? [], as: UTF8.self) } }

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
}
