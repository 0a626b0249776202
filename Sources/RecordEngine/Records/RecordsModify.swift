import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// `records/modify`: a list of operations, each by itself, or all or nothing where the zone can.
    ///
    /// - Parameter key: what names the request and its repetitions, which take effect once.
    func modify(
        _ request: RecordsModifyRequest, _ key: IdempotencyKey?, _ context: CallContext
    ) async throws -> ServiceOutput {
        try Self.check(request)
        guard context.scope == .shared || context.rights.mayWriteAny(of: store.schema(of: context.tenant))
        else {
            throw ServiceError.needsUser
        }
        let isAtomic = request.atomic && !(request.zone.isDefault)
        let environment = environment
        let secret = secret
        let allQuotas = quotas
        let effort = WriteEffort(records: request.operations.count)
        var doubts = Doubts()
        while true {
            do {
                return try await store(for: context).writeAnswer(effort) { [doubts] store in
                    let context = try context.entering(request.zone, store)
                    try store.foresee(request.foresight(context, key))
                    let zone = try Zones.findForWriting(request.zone, context, store)
                    let scope = try ModifyScope(
                        request: request, context: context, zone: zone, store: store,
                        environment: environment, secret: secret, quotas: allQuotas.applying(to: context),
                        doubts: doubts)
                    var batch = ModifyBatch(scope, isAtomic: isAtomic)
                    guard let key else { return try batch.run() }
                    if let outcome = try key.outcome(in: store, now: context.now) {
                        return try batch.repetition(outcome)
                    }
                    let output = try batch.run()
                    try key.keep(batch.outcome, in: store, now: context.now)
                    return output
                }
            } catch let failure as AtomicFailure {
                let output = failure.output(request, context)
                context.room?.hold(output)
                return output
            } catch let broken as BrokenPromise {
                // Each round doubts something that no round before did, so there is a last one.
                let before = doubts
                doubts.add(broken.doubts)
                assert(doubts != before)
            }
        }
    }

    private static func check(_ request: RecordsModifyRequest) throws(ServiceError) {
        guard request.operations.count <= Limits.operationsPerRequest else {
            throw .tooMany(
                "operations", request.operations.count, exceeding: "operationsPerRequest",
                Limits.operationsPerRequest)
        }
        var names: Set<ExactText> = []
        for case let name? in request.operations.map(\.record.recordName) {
            guard names.insert(ExactText(name)).inserted else {
                throw ServiceError(
                    .badRequest, "The record '\(name.prefix(64))' is in more than one operation.",
                    remedy: "Combine the changes to a record in one operation.")
            }
        }
    }
}

extension RecordsModifyRequest {
    /// What the operations will ask for.
    func foresight(_ context: CallContext, _ key: IdempotencyKey?) -> PrefetchHint {
        PrefetchHint(
            database: context.database, zone: zone.zoneName,
            records: operations.compactMap(\.record.recordName),
            types: Set(operations.compactMap(\.record.recordType)),
            referrers: operations.contains { $0.type.isDelete || $0.record.parent != nil }, key: key?.digest,
            bytes: context.requestBytes)
    }

    /// The zone of the request; some clients name it in the records only.
    var zone: ZoneID { zoneID ?? operations.lazy.compactMap(\.record.zoneID).first ?? .default }
}
