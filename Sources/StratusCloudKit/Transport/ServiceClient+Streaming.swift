internal import Foundation
internal import RecordModel
internal import RecordWire

extension ServiceClient {
    /// Opens a stream of an answer that does not end by itself, with the last event's id where there is one.
    ///
    /// It throws `CKError`, and ends when the service ends it.
    func stream(
        _ endpoint: Endpoint, in scope: DatabaseScope, query: String, lastID: String?, options: Options
    ) -> AsyncThrowingStream<[UInt8], any Error> {
        var items: [TransportRequest.QueryItem] = [.init(name: "query", value: query)]
        if let lastID { items.append(.init(name: "lastEventID", value: lastID)) }
        let request = TransportRequest(
            path: endpoint.path(container: container, environment: environment, scope: scope),
            queryItems: items + queryItems(tokens.lease().token),
            // The service says something four times as often.
            timeout: Double(Limits.liveHeartbeatSeconds) * 4,
            allowsCellularAccess: options.allowsCellularAccess)
        return AsyncThrowingStream { continuation in
            let task = Task {
                let outcome = await attempt(isWrite: false) {
                    try await transport.stream(request) { continuation.yield($0) }
                }
                switch outcome {
                case .failure(let problem): continuation.finish(throwing: problem.error)
                case .success(let answer):
                    guard (200..<300).contains(answer.status) else {
                        let json = try? JSONReader.read(answer.body).object
                        return continuation.finish(throwing: problem(answer, json: json).error)
                    }
                    continuation.finish()
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
