import RecordWire

/// One row of an input file.
struct ImportRow: Sendable, Equatable {
    /// What stands in the row.
    enum Content: Sendable, Equatable {
        /// The cells of a CSV row.
        case cells([String])
        /// The object of a JSON line.
        case object(JSONObject)
        /// Nothing that can be read, and why.
        case malformed(String)
    }

    /// The line that the row begins on, counted from 1.
    var line: Int
    /// The byte of the file behind the row, where reading can go on.
    var end: Int64
    /// The line that begins there.
    var nextLine: Int
    /// What stands in the row.
    var content: Content
}

/// Turns the bytes of a file into rows, however the bytes are cut into pieces.
protocol RowReader: Sendable {
    /// Takes the next bytes and appends the rows that end in them.
    mutating func read(_ bytes: some Collection<UInt8>, into rows: inout [ImportRow])
    /// Appends the row that the end of the file ends, if there is one.
    mutating func finish(into rows: inout [ImportRow])
}

/// A row that could not be imported.
struct RowProblem: Sendable, Equatable {
    /// The line that it begins on.
    var line: Int
    /// Why, in a sentence.
    var reason: String
    /// The row itself.
    var row: ImportRow.Content
}

/// Why a row cannot be imported.
struct RowError: Error, Equatable, CustomStringConvertible {
    /// The reason, in a sentence.
    var description: String

    init(_ description: String) { self.description = description }
}
