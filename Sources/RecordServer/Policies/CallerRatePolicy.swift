import HummingbirdCore
import RecordEngine
import RecordModel

/// Counts a request of its user, and of its token or key, once these are known.
struct CallerRatePolicy: RequestPolicy {
    let rates: RequestRates

    func enter(_ passage: inout RequestPassage) async throws {
        guard let call = passage.call, let admission = passage.admission else { return }
        do {
            try count(call, of: admission.caller, &passage.standing)
        } catch {
            await RequestRates.delayRefusal()
            throw error
        }
    }

    private func count(
        _ call: ServiceCall, of caller: Caller, _ standing: inout RateStanding?
    ) throws(ServiceError) {
        if case .user(let name) = caller { try rates.count(.user(call.tenant, name), standing: &standing) }
        if let key = call.credentials.signature?.keyID {
            // Whoever does not own the key uses up nothing of it: it is counted once the signature is known to be valid.
            try rates.count(.key(key), .never, standing: &standing)
        } else if let token = call.credentials.apiToken {
            try rates.count(.token(token), standing: &standing)
        }
    }

    func leave(_ passage: inout RequestPassage, _ response: inout Response) {
        guard passage.isSignatureValid, let key = passage.call?.credentials.signature?.keyID else { return }
        // It is only counted: what is over the rate is refused at the next request.
        try? rates.count(.key(key), .always, standing: &passage.standing)
    }
}
