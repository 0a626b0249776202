import RecordModel
import RecordStorage
import RecordWire

extension ModifyBatch {
    /// Answers a request that was done before, and does nothing.
    ///
    /// A record that nobody changed since is answered byte for byte as before; one that was changed, as it is now, so that
    /// the caller does not take an old version for the last; for one that was deleted there is an error. The sync token, where
    /// it is asked for, is that of now as well.
    func repetition(_ outcome: IdempotentResult) throws -> ServiceOutput {
        guard outcome.items.count == request.operations.count else { throw IdempotentResult.unreadable }
        let zone = try Zones.findForWriting(request.zone, context, store)
        let suffix = context.zoneSuffix(zone.name)
        var failures: [ItemFailure] = []
        var output = ServiceOutput { writer in
            writer.beginObject()
            writer.key("records")
            writer.beginArray()
            for (operation, item) in zip(request.operations, outcome.items) {
                do throws(ServiceError) {
                    try write(item, of: operation, zone, suffix, to: &writer)
                } catch {
                    let name = operation.record.recordName
                    failures.append(ItemFailure(name: name, error: error))
                    writer.itemError(error, recordName: name, context)
                }
            }
            writer.endArray()
            writer.currentSyncToken(of: zone, context, secret: scope.secret)
            writer.endObject()
        }
        output.note(failures, among: outcome.items.count)
        return output
    }

    private func write(
        _ item: IdempotentResult.Item, of operation: RecordOperation, _ zone: ZoneRow, _ suffix: [UInt8],
        to writer: inout JSONWriter
    ) throws(ServiceError) {
        let given = operation.record.recordName
        do {
            switch item {
            case .saved(let chosen):
                guard writer.bytes.count <= Limits.answerBytes + context.requestBytes else {
                    var error = ServiceError.savedBefore("the answer has no room for it", .quotaExceeded)
                    error.exceededLimit = "answerBytes"
                    throw error
                }
                guard let row = try (chosen ?? given).flatMap({ try store.record(named: $0, in: zone.id) })
                else { throw ServiceError.savedBefore("it was deleted since", .notFound) }
                let isReadable = try scope.isReadable(row.name, in: zone, row)
                let suffix = suffix + (try scope.answers.suffix(ofRecordNamed: row.name) ?? [])
                try scope.write(row.body, operation, suffix, isReadable: isReadable, to: &writer)
            case .deleted: writer.tombstone(given ?? "", type: nil, zone: zone.name, context)
            case .failed(var error):
                if error.code == .conflict, let row = try given.flatMap({ try existing($0, in: zone) }),
                    try scope.isReadable(row.name, in: zone, row)
                {
                    error.serverRecord = try asSent(row, in: zone)
                }
                throw error
            case .zone: throw IdempotentResult.unreadable
            }
        } catch {
            throw ServiceError(describing: error)
        }
    }

    private func existing(_ name: String, in zone: ZoneRow) throws -> RecordRow? {
        try store.record(named: name, in: zone.id)
            ?? UserRecords(context: context, zone: request.zone, reader: store).unchanged(named: name)
    }
}

extension ServiceError {
    /// A record of a repeated request that the first one saved, and that cannot be shown.
    fileprivate static func savedBefore(_ why: String, _ code: Code) -> ServiceError {
        ServiceError(
            code, "The request was done before and saved the record; \(why).",
            remedy: "Look the record up to see what became of it.")
    }
}
