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
    /// How many rows it has.
    private(set) var count = 0
    private var budget = AnswerBudget()
    /// Whether the row before had something besides.
    private var hadShare = false

    /// - Parameters:
    ///   - suffixes: what follows the members of records, by the numbers of their zones.
    ///   - assetURL: gives the addresses of files; nil for a type that has none.
    init(
        _ request: RecordsQueryRequest, suffixes: [(zone: Int64, text: [UInt8])], limit: Int,
        assetURL: (@Sendable (_ checksum: String) -> String?)?
    ) {
        writer = JSONWriter(reserving: 64 + limit * 900)
        self.suffixes = Dictionary(
            suffixes.map { ($0.zone, $0.text) }, uniquingKeysWith: { first, _ in first })
        selection = RecordBody.Selection(
            desiredKeys: request.desiredKeys, numbersAsStrings: request.numbersAsStrings,
            suffix: suffixes.first?.text ?? [], assetURL: assetURL)
        isBackward = request.backward ?? false
        writer.beginObject()
        writer.key("records")
        writer.beginArray()
    }

    /// Takes a row into the answer, if it has room for it.
    ///
    /// - Parameter share: what a share's answer has besides; nil for other records.
    mutating func add(_ row: borrowing ScanRow, share: [UInt8]? = nil) throws -> Bool {
        if suffixes.count > 1 || share != nil || hadShare { selection.suffix = suffixes[row.zone] ?? [] }
        if let share { selection.suffix += share }
        hadShare = share != nil
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
