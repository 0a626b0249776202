import HTTPTypes
import HummingbirdCore
import RecordModel

/// Refuses a request that names no server, or several: its answer is the last of the connection.
struct HostPolicy: RequestPolicy {
    func enter(_ passage: inout RequestPassage) async throws {
        guard passage.request.head.authority == nil else { return }
        passage.isLast = true
        throw ServiceError(
            .badRequest, "The request needs one Host header with the name of the server.",
            remedy: "Send 'Host: name' or 'Host: name:port', once.")
    }
}
