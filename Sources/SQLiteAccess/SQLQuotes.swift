/// Names and texts as parts of a statement.
package enum SQLQuotes {
    /// A name in double quotes.
    package static func identifier(_ name: String) -> String { quoted(name, UInt8(ascii: "\"")) }

    /// A text in single quotes.
    package static func literal(_ text: String) -> String { quoted(text, UInt8(ascii: "'")) }

    /// By bytes, as SQLite reads: a combining mark after a quote makes one Character of both, which no search for
    /// the quote alone would find.
    private static func quoted(_ text: String, _ mark: UInt8) -> String {
        var bytes = [mark]
        for byte in text.utf8 {
            if byte == mark { bytes.append(mark) }
            bytes.append(byte)
        }
        bytes.append(mark)
        return String(decoding: bytes, as: UTF8.self)
    }
}
