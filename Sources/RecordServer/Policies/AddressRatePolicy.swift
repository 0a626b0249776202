import RecordEngine
import RecordModel
import RecordWire

/// Counts a request of its address, before anything else of it costs something.
struct AddressRatePolicy: RequestPolicy {
    let rates: RequestRates

    func enter(_ passage: inout RequestPassage) async throws {
        guard let client = passage.client else { return }
        do {
            try rates.count(.address(client), standing: &passage.standing)
        } catch {
            // What is no call is refused all the same, as a page.
            passage.entry.route = (try? passage.target.call())?.endpoint.rawValue ?? "page"
            await RequestRates.delayRefusal()
            throw error
        }
    }
}

extension RequestRates {
    /// A refusal takes a moment, so that a client that does not wait cannot keep the server busy with refusing it.
    static func delayRefusal() async {
        // Who is cancelled meanwhile is refused at once.
        try? await Task.sleep(for: .milliseconds(Limits.refusedRateMilliseconds))
    }
}
