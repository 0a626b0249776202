import Crypto
import RecordModel
import RecordStorage
import RecordWire

/// What names a request and its repetitions, so that they take effect once (Documentation/Protocol.md, 'Idempotency keys').
///
/// The outcome is kept in the write that makes it: neither is there without the other, on whichever node the repetition
/// arrives. A key belongs to its caller, so one that somebody else chose as well names another request.
struct IdempotencyKey: Sendable {
    /// Of the key and whose it is.
    let digest: [UInt8]
    /// Of what is asked for: the endpoint, the database and the body.
    private let request: [UInt8]

    /// Half of a SHA-256 says who and what beyond doubt, and takes half of the room.
    private static let digestLength = 16

    /// Reads the key of a request; nil where it has none.
    ///
    /// - Throws: `BAD_REQUEST` for a text that is not a key.
    init?(_ text: String?, of call: ServiceCall, _ context: CallContext) throws(ServiceError) {
        guard let text else { return nil }
        guard (1...Limits.idempotencyKeyBytes).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw ServiceError(
                .badRequest,
                "'idempotencyKey' has 1 to \(Limits.idempotencyKeyBytes) visible characters of ASCII.",
                remedy: "Send a UUID, and the same one when you repeat the request.")
        }
        let caller =
            if case .administrator(let name) = context.caller { "operator \(name)" } else {
                context.caller.userRecordName
            }
        digest = Self.digest(Self.parts(of: context.tenant) + [caller, text], [])
        request = Self.digest(
            [call.endpoint.rawValue] + Self.parts(of: context.tenant) + [context.database.owner ?? ""],
            call.body)
    }

    private static func parts(of tenant: Tenant) -> [String] {
        [tenant.container.rawValue, tenant.environment.rawValue]
    }

    /// Texts with their lengths before them, so that no two lists give the same, and then bytes.
    private static func digest(_ texts: [String], _ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        for text in texts { hash.update(data: Array("\(text.utf8.count) \(text)".utf8)) }
        hash.update(data: bytes)
        return Array(hash.finalize().prefix(digestLength))
    }

    /// What became of the request where it was done before; nil where it has to be done.
    ///
    /// - Throws: `BAD_REQUEST` when the key names another request.
    func outcome(in store: any StoreReader, now: Int64) throws -> IdempotentResult? {
        guard let kept = try store.keptOutcome(of: digest), kept.createdAt > Self.horizon(at: now) else {
            return nil
        }
        guard kept.request == request else {
            throw ServiceError(
                .badRequest, "The 'idempotencyKey' was used for another request.",
                remedy: "Make a new key for each request; repeat a request with the same bytes.")
        }
        return try IdempotentResult(encoded: kept.outcome)
    }

    /// Keeps what became of the request.
    func keep(_ outcome: IdempotentResult, in store: any StoreWriter, now: Int64) throws {
        try store.keep(
            IdempotencyRecord(key: digest, request: request, createdAt: now, outcome: outcome.encoded()),
            room: Int64(Limits.keptOutcomesBytes))
    }

    /// The time before which what was kept may be forgotten.
    static func horizon(at now: Int64) -> Int64 { now - Int64(Limits.keptOutcomeSeconds) * 1_000 }
}

extension IdempotentResult {
    /// What becomes of a request: as it was kept, where it is a repetition; else as it is done now, which is kept with it.
    ///
    /// - Parameters:
    ///   - key: what names the request; nil where it is done each time.
    ///   - count: how many operations it has.
    ///   - run: does it.
    static func of(
        _ key: IdempotencyKey?, count: Int, in store: any StoreWriter, now: Int64,
        _ run: () throws -> IdempotentResult
    ) throws -> IdempotentResult {
        let outcome: IdempotentResult
        if let kept = try key?.outcome(in: store, now: now) {
            outcome = kept
        } else {
            outcome = try run()
            try key?.keep(outcome, in: store, now: now)
        }
        guard outcome.items.count == count else { throw unreadable }
        return outcome
    }
}

extension RecordService {
    /// How many rows one write of a sweep removes, so that other writes need not wait for long.
    private static let keptOutcomesPerWrite = 500

    /// Forgets the outcomes of requests that were kept for their time.
    ///
    /// - Returns: how many there were.
    /// - Throws: `StorageError`; `CancellationError` between two slices.
    @discardableResult
    public func sweepKeptOutcomes() async throws -> Int {
        let horizon = IdempotencyKey.horizon(at: environment.now())
        var total = 0
        while true {
            try Task.checkCancellation()
            let count = try await store.write {
                try $0.forgetKeptOutcomes(before: horizon, limit: Self.keptOutcomesPerWrite)
            }
            total += count
            if count < Self.keptOutcomesPerWrite { return total }
        }
    }
}
