internal import RecordModel
internal import RecordStorage

/// A write has a text that is too long for an index, which has to go first.
struct IndexInTheWay: Error {
    var name: String
}

extension PostgresWriter {
    /// The most bytes of texts in an entry of an index: PostgreSQL has 2,704 for all of it.
    private static let indexedTextBytes = 2_000

    /// Reads again which indexes there are, and has all nodes do so.
    func takeIndexes() throws {
        catalog.setIndexes(PostgresAutomaticIndex.all(try ask(PostgresAutomaticIndex.list)))
        markCatalogChanged()
    }

    /// Notes an index that cannot have a record.
    func noteLongTexts(of record: NewRecord) {
        for index in catalog.indexes[record.type.id] ?? [] {
            let names = index.shape.names
            var texts = [
                ("name", record.name), ("created_by", record.createdBy), ("modified_by", record.modifiedBy),
                ("parent", record.parent ?? ""),
            ]
            for (field, value) in record.fields {
                if case .text(let text) = value.storageValue { texts.append((Column.field(field).sql, text)) }
            }
            let bytes = texts.reduce(0) { sum, text in
                names.contains(text.0) ? sum + PostgresText.encoded(text.1).utf8.count : sum
            }
            if bytes > Self.indexedTextBytes { indexInTheWay = index.name }
        }
    }
}
