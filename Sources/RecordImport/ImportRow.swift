package import RecordWire

/// One row of an input file.
package struct ImportRow: Sendable, Equatable {
    /// What is in the row.
    package enum Content: Sendable, Equatable {
        /// The cells of a CSV row.
        case cells([String])
        /// The object of a JSON line.
        case object(JSONObject)
        /// Nothing that can be read, and why.
        case malformed(String)
    }

    /// The line that the row begins on, counted from 1.
    package var line: Int
    /// The byte of the file after the row, where reading can continue.
    package var end: Int64
    /// The line that begins there.
    package var nextLine: Int
    /// What is in the row.
    package var content: Content

    /// Creates a row.
    package init(line: Int, end: Int64, nextLine: Int, content: Content) {
        self.line = line
        self.end = end
        self.nextLine = nextLine
        self.content = content
    }
}

/// FairQueue the bytes of a file into rows, however the bytes are cut into pieces.
package protocol RowReader: Sendable {
    /// Takes the next bytes and appends the rows that end in them.
    mutating func read(_ bytes: some Collection<UInt8>, into rows: inout [ImportRow])
    /// Appends the row that the end of the file ends, if there is one.
    mutating func finish(into rows: inout [ImportRow])
}

/// A row that could not be imported.
package struct RowProblem: Sendable, Equatable {
    /// The line that it begins on.
    package var line: Int
    /// Why, in a sentence.
    package var reason: String
    /// The row itself.
    package var row: ImportRow.Content

    /// Creates a problem.
    package init(line: Int, reason: String, row: ImportRow.Content) {
        self.line = line
        self.reason = reason
        self.row = row
    }
}

/// Why a row cannot be imported.
package struct RowError: Error, Equatable, CustomStringConvertible {
    /// The reason, in a sentence.
    package var reason: String
    /// The flags of the command line that help, in a sentence.
    package var flags: String?

    /// Creates an error.
    package init(_ reason: String, flags: String? = nil) {
        self.reason = reason
        self.flags = flags
    }

    /// The reason, and the flags that help.
    package var description: String { flags.map { "\(reason) \($0)" } ?? reason }
}
