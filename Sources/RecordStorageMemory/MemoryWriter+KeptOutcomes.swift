internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

extension MemoryReader {
    func keptOutcome(of key: [UInt8]) throws -> IdempotencyRecord? { state.keptOutcomes.rows[key] }
}

extension MemoryWriter {
    func keep(_ outcome: IdempotencyRecord, room: Int64) throws {
        let last = state.keptOutcomes.order.last?.position ?? 0
        let position = last + Int64(Limits.keptOutcomeOverheadBytes + outcome.outcome.count)
        if state.keptOutcomes.rows[outcome.key] != nil {
            state.keptOutcomes.order.removeAll { $0.key == outcome.key }
        }
        state.keptOutcomes.rows[outcome.key] = outcome
        state.keptOutcomes.order.append((position, outcome.key))
        forget(state.keptOutcomes.order.prefix { $0.position <= position - room }.count)
    }

    func forgetKeptOutcomes(before time: Int64, limit: Int) throws -> Int {
        let old = state.keptOutcomes.order.prefix(limit).prefix {
            (state.keptOutcomes.rows[$0.key]?.createdAt ?? .max) < time
        }
        forget(old.count)
        return old.count
    }

    private func forget(_ count: Int) {
        for (_, key) in state.keptOutcomes.order.prefix(count) { state.keptOutcomes.rows[key] = nil }
        state.keptOutcomes.order.removeFirst(count)
    }
}
