import RecordModel
import RecordStorage
import RecordWire

extension RecordService {
    /// `records/lookup`: records of one zone by name, in the order asked for.
    func lookup(_ request: RecordsLookupRequest, _ context: CallContext) async throws -> ServiceOutput {
        guard request.records.count <= Limits.itemsPerRequest else {
            throw ServiceError.tooMany(
                "records", request.records.count, exceeding: "itemsPerRequest", Limits.itemsPerRequest)
        }
        let zoneID = request.zoneID ?? .default
        let schema = store.schema(of: context.tenant)
        let secret = secret
        let assetURL = context.assetURLs(schema, secret)
        return try await store(for: context).readAnswer(.short) { reader in
            let context = try context.entering(zoneID, reader)
            let suffix = context.zoneSuffix(zoneID.zoneName)
            let rights = context.rights
            // Where nothing is hidden from the caller, nobody looks at who made what.
            let readsAll = rights.mayReadAll(of: schema)
            let mayReadUsers = rights.reach(of: .read, in: schema.users)
            var writer = JSONWriter(reserving: 1_024 * request.records.count)
            writer.beginObject()
            writer.key("records")
            writer.beginArray()
            var failures: [(name: String, error: ServiceError)] = []
            var budget = AnswerBudget()
            let zone = try Zones.find(
                zoneID, context, reader, records: request.records.map(\.recordName), isWhole: true)
            let shares = try zone.map { try ShareAnswers(context, $0, reader, secret) }
            for item in request.records {
                var selection = RecordBody.Selection(
                    desiredKeys: item.desiredKeys ?? request.desiredKeys,
                    numbersAsStrings: request.numbersAsStrings, suffix: suffix, assetURL: assetURL)
                if let share = try shares?.suffix(ofRecordNamed: item.recordName) {
                    selection.suffix += share
                }
                if budget.isSpent {
                    failures.append((item.recordName, .answerIsFull))
                    writer.itemError(.answerIsFull, recordName: item.recordName, context)
                    continue
                }
                var isWritten = false
                let isVisible =
                    try readsAll
                    || zone.flatMap { try reader.origin(ofRecordNamed: item.recordName, in: $0.id) }
                        .map {
                            try rights.may(
                                .read, recordNamed: item.recordName, $0, in: schema, shares?.members)
                        } ?? true
                var isFound =
                    try !isVisible
                    ? false
                    : zone.map { zone in
                        try reader.body(ofRecordNamed: item.recordName, in: zone.id) { body in
                            isWritten = try budget.write(to: &writer) {
                                try RecordBody.write(body, selection, to: &$0)
                            }
                        }
                    } ?? false
                if !isFound, isVisible, mayReadUsers == .all || mayReadUsers == .own(item.recordName),
                    let user = try UserRecords(context: context, zone: zoneID, reader: reader).unchanged(
                        named: item.recordName)
                {
                    isFound = true
                    isWritten = try budget.write(to: &writer) { writer in
                        try user.body.withUnsafeBytes { try RecordBody.write($0, selection, to: &writer) }
                    }
                }
                if isWritten { continue }
                let error: ServiceError = isFound ? .answerIsFull : .recordNotFound
                failures.append((item.recordName, error))
                writer.itemError(error, recordName: item.recordName, context)
            }
            writer.endArray()
            writer.currentSyncToken(of: zone, context, secret: secret)
            budget.writeReason(to: &writer)
            writer.endObject()
            var output = ServiceOutput(
                body: writer.bytes, items: request.records.count, failedItems: failures.count)
            for (name, error) in failures { output.note(error, of: name) }
            return output
        }
    }
}

extension ServiceError {
    /// No record of a name in the zone.
    fileprivate static let recordNotFound = ServiceError(.notFound, "Record not found")

    /// A record that an answer without a marker had no room for; nothing was done for it.
    static let answerIsFull: ServiceError = {
        var error = ServiceError(
            .tryAgainLater,
            "The answer is full: the records asked for take more than \(Limits.answerBytes) bytes.",
            remedy: "Ask again for those that are missing, or name the fields you need in 'desiredKeys'.")
        error.retryAfterSeconds = 1
        return error
    }()

    /// A list of a request is too long.
    static func tooMany(
        _ what: StaticString, _ count: Int, exceeding name: StaticString, _ limit: Int
    ) -> ServiceError {
        ServiceError(
            exceeding: name, code: .badRequest, "The request has \(count) \(what); \(limit) are allowed.",
            remedy: "Send it in parts.")
    }
}

extension JSONWriter {
    /// Writes an error in the place of a record.
    mutating func itemError(_ error: ServiceError, recordName: String?, _ context: CallContext) {
        beginObject()
        member("recordName", recordName)
        error.writeMembers(to: &self, uuid: context.requestID)
        endObject()
    }

    /// Writes an error in the place of a zone.
    mutating func itemError(_ error: ServiceError, zoneID: ZoneID, _ context: CallContext) {
        beginObject()
        key("zoneID")
        zoneID.write(to: &self)
        error.writeMembers(to: &self, uuid: context.requestID)
        endObject()
    }
}
