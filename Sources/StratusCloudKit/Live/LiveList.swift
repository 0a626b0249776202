internal import RecordModel

/// The list of a live query, sorted by the places that the service gives.
///
/// Where more records match than the first page has, the list goes as far as that page's last record: that place stays
/// the border whatever happens to the record itself, so that each change is known to lie inside or outside.
struct LiveList: Sendable {
    /// A record and its place, a text that is compared byte by byte.
    struct Entry: Sendable {
        var place: String
        var record: CKRecord
    }

    private(set) var entries: [Entry] = []
    /// The last place that belongs to the list; nil where all that match do.
    private var border: String?
    /// How many records the list began with.
    private var fetched = 0
    private let limit: Int

    /// An empty list.
    ///
    /// - Parameter limit: how many records are wanted; 0 leaves it to the service.
    init(limit: Int) {
        self.limit = (1...Limits.recordsPerAnswer).contains(limit) ? limit : Limits.recordsPerAnswer
    }

    /// The records in their order.
    var records: [CKRecord] { entries.map(\.record) }

    /// Whether less than half is left of what was fetched, and there may be more to fetch.
    var isShort: Bool { border != nil && entries.count * 2 < fetched }

    /// Takes a page in place of all that was there.
    mutating func show(_ page: [Entry], hasMore: Bool) -> CKLiveRecords.Change {
        entries = page
        border = hasMore ? page.last?.place : nil
        fetched = page.count
        return .fetched
    }

    /// Takes a record that came in or changed; nil where the list stays as it was.
    mutating func put(_ entry: Entry) -> CKLiveRecords.Change? {
        let recordID = entry.record.recordID
        let old = entries.firstIndex { $0.record.recordID == recordID }
        if let old { entries.remove(at: old) }
        if let border, Self.isBefore(border, entry.place) {
            return old.map { .removed(recordID, at: $0) }
        }
        let index = index(of: entry.place)
        entries.insert(entry, at: index)
        guard entries.count <= limit * 2 else { return cut() }
        return old.map { .changed(recordID, from: $0, to: index) } ?? .inserted(recordID, at: index)
    }

    /// Takes a record out; nil where it was not there. Without a zone, its name alone counts.
    mutating func remove(recordName: String, zoneName: String?) -> CKLiveRecords.Change? {
        let index = entries.firstIndex { entry in
            let recordID = entry.record.recordID
            return recordID.recordName.isExactly(recordName)
                && (zoneName == nil || recordID.zoneID.zoneName == zoneName)
        }
        guard let index else { return nil }
        return .removed(entries.remove(at: index).record.recordID, at: index)
    }

    /// Brings a list that has grown to twice the limit back to the limit, as if it were fetched now.
    private mutating func cut() -> CKLiveRecords.Change {
        show(Array(entries.prefix(limit)), hasMore: true)
    }

    private static func isBefore(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Where a place belongs.
    private func index(of place: String) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.isBefore(entries[middle].place, place) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
