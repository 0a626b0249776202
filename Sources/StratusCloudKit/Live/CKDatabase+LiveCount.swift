internal import RecordWire

extension CKDatabase {
    /// How many records match a query, now and whenever it is another number; an extension of this service.
    ///
    /// ```swift
    /// for try await count in database.liveCount(matching: query) { show(count) }
    /// ```
    /// The first element is the number as it is. The service counts once and then only what enters and leaves; of numbers
    /// that follow each other quickly some may be passed over, never the last. The sequence connects again by itself and
    /// goes on where it was, also after a restart of the service; it ends when its task is cancelled, and throws `CKError`
    /// where the service refuses.
    /// - Parameters:
    ///   - query: what the records have to match.
    ///   - zoneID: the zone; nil stands for the default zone.
    public func liveCount(matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil) -> CKLiveCount {
        CKLiveCount(database: self, query: query, zoneID: zoneID)
    }
}

/// The number of records that match a query, as it changes; see ``CKDatabase/liveCount(matching:inZoneWith:)``.
public struct CKLiveCount: AsyncSequence, Sendable {
    /// How many records match.
    public typealias Element = Int

    let database: CKDatabase
    let query: CKQuery
    let zoneID: CKRecordZone.ID?

    /// Begins with the number as it is then.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Holds a connection and the last number.
    public struct Iterator: AsyncIteratorProtocol {
        private var feed: LiveFeed
        private var last: Int?

        init(sequence: CKLiveCount) {
            feed = LiveFeed(
                database: sequence.database, endpoint: .recordsLiveCount, query: sequence.query,
                zoneID: sequence.zoneID, limit: 0)
        }

        /// The next number; nil when the task was cancelled.
        ///
        /// - Throws: `CKError` where the service refuses the query, at the beginning or later, for example when the
        ///   session ends or the record type is removed; `badContainer` where the transport cannot stream;
        ///   `internalError` for an event that cannot be read. A service that cannot be reached is waited for.
        public mutating func next() async throws -> Int? {
            while let (name, json) = try await feed.next() {
                guard name == "count" else { continue }
                let count: Int
                do { count = try CountResponse(json: json).count } catch { throw CKError(any: error) }
                // After a break the service may say again what is known.
                guard count != last else { continue }
                last = count
                return count
            }
            return nil
        }
    }
}
