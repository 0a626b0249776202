extension CKDatabase {
    /// The records that match a query, fetched page by page as they are asked for.
    ///
    /// Memory holds one page at a time. The sequence ends at the last record, or throws `CKError`, also when
    /// a single record could not be had. It can be gone through any number of times.
    ///
    /// ```swift
    /// for try await player in database.recordSequence(matching: query) { show(player) }
    /// ```
    /// - Parameters:
    ///   - query: what the records have to match, and their order.
    ///   - zoneID: the zone; nil stands for the default zone.
    ///   - desiredKeys: the fields wanted; nil for all.
    ///   - pageSize: how many records are fetched at once.
    public func recordSequence(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil, pageSize: Int = CKQueryOperation.maximumResults
    ) -> CKRecordSequence {
        CKRecordSequence(
            database: self, query: query.ownCopy, zoneID: zoneID, desiredKeys: desiredKeys, pageSize: pageSize
        )
    }
}

/// The records that match a query, fetched page by page; see
/// ``CKDatabase/recordSequence(matching:inZoneWith:desiredKeys:pageSize:)``.
public struct CKRecordSequence: AsyncSequence, Sendable {
    /// What the sequence gives.
    public typealias Element = CKRecord

    let database: CKDatabase
    let query: CKQuery
    let zoneID: CKRecordZone.ID?
    let desiredKeys: [CKRecord.FieldKey]?
    let pageSize: Int

    /// Begins at the first record.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Holds one page and knows where the next one begins.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Next {
            case first
            case page(CKQueryOperation.Cursor)
            case nothing
        }

        let sequence: CKRecordSequence
        private var page: ArraySlice<CKDatabase.MatchResult> = []
        private var next = Next.first

        init(sequence: CKRecordSequence) { self.sequence = sequence }

        /// The next record, from the page at hand or the next one; nil at the end.
        ///
        /// - Throws: `CKError` where a page cannot be fetched, or a record of it not be read.
        public mutating func next() async throws -> CKRecord? {
            while page.isEmpty {
                let database = sequence.database
                let answer: CKDatabase.QueryResults
                switch next {
                case .nothing: return nil
                case .first:
                    answer = try await database.records(
                        matching: sequence.query, inZoneWith: sequence.zoneID,
                        desiredKeys: sequence.desiredKeys, resultsLimit: sequence.pageSize)
                case .page(let cursor):
                    answer = try await database.records(
                        continuingMatchFrom: cursor, desiredKeys: sequence.desiredKeys,
                        resultsLimit: sequence.pageSize)
                }
                page = answer.matchResults[...]
                next = answer.queryCursor.map { .page($0) } ?? .nothing
            }
            return try page.popFirst()?.1.get()
        }
    }
}
