import Foundation
import NIOCore
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import StratusCloudKit

/// Hands requests to an engine in the same process, as the HTTP server would after reading them.
struct InProcessTransport: Transport {
    let service: RecordService
    let faults: CloudFaults
    let listeners: ListenerRegistry

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let fault = faults.take()
        if fault == .offline { throw TransportError.offline("The test's cloud is offline.") }
        if let fault, let refusal = Self.refusal(for: fault) { return refusal }
        let target = RequestTarget(request.pathAndQuery)
        let response = await answer(request, target)
        if fault == .answerLost { throw TransportError.connectionLost("The test's cloud lost the answer.") }
        return response
    }

    private func answer(_ request: TransportRequest, _ target: RequestTarget) async -> TransportResponse {
        do {
            if let file = try await fileResponse(request, target) { return file }
            if let notification = try await notification(request, target) { return notification }
            guard let (endpoint, tenant, scope) = try target.call() else {
                return Self.response(ServiceError(.notFound, "There is nothing at this address."))
            }
            let answer = await service.answer(
                ServiceCall(
                    endpoint: endpoint, tenant: tenant, scope: scope, credentials: target.credentials,
                    body: request.body ?? [], requestID: "in-process"))
            return TransportResponse(status: answer.status, body: answer.body)
        } catch {
            return Self.response(ServiceError(describing: error))
        }
    }

    /// Waits for a notification; nil for a request to another address.
    private func notification(
        _ request: TransportRequest, _ target: RequestTarget
    ) async throws -> TransportResponse? {
        guard let token = target.path.rest(after: RecordService.courierPrefix) else { return nil }
        let found = try await listeners.next(
            String(token.dropFirst()), after: target.member("after"), from: service, faults.notifications)
        return found.map { TransportResponse(status: 200, body: $0) } ?? TransportResponse(status: 204)
    }

    func stream(
        _ request: TransportRequest, take: @escaping @Sendable (_ bytes: [UInt8]) -> Void
    ) async throws -> TransportResponse {
        try Task.checkCancellation()
        let fault = faults.take()
        if fault == .offline { throw TransportError.offline("The test's cloud is offline.") }
        if let fault, let refusal = Self.refusal(for: fault) { return refusal }
        let target = RequestTarget(request.pathAndQuery)
        do {
            guard let (endpoint, tenant, scope) = try target.call(), let query = target.member("query") else {
                return Self.response(ServiceError(.notFound, "There is nothing at this address."))
            }
            let live = try await service.openLive(
                ServiceCall(
                    endpoint: endpoint, tenant: tenant, scope: scope, credentials: target.credentials,
                    body: Array(query.utf8), requestID: "in-process"),
                after: target.member("lastEventID"))
            guard fault != .answerLost else {
                await live.close()
                throw TransportError.connectionLost("The test's cloud lost the answer.")
            }
            try await live.run { for event in $0 { take(event.text) } }
            return TransportResponse(status: 200)
        } catch let error as TransportError {
            throw error
        } catch {
            return Self.response(ServiceError(describing: error))
        }
    }

    func upload(
        _ file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ sent: Int64) -> Void
    ) async throws -> TransportResponse {
        let bytes = Array(try Data(contentsOf: file))
        let answer = try await send(TransportRequest(path: Self.path(of: request.address), body: bytes))
        progress(Int64(bytes.count))
        return answer
    }

    func download(
        to file: URL, by request: TransferRequest, progress: @escaping @Sendable (_ received: Int64) -> Void
    ) async throws -> TransportResponse {
        let answer = try await send(TransportRequest(path: Self.path(of: request.address)))
        guard answer.status == 200 else { return answer }
        try Data(answer.body).write(to: file)
        progress(Int64(answer.body.count))
        return TransportResponse(status: answer.status, headers: answer.headers)
    }

    private static func path(of address: String) -> String {
        URLComponents(string: address)?.path ?? address
    }

    /// Takes in a file, or gives one; nil for a request to another address.
    private func fileResponse(
        _ request: TransportRequest, _ target: RequestTarget
    ) async throws -> TransportResponse? {
        if let token = target.path.rest(after: AssetPath.upload) {
            let bytes = ByteBuffer(bytes: request.body ?? [])
            let body = AsyncStream<ByteBuffer> { continuation in
                continuation.yield(bytes)
                continuation.finish()
            }
            let json = try await service.upload(
                body, token: token, length: Int64(bytes.readableBytes))
            return TransportResponse(status: 200, body: json)
        }
        guard let name = target.path.rest(after: AssetPath.download) else { return nil }
        let file = try await service.download(name)
        let bytes = try await file.reader.read(at: 0, count: Int(file.reader.size))
        return TransportResponse(status: 200, body: Array(bytes.readableBytesView))
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

extension Substring {
    /// What follows a prefix of an address; nil for another address.
    fileprivate func rest(after prefix: String) -> Substring? {
        hasPrefix(prefix + "/") ? dropFirst(prefix.count) : nil
    }
}
