import RecordModel

extension SchemaDocument: CustomStringConvertible {
    /// The document as text that reads back as this document, laid out as Apple's exports are.
    public var description: String { SchemaPrinter.text(self) }
}

extension SchemaField {
    /// The field as its record type has it in a schema's text, ready to paste: `city STRING QUERYABLE`.
    public var line: String {
        ([SchemaName.written(name), type.description] + indexes.words).joined(separator: " ")
    }
}

extension SchemaRecordType {
    /// The type without its fields and grants, ready to paste: `RECORD TYPE "cloudkit.share" ();`
    public var line: String { "RECORD TYPE \(SchemaName.written(name)) ();" }
}

/// Writes documents in the schema language.
enum SchemaPrinter {
    static func text(_ document: SchemaDocument) -> String {
        var blocks = ["DEFINE SCHEMA"]
        if !document.roles.isEmpty {
            blocks.append(
                document.roles.map { "    CREATE ROLE \(SchemaName.written($0));" }.joined(separator: "\n"))
        }
        blocks += document.types.map(text)
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private static func text(_ type: SchemaRecordType) -> String {
        let names = type.fields.map { SchemaName.written($0.name) }
        let width = names.map(\.count).max() ?? 0
        let fields = zip(names, type.fields).map { name, field in
            let padding = String(repeating: " ", count: width - name.count)
            return "        "
                + ([name + padding, field.type.description] + field.indexes.words)
                .joined(separator: " ")
        }
        let grants = type.grants.map { grant in
            "        GRANT \(grant.permissions.words.joined(separator: ", ")) TO \(SchemaName.written(grant.role))"
        }
        let lines = (fields + grants).joined(separator: ",\n")
        let head = "    RECORD TYPE \(SchemaName.written(type.name)) ("
        return lines.isEmpty ? "\(head)\n    );" : "\(head)\n\(lines)\n    );"
    }
}

/// The rules for names.
enum SchemaName {
    /// The words that a name has to be quoted for, in small letters.
    static let reserved: Set<String> = ["grant", "preferred", "queryable", "searchable", "sortable"]

    /// Whether a name needs no quotes.
    static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, isLetter(first) else { return false }
        return name.utf8.allSatisfy(isWordByte) && !reserved.contains(name.lowercased())
    }

    /// The name as it is written: in quotes where it needs them.
    static func written(_ name: String) -> String { isPlain(name) ? name : "\"\(name)\"" }

    static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// Whether a byte can be in a word.
    static func isWordByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
    }
}
