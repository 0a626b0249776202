internal import Foundation
internal import RecordModel
internal import RecordWire

/// Speaks the protocol over a transport: addresses, tokens, errors, retries. Everything above it works with
/// requests and responses.
struct ServiceClient: Sendable {
    let transport: any Transport
    let container: String
    let environment: CloudEnvironment
    let apiToken: String?
    let tokens: TokenStore
    let assets = AssetCache()
    var retry = RetryPolicy()
    var clock = ClientClock.system

    /// How long a request may take, and which network it may use.
    struct Options: Sendable {
        /// The longest wait for bytes of one answer, in seconds.
        var requestTimeout = 60.0
        /// The longest time for the request with all its repetitions, in seconds.
        var resourceTimeout = 7 * 24 * 3600.0
        var allowsCellularAccess = true
    }

    /// Posts a request, or gets where `body` is nil, and reads the answer.
    ///
    /// What got no answer is sent again, so a write has to carry an idempotency key.
    ///
    /// - Parameter isWrite: whether the error has to say that the request may have been done.
    func send<Response: WireResponse>(
        _ endpoint: Endpoint, in scope: DatabaseScope, body: [UInt8]?, isWrite: Bool = false,
        options: Options, as response: Response.Type
    ) async throws(CKError) -> Response {
        let path = endpoint.path(container: container, environment: environment, scope: scope)
        return try await repeating(options: options) { timeout in
            let lease = tokens.lease()
            let request = TransportRequest(
                path: path, queryItems: queryItems(lease.token), body: body, timeout: timeout,
                allowsCellularAccess: options.allowsCellularAccess)
            let outcome = await attempt(isWrite: isWrite) {
                let answer = try await transport.send(request)
                tokens.adopt(from: answer, for: lease)
                return answer
            }
            return outcome.flatMap { read($0, isWrite: isWrite) }
        }
    }

    /// Does something until it succeeds or doing it again does not help.
    ///
    /// - Parameter once: does it once, in the given number of seconds at most.
    func repeating<Value>(
        options: Options, _ once: (_ timeout: Double) async -> Result<Value, Problem>
    ) async throws(CKError) -> Value {
        let deadline = clock.now() + options.resourceTimeout
        var attempt = 0
        while true {
            attempt += 1
            let timeout = max(0.001, min(options.requestTimeout, deadline - clock.now()))
            let problem: Problem
            switch await once(timeout) {
            case .success(let value): return value
            case .failure(let failed): problem = failed
            }
            guard
                let delay = retry.delay(after: problem.failure, attempt: attempt),
                clock.now() + delay < deadline
            else { throw problem.error }
            do { try await clock.sleep(delay) } catch { throw CKError(any: CancellationError()) }
        }
    }

    func queryItems(_ webAuthToken: String?) -> [TransportRequest.QueryItem] {
        var items: [TransportRequest.QueryItem] = []
        if let apiToken { items.append(.init(name: "ckAPIToken", value: apiToken)) }
        if let webAuthToken { items.append(.init(name: "ckWebAuthToken", value: webAuthToken)) }
        return items
    }

    /// Why one attempt failed, and what that means for another.
    struct Problem: Error {
        var error: CKError
        var failure: RetryPolicy.Failure
    }

    /// Asks once, and separates failures of the transport from others.
    func attempt(
        isWrite: Bool = false, _ ask: () async throws -> TransportResponse
    ) async -> Result<TransportResponse, Problem> {
        guard !Task.isCancelled else {
            return .failure(Problem(error: CKError(any: CancellationError()), failure: .final))
        }
        do {
            return .success(try await ask())
        } catch let error as TransportError {
            let failure: RetryPolicy.Failure =
                error.kind == .connectionLost || error.kind == .timedOut ? .unanswered : .final
            let problem = CKError(error, mayHaveBeenApplied: isWrite)
            return .failure(Problem(error: problem, failure: failure))
        } catch {
            return .failure(Problem(error: CKError(any: error), failure: .final))
        }
    }

    /// Reads an answer, or why there is none.
    func read<Response: WireResponse>(
        _ answer: TransportResponse, isWrite: Bool = false
    ) -> Result<Response, Problem> {
        let json = try? JSONReader.read(answer.body).object
        if !(200..<300).contains(answer.status) || json?["serverErrorCode"] != nil {
            return .failure(problem(answer, json: json, isWrite: isWrite))
        }
        guard let json else {
            let error = CKError(
                .internalError, "The service's answer is not a JSON object.",
                remedy: "Check that STRATUS_URL is the address of a record service.")
            return .failure(Problem(error: error, failure: .final))
        }
        do {
            return .success(try Response(json: json))
        } catch {
            return .failure(Problem(error: CKError(any: error), failure: .final))
        }
    }

    func problem(_ answer: TransportResponse, json: JSONObject?, isWrite: Bool = false) -> Problem {
        let header = answer.headers["retry-after"].flatMap(Double.init)
        guard var wire = json.flatMap(ErrorDictionary.init(json:)) else {
            return foreignProblem(answer, retryAfter: header, isWrite: isWrite)
        }
        wire.retryAfter = wire.retryAfter ?? header
        let error = CKError(wire)
        let isTransient = [.requestRateLimited, .serviceUnavailable, .zoneBusy].contains(error.code)
        guard isTransient else { return Problem(error: error, failure: .final) }
        // A busy zone is free in a moment; of the others the service says when, or that it does not help.
        let failure = RetryPolicy.Failure.refused(
            retryAfter: wire.retryAfter, isAlwaysWorthRepeating: error.code == .zoneBusy)
        return Problem(error: error, failure: failure)
    }

    /// The problem that something between the app and the service reports: a proxy, or a wrong address.
    private func foreignProblem(
        _ answer: TransportResponse, retryAfter: Double?, isWrite: Bool
    ) -> Problem {
        var info: [String: Any] = [:]
        if let retryAfter { info[CKErrorRetryAfterKey] = NSNumber(value: retryAfter) }
        func error(_ code: CKError.Code) -> CKError {
            CKError(code, "The service answered with HTTP status \(answer.status).", userInfo: info)
        }
        switch answer.status {
        case 401, 421: return Problem(error: error(.notAuthenticated), failure: .final)
        case 429:
            return Problem(
                error: error(.requestRateLimited),
                failure: .refused(retryAfter: retryAfter, isAlwaysWorthRepeating: false))
        case 503:
            return Problem(
                error: error(.serviceUnavailable),
                failure: .refused(retryAfter: retryAfter, isAlwaysWorthRepeating: true))
        case 502, 504:
            // A gateway lost the service's answer: the request may have been done.
            let code: CKError.Code = isWrite ? .serverResponseLost : .serviceUnavailable
            return Problem(error: error(code), failure: .unanswered)
        default: return Problem(error: error(.serverRejectedRequest), failure: .final)
        }
    }
}
