package import RecordModel
import RecordWire

/// How values are written in the cells of CSV: what ``text(_:)`` writes, ``value(_:as:)`` reads back as it was.
///
/// A cell holds the plain form of a value (`a;b`, `52.5,13.4`) where that says all, else its JSON (`["a;b","c"]`,
/// `{"recordName":"p","action":"DELETE_SELF"}`). Text that a spreadsheet would take for a formula has `'` in front.
package enum CSVCell {
    private static let mark: Unicode.Scalar = "'"
    /// What formulas begin with, and what spreadsheets drop before they look.
    private static let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n"]

    // MARK: Formulas

    /// The text as spreadsheets show it instead of running it; `'` alone is the empty text, unlike no value.
    package static func guarded(_ text: String) -> String {
        needsMark(text.unicodeScalars[...]) || unguarded(text) != text ? "\(mark)\(text)" : text
    }

    /// The text that ``guarded(_:)`` was given; any other text as it is.
    package static func unguarded(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.first == mark else { return text }
        let rest = scalars.dropFirst()
        // Two marks are one that was in the text.
        let isGuarded = needsMark(rest) || rest.first == mark
        return isGuarded ? String(String.UnicodeScalarView(rest)) : text
    }

    private static func needsMark(_ text: Substring.UnicodeScalarView) -> Bool {
        text.first.map(formulaStarts.contains) ?? true
    }

    // MARK: Rows

    /// The cells as a row of a file (RFC 4180), with its end.
    package static func row(_ cells: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, cell) in cells.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            quote(cell, into: &bytes)
        }
        return bytes + Array("\r\n".utf8)
    }

    /// Works on bytes: as a character, a quote with an accent after it is not a quote.
    private static func quote(_ cell: String, into bytes: inout [UInt8]) {
        let quote = UInt8(ascii: "\"")
        guard cell.utf8.contains(where: { $0 == quote || ",\r\n".utf8.contains($0) }) else {
            bytes += cell.utf8
            return
        }
        bytes.append(quote)
        for byte in cell.utf8 {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }

    // MARK: Values

    /// The cell of a value. Files are written as their address and cannot be read back.
    package static func text(_ value: FieldValue) -> String {
        if case .string(let text) = value { return guarded(text) }
        let plain = plain(value)
        guard let type = value.type else { return "[]" }
        if type.scalar == .asset { return plain }
        let isText = [.string, .bytes, .reference].contains(type.scalar)
        let isWhole = !plain.isEmpty || isText && !type.isList
        if isWhole, let same = try? Self.value(plain, as: type), same == value {
            return isText ? guarded(plain) : plain
        }
        return String(decoding: JSONWriter.text { value.write(to: &$0) }, as: UTF8.self)
    }

    /// Reads a cell, ``unguarded(_:)`` already, as a value of a type.
    package static func value(_ text: String, as type: FieldType) throws(RowError) -> FieldValue {
        if let json = json(text, type), let value = try? ValueCoercion.value(json, as: type) { return value }
        return try ValueCoercion.value(text, as: type)
    }

    /// The JSON that a cell holds where its type has such a form.
    private static func json(_ text: String, _ type: FieldType) -> JSONValue? {
        let opening: Character
        switch (type.isList, type.scalar) {
        case (true, _): opening = "["
        case (false, .reference), (false, .location): opening = "{"
        default: return nil
        }
        guard text.first(where: { !$0.isWhitespace }) == opening else { return nil }
        return try? JSONReader.read(Array(text.utf8), maximumDepth: Limits.jsonDepth)
    }

    private static func plain(_ value: FieldValue) -> String {
        switch value {
        case .string(let text): text
        case .int64(let number): String(number)
        case .double(let number): number.description
        case .timestamp(let milliseconds): ISOTime.text(milliseconds)
        case .bytes(let bytes): Base64.encode(bytes)
        case .reference(let reference): reference.recordName
        case .location(let place): "\(place.latitude),\(place.longitude)"
        case .asset(let asset): asset.downloadURL ?? ""
        case .list(let elements, _):
            elements.map(plain).joined(separator: String(ValueCoercion.listSeparator))
        }
    }
}
