import RecordImport
import RecordModel
import RecordWire

/// Rows that travel in one request.
struct ImportBatch: Sendable {
    /// A record and the line it comes from.
    struct Item: Sendable {
        var line: Int
        var record: RecordInput
        var row: ImportRow.Content
    }

    /// The most bytes of values in one request, well below what a server takes.
    static let longestBytes = 4_194_304
    /// The most records of a request: what CloudKit's web interface documents, so that any server of the protocol takes it.
    private static let most = 200

    /// The number of the batch in this run.
    var number: Int
    /// The records.
    var items: [Item] = []
    /// The rows of this part of the file that were refused before sending.
    var problems: [RowProblem] = []
    /// The position after the last row.
    var end: Int64 = 0
    var nextLine = 1
    private var names: [ExactText: Int] = [:]
    private var bytes: Int64 = 0
    private var start: Int64

    /// Starts a batch at a position of the file.
    init(number: Int, start: Int64) {
        self.number = number
        self.start = start
    }

    /// Adds a record.
    ///
    /// - Throws: ``RowError`` when another row of the batch has its name: which of them would win is chance.
    mutating func add(_ record: RecordInput, of row: ImportRow) throws(RowError) {
        if let name = record.recordName {
            if let other = names[ExactText(name)] {
                throw RowError("The record name '\(name)' is that of line \(other) as well.")
            }
            names[ExactText(name)] = row.line
        }
        items.append(Item(line: row.line, record: record, row: row.content))
    }

    /// Moves the position after a row.
    mutating func advance(past row: ImportRow) {
        end = row.end
        nextLine = row.nextLine
    }

    /// Whether the batch should be sent. Refused rows count too, so that a long run of them moves the position too.
    var isFull: Bool {
        items.count >= Self.most || problems.count >= 10_000
            || end - start >= Self.longestBytes
    }

    /// Whether there is nothing to report.
    var isEmpty: Bool { items.isEmpty && problems.isEmpty }
}

/// What became of a batch.
struct ImportOutcome: Sendable {
    /// The batch, without the records.
    var number: Int
    var end: Int64
    var nextLine: Int
    var imported: Int
    /// The rows that could not be imported.
    var problems: [RowProblem] = []
}
