import RecordModel
import RecordStorage

/// The store as one request reads and writes it: each read and write asks for room before it makes an answer, and counts what it
/// makes.
///
///     let output = try await store(for: context).readAnswer(.short) { reader in
///         ServiceOutput { writer in … }
///     }
///
/// It asks inside the closure, since room that was there when the request came may be gone when it is its turn in the store.
struct RequestStore: Sendable {
    let base: any RecordStore
    let room: RequestRoom?

    /// Reads something that is not the answer.
    func read<Value: Sendable>(
        _ effort: ReadEffort, for party: ReadParty = .service,
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        guard let room else { return try await base.read(effort, for: party, body) }
        return try await room.entering {
            try await base.read(effort, for: party) { reader throws -> Value in
                try room.check()
                return try body(reader)
            }
        }
    }

    /// Reads the answer, which counts from the moment it is made.
    func readAnswer(
        _ effort: ReadEffort, for party: ReadParty = .service,
        _ body: @escaping @Sendable (any StoreReader) throws -> ServiceOutput
    ) async throws -> ServiceOutput {
        guard let room else { return try await base.read(effort, for: party, body) }
        return try await room.entering {
            try await base.read(effort, for: party) { reader throws -> ServiceOutput in
                try room.check()
                let output = try body(reader)
                room.hold(output)
                return output
            }
        }
    }

    /// Writes what is answered afterwards.
    func write<Value: Sendable>(
        _ effort: WriteEffort = .short, _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value {
        guard let room else { return try await base.write(effort, body) }
        let value = try await room.entering {
            try await base.write(effort) { writer throws -> Value in
                try room.check()
                return try body(writer)
            }
        }
        room.noteWrite()
        return value
    }

    /// Writes, and makes the answer in the same transaction: it counts from then on, and so do the records of an atomic failure.
    func writeAnswer(
        _ effort: WriteEffort = .short,
        _ body: @escaping @Sendable (any StoreWriter) throws -> ServiceOutput
    ) async throws -> ServiceOutput {
        guard let room else { return try await base.write(effort, body) }
        let output = try await room.entering {
            try await base.write(effort) { writer throws -> ServiceOutput in
                try room.check()
                do {
                    let output = try body(writer)
                    room.hold(output)
                    return output
                } catch let failure as AtomicFailure {
                    room.hold(failure)
                    throw failure
                }
            }
        }
        room.noteWrite()
        return output
    }
}

extension RecordService {
    /// The store as a request reads and writes it.
    func store(for context: CallContext) -> RequestStore { RequestStore(base: store, room: context.room) }
}
