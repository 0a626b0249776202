import RecordModel
import RecordWire

/// An atomic batch that failed: thrown to undo it, then answered.
struct AtomicFailure: Error {
    /// The errors by the position of their operations; all others failed with them.
    var errors: [Int: ServiceError]

    /// Status 200 with an error for each operation (Documentation/Protocol.md, 'Atomic batches').
    func output(_ request: RecordsModifyRequest, _ context: CallContext) -> ServiceOutput {
        let follower = ServiceError(.atomicError, "Another operation of the atomic batch failed.")
        var output = ServiceOutput { writer in
            writer.beginObject()
            writer.key("records")
            writer.beginArray()
            for (position, operation) in request.operations.enumerated() {
                writer.itemError(
                    errors[position] ?? follower, recordName: operation.record.recordName, context)
            }
            writer.endArray()
            writer.endObject()
        }
        output.items = request.operations.count
        output.failedItems = request.operations.count
        output.note(errors, of: request)
        output.gaps = errors.values.first { !$0.gaps.isEmpty }?.gaps ?? []
        return output
    }
}

extension ServiceOutput {
    /// Notes the errors of operations by their positions.
    mutating func note(_ errors: [Int: ServiceError], of request: RecordsModifyRequest) {
        for (position, error) in errors.sorted(by: { $0.key < $1.key }) {
            let record = request.operations[position].record
            note(error, of: record.recordName)
            guard error.code == .accessDenied else { continue }
            refused[record.recordType ?? "", default: RefusedWrite(name: record.recordName)].count += 1
        }
    }
}
