import HTTPTypes
import Hummingbird
import NIOCore
import RecordEngine
import RecordModel
import RecordWire

extension ServiceResponder {
    /// Counts a request of an address, before anything else of it costs something.
    ///
    /// - Returns: the answer, where the address has sent too many.
    func refusal(
        of request: Request, _ target: RequestTarget, from client: ClientAddress?,
        _ standing: inout RateStanding?, _ entry: inout RequestLog.Entry
    ) async -> Response? {
        guard let client else { return nil }
        do {
            try await counted { try state.rates.count(.address(client), standing: &standing) }
            return nil
        } catch {
            entry.route = (try? target.call())?.endpoint.rawValue ?? "page"
            return failure(error, of: request, &entry)
        }
    }

    /// Counts a request of its user and its token, once both are known.
    ///
    /// - Throws: `THROTTLED` for the first whose rate is used up.
    func count(
        _ call: ServiceCall, of caller: Caller, _ standing: inout RateStanding?
    ) async throws {
        try await counted {
            if case .user(let name) = caller {
                try state.rates.count(.user(call.tenant, name), standing: &standing)
            }
            if let key = call.credentials.signature?.keyID {
                // Who is no owner of the key uses up nothing of it: what counts is counted after the signature was
                // looked at.
                try state.rates.count(.key(key), .never, standing: &standing)
            } else if let token = call.credentials.apiToken {
                try state.rates.count(.token(token), standing: &standing)
            }
        }
    }

    /// Counts a request of the key that signed it, once the signature is known to be good.
    func countSigned(_ call: ServiceCall, _ standing: inout RateStanding?) {
        guard let key = call.credentials.signature?.keyID else { return }
        // It is only counted: what is over the rate is refused at the next request.
        try? state.rates.count(.key(key), .always, standing: &standing)
    }

    /// A refusal takes a moment, so that a client that does not wait cannot keep the server busy with refusing it.
    private func counted(_ count: () throws -> Void) async throws {
        do {
            try count()
        } catch {
            try? await Task.sleep(for: .milliseconds(Limits.refusedRateMilliseconds))
            throw error
        }
    }
}

extension ResponseHeaders {
    static let rateLimit = HTTPField.Name.constant("RateLimit")
    static let rateLimitPolicy = HTTPField.Name.constant("RateLimit-Policy")

    /// Adds what is left of the tightest rate (draft-ietf-httpapi-ratelimit-headers-10).
    static func add(_ standing: RateStanding?, to fields: inout HTTPFields) {
        guard let standing else { return }
        let seconds = (standing.level.untilFull + 999_999_999) / 1_000_000_000
        // Put together by hand: each answer has them, and interpolation takes several times as long.
        let name = "\"" + standing.policy
        fields.append(
            HTTPField(name: rateLimitPolicy, value: name + "\";q=" + String(standing.perMinute) + ";w=60"))
        fields.append(
            HTTPField(
                name: rateLimit,
                value: name + "\";r=" + String(standing.level.remaining) + ";t=" + String(seconds)))
    }
}
