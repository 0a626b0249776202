import Foundation
import RecordModel
import RecordWire

/// What the first rows of a file say about its columns.
package struct ColumnSurvey: Sendable {
    /// The columns in their order.
    package var names: [String] = []
    package private(set) var shapes: [String: ColumnShape] = [:]

    /// Starts with nothing seen.
    package init() {}

    /// Looks at one more row.
    package mutating func add(
        _ content: ImportRow.Content, header: [String], hasDecimalComma: Bool = false
    ) {
        switch content {
        case .cells(let cells):
            guard cells.count == header.count else { return }
            for (name, cell) in zip(header, cells) {
                note(name, ColumnShape(hasDecimalComma ? DecimalComma.point(cell) ?? cell : cell))
            }
        case .object(let object):
            for (name, value) in object.members { note(name, Self.shape(value)) }
        case .malformed: break
        }
    }

    private mutating func note(_ name: String, _ shape: ColumnShape) {
        if let known = shapes[name] {
            shapes[name] = known.joined(with: shape)
        } else {
            shapes[name] = shape
            names.append(name)
        }
    }

    private static func shape(_ value: JSONValue) -> ColumnShape {
        switch value {
        case .null: .empty
        case .int(let value): ColumnShape.isLong(value) ? .longInteger : .integer
        case .double, .longInteger: .number
        case .bool, .string, .array, .object: .text
        }
    }
}

extension ImportMapping {
    /// Decides what becomes of each column.
    ///
    /// - Throws: an ``ImportError`` that names the column and the flag that helps.
    static func targets(_ rules: Rules, _ columns: ColumnSurvey, isCSV: Bool) throws(ImportError) -> [String:
        Target]
    {
        try checkColumns(rules, columns, isCSV: isCSV)
        let renames = Dictionary(rules.renames.map { ($0.column, $0.field) }, uniquingKeysWith: { $1 })
        let types = Dictionary(rules.types.map { ($0.name, $0.type) }, uniquingKeysWith: { $1 })
        let used = Set(rules.locations.flatMap { [$0.latitude, $0.longitude] } + rules.ignored)
        var targets: [String: Target] = [:]
        var fields = Set(rules.locations.map(\.field))
        var unfit: [(column: String, reason: String)] = []
        for name in columns.names where !used.contains(name) && name != rules.nameField {
            let field = renames[name] ?? name
            do {
                try Names.checkIdentifier(field, what: "field name")
            } catch {
                // Of JSON lines only those that have the key are refused, each by itself.
                if !isCSV, renames[name] == nil { continue }
                unfit.append((name, error.reason))
                continue
            }
            guard fields.insert(field).inserted else {
                throw ImportError(
                    "Two columns would become the field '\(field)'.", remedy: "Add --rename 'column=field'.")
            }
            let shape = columns.shapes[name] ?? .empty
            let forced = types[name] ?? types[field]
            // JSON has types of its own; only whole numbers among fractions need help.
            let told = isCSV || shape == .number ? shape.type : nil
            targets[name] = Target(field: field, type: forced ?? told, isForced: forced != nil)
        }
        // All of them at once, so that nobody has to try again for each.
        if let first = unfit.first {
            let renames = unfit.map { "--rename '\($0.column)=\(suggestion($0.column))'" }
            throw ImportError(
                unfit.count == 1
                    ? "The column '\(first.column)' cannot be a field: \(first.reason)"
                    : "\(unfit.count) columns cannot be fields, first '\(first.column)': \(first.reason)",
                remedy: "Add \(renames.joined(separator: " ")), or --ignore '\(first.column)'.")
        }
        return targets
    }

    /// A rule for a column that a CSV file does not have is a typing error.
    private static func checkColumns(_ rules: Rules, _ columns: ColumnSurvey, isCSV: Bool) throws(ImportError)
    {
        guard isCSV else { return }
        let fields = rules.renames.map(\.field)
        let named =
            rules.locations.flatMap { [$0.latitude, $0.longitude] } + rules.renames.map(\.column)
            + rules.types.map(\.name).filter { !fields.contains($0) } + rules.ignored
            + [rules.nameField].compactMap { $0 }
        if let missing = named.first(where: { !columns.names.contains($0) }) {
            throw ImportError(
                "The file has no column '\(missing)'.",
                remedy: "Its columns are \(columns.names.joined(separator: ", ")).")
        }
        // Of two, nobody can tell which is meant; two that become a field are refused as fields are.
        let single =
            rules.locations.flatMap { [$0.latitude, $0.longitude] } + [rules.nameField].compactMap { $0 }
        if let twice = single.first(where: { name in columns.names.count { $0 == name } > 1 }) {
            throw ImportError(
                "The file has several columns '\(twice)'.",
                remedy: "Give them different names in its first line.")
        }
    }

    /// How letters are written where there are only those of ASCII; marks on others are left out.
    private static let plainLetters: [Character: String] = [
        "ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "æ": "ae", "Æ": "Ae",
        "ø": "oe", "Ø": "Oe", "å": "aa", "Å": "Aa", "œ": "oe", "Œ": "Oe", "ł": "l", "Ł": "L",
    ]

    /// A name that a field can have: `First name` becomes `firstName`, `Größe` becomes `groesse`.
    package static func suggestion(_ column: String) -> String {
        let letters = column.precomposedStringWithCanonicalMapping.map { plainLetters[$0] ?? String($0) }
        let plain = letters.joined().folding(options: .diacriticInsensitive, locale: nil)
        let words = plain.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        let name = words.enumerated().map { index, word in
            index == 0 ? word.lowercased() : word.prefix(1).uppercased() + word.dropFirst()
        }.joined()
        return name.first?.isLetter == true ? name : "field" + name
    }
}
