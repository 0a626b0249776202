import RecordModel
import RecordStorage
import RecordWire

/// The answer of one query while its rows come in.
struct QueryPage {
    private var writer: JSONWriter
    private var selection: RecordBody.Selection
    private let suffixes: [Int64: [UInt8]]
    private let isBackward: Bool
    /// The rows of a walk from the end, which are answered in the order of the query.
    private var reversed: [[UInt8]] = []
    private var count = 0
    private var budget = AnswerBudget()

    /// - Parameter assetURL: gives the addresses of files; nil for a type that has none.
    init(
        _ request: RecordsQueryRequest, _ context: CallContext, zones: [ZoneRow], limit: Int,
        assetURL: (@Sendable (_ checksum: String) -> String?)?
    ) {
        writer = JSONWriter(reserving: 64 + limit * 900)
        suffixes = Dictionary(
            zones.map { ($0.id, context.zoneSuffix($0.name)) }, uniquingKeysWith: { first, _ in first })
        selection = RecordBody.Selection(
            desiredKeys: request.desiredKeys, numbersAsStrings: request.numbersAsStrings,
            suffix: zones.first.flatMap { [suffixes] zone in suffixes[zone.id] } ?? [], assetURL: assetURL)
        isBackward = request.backward ?? false
        writer.beginObject()
        writer.key("records")
        writer.beginArray()
    }

    /// Takes a row into the answer, if it has room for it.
    mutating func add(_ row: borrowing ScanRow) throws -> Bool {
        if suffixes.count > 1 { selection.suffix = suffixes[row.zone] ?? [] }
        let isTaken: Bool
        if isBackward {
            let record = try budget.text(reserving: row.body.count + 64) {
                try RecordBody.write(row.body, selection, to: &$0)
            }
            if let record { reversed.append(record) }
            isTaken = record != nil
        } else {
            isTaken = try budget.write(to: &writer) { try RecordBody.write(row.body, selection, to: &$0) }
        }
        if isTaken { count += 1 }
        return isTaken
    }

    /// The whole answer, with the members that follow the records.
    mutating func output(_ plan: ScanPlan, _ more: (inout JSONWriter) -> Void) -> ServiceOutput {
        for record in reversed.reversed() { writer.raw(record) }
        writer.endArray()
        more(&writer)
        budget.writeReason(to: &writer)
        writer.endObject()
        return ServiceOutput(body: writer.bytes, plan: plan, items: count)
    }

    /// The positions around a page.
    struct Markers {
        /// Behind which the next page lies; nil where there is none.
        var next: ScanCursor?
        /// Before which the page before lies; nil where there is none, or nobody asked.
        var previous: ScanCursor?

        /// - Parameter isAsked: whether the request knows of pages in both directions.
        init(_ scan: RecordScan, _ outcome: ScanOutcome, isAsked: Bool) {
            (next, previous) =
                scan.isBackward
                ? (outcome.back, outcome.next) : (outcome.next, isAsked ? outcome.back : nil)
        }
    }
}
