import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel

/// Takes in a request's body, within its limits of size and time. It counts until the request is answered.
struct BodyPolicy: RequestPolicy {
    let state: ServerState

    func enter(_ passage: inout RequestPassage) async throws {
        guard passage.isCall else { return }
        let intake = BodyIntake(passage.request, state, passage.channel, passage.invitation)
        let body = try await body(of: passage.request, intake)
        passage.call?.body = body.bytes
        passage.entry.bytesIn = body.bytes.count
        passage.body = body
    }

    func leave(_ passage: inout RequestPassage, _ response: inout Response) { passage.body = nil }

    private func body(of request: Request, _ intake: BodyIntake) async throws -> CollectedBody {
        if let length = intake.length {
            if length == 0 { return .empty }
            guard length <= Limits.requestBodyBytes else {
                throw ServiceError.tooLarge(Limits.requestBodyBytes)
            }
        } else if request.headers[.transferEncoding] == nil {
            return .empty
        }
        return try await intake.whole(request.body, upTo: Limits.requestBodyBytes)
    }
}
