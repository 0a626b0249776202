import RecordEngine
import RecordModel
import RecordWire
import StratusCloudKit

/// Hands requests to an engine in the same process, as the HTTP server would after reading them.
struct InProcessTransport: Transport {
    let service: RecordService
    let faults: CloudFaults

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let fault = faults.take()
        if fault == .offline { throw TransportError.offline("The test's cloud is offline.") }
        if let fault, let refusal = Self.refusal(for: fault) { return refusal }
        let target = RequestTarget(request.pathAndQuery)
        let response: TransportResponse
        do {
            guard let (endpoint, tenant, scope) = try target.call() else {
                return Self.response(ServiceError(.notFound, "There is nothing at this address."))
            }
            let answer = await service.answer(
                ServiceCall(
                    endpoint: endpoint, tenant: tenant, scope: scope, credentials: target.credentials,
                    body: request.body ?? [], requestID: "in-process"))
            response = TransportResponse(status: answer.status, body: answer.body)
        } catch {
            response = Self.response(error)
        }
        if fault == .answerLost { throw TransportError.connectionLost("The test's cloud lost the answer.") }
        return response
    }

    private static func refusal(for fault: CloudFaults.Fault) -> TransportResponse? {
        var error: ServiceError
        switch fault {
        case .offline, .answerLost: return nil
        case .throttled(let seconds):
            error = ServiceError(.throttled, "Database throttled, retry later")
            error.retryAfterSeconds = seconds
        case .zoneBusy: error = ServiceError(.zoneBusy, "Sync zone CAS Op-Lock failed. Retry request")
        case .unavailable(let seconds):
            error = ServiceError(.tryAgainLater, "The service is busy.")
            error.retryAfterSeconds = seconds
        case .notAuthenticated:
            error = ServiceError(.authenticationFailed, "The web auth token is not valid.")
        }
        return response(error)
    }

    private static func response(_ error: ServiceError) -> TransportResponse {
        TransportResponse(status: error.httpStatus, body: error.json(uuid: "in-process"))
    }
}
