import RecordModel
import RecordWire

/// Prints the pages of an answer: a table whose columns the first page decides, or JSON Lines.
struct QueryPrinter {
    private let fields: [String]?
    private let json: Bool
    private let console: Console
    private var layout: (cells: TableCells, table: Table)?
    private var count = 0
    /// The fields asked for that no record had so far.
    private var unseen: [String]

    init(fields: [String]?, json: Bool, console: Console) {
        self.fields = fields
        self.json = json
        self.console = console
        unseen = (fields ?? []).filter { SystemField(spelling: $0) == nil }
    }

    /// Prints a page.
    mutating func add(_ page: QueryPages.Page) {
        count += page.records.count
        if !unseen.isEmpty {
            for record in page.records {
                let there = record["fields"]?.object
                unseen.removeAll { there?[$0] != nil }
            }
        }
        if json {
            for record in page.records { console.line(json: JSONWriter.text { $0.value(.object(record)) }) }
            return
        }
        guard !page.records.isEmpty else { return }
        let cells = layout?.cells ?? TableCells(fields: fields, records: page.records)
        let rows = page.records.map(cells.row)
        if layout == nil {
            let table = Table(cells.columns, rows: rows, width: console.tableWidth)
            layout = (cells, table)
            console.line(table.header)
        }
        for row in rows { console.line(layout?.table.line(row) ?? "") }
    }

    /// Says how many there were, and how to go on.
    func finish(next: String?) {
        if !json { console.note("\(Format.grouped(count)) \(count == 1 ? "record" : "records")") }
        if count > 0, !unseen.isEmpty {
            let names = unseen.map { "'\($0)'" }.joined(separator: ", ")
            console.note("None of these records has the \(unseen.count == 1 ? "field" : "fields") \(names).")
        }
        if let next { console.note("There are more; --all prints them, or go on with --marker \(next)") }
    }
}
