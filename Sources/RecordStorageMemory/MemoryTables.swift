internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

/// Described tables in memory, where rows are kept as they are: only copies see their columns.
extension MemoryReader {
    /// Some rows of a described table, in the order of its key.
    func describedRows(of section: StoreSection, after last: StoreRow?, _ portion: CopyPortion) -> [StoreRow]
    {
        func page<Row>(_ table: StoreTable<Row>, _ rows: some Sequence<Row>) -> [StoreRow] {
            var start: [TableValue]?
            if case .described(let row)? = last { start = row.values }
            func precedes(_ mine: [TableValue], _ theirs: [TableValue]) -> Bool {
                for (mine, theirs) in zip(mine, theirs).prefix(table.shape.keyCount) where mine != theirs {
                    return mine.precedes(theirs)
                }
                return false
            }
            let sorted = rows.map(table.values).filter { row in start.map { precedes($0, row) } ?? true }
                .sorted(by: precedes)
            var room = portion.bytes
            let found = sorted.prefix(portion.rows).prefix { row in
                defer { room -= row.reduce(0) { $0 + $1.byteCount } }
                return room > 0
            }
            return found.map { .described(TableRow(section: section, values: $0)) }
        }
        return switch section {
        case .sessions: page(Catalogue.sessions, state.sessions.values)
        case .links:
            page(Catalogue.links, state.accountLinks.map { DigestedLink(digest: $0.key, link: $0.value) })
        case .pushKeys:
            page(Catalogue.pushKeys, state.pushKeys.map { PushKeyRow(tenant: $0.key, definition: $0.value) })
        case .subscriptions: page(Catalogue.subscriptions, state.subscriptions.values)
        case .receivers: page(Catalogue.receivers, state.receivers.values)
        case .webhooks: page(Catalogue.webhooks, state.webhooks.values)
        case .watches: page(Catalogue.watches, state.changeLog.watches.values.flatMap(\.values))
        case .changes: page(Catalogue.changes, state.changeLog.placed)
        case .outcomes:
            page(
                Catalogue.outcomes,
                state.keptOutcomes.order.compactMap { place in
                    state.keptOutcomes.rows[place.key].map {
                        PlacedOutcome(position: place.position, outcome: $0)
                    }
                })
        default: []
        }
    }
}

extension MemoryWriter {
    /// Stores a row of a described table.
    func insert(_ row: TableRow) throws {
        let values = row.values
        switch row.section {
        case .sessions: try store(Catalogue.sessions.row(of: values))
        case .links:
            let row = try Catalogue.links.row(of: values)
            try insert(row.link, digest: row.digest)
        case .pushKeys:
            let row = try Catalogue.pushKeys.row(of: values)
            try store(pushKey: row.definition, of: row.tenant)
        case .subscriptions: try store(Catalogue.subscriptions.row(of: values))
        case .receivers: try store(Catalogue.receivers.row(of: values))
        case .webhooks: try store(Catalogue.webhooks.row(of: values))
        case .watches:
            let watch = try Catalogue.watches.row(of: values)
            state.changeLog.watches[watch.database, default: [:]][watch.type] = watch
        case .changes: state.changeLog.restore(try Catalogue.changes.row(of: values))
        case .outcomes:
            let row = try Catalogue.outcomes.row(of: values)
            state.keptOutcomes.rows[row.outcome.key] = row.outcome
            state.keptOutcomes.order.append((row.position, row.outcome.key))
        default: assertionFailure("'\(row.section)' is no described table.")
        }
    }
}
