import RecordImport
import RecordModel
import RecordWire

/// What is imported whereto and how, in the words of the command line: two imports go on from each other's position
/// only when all of it is the same.
extension ImportMapping.Rules {
    /// The rules as flags, in an order that does not depend on how they were given.
    var flags: [String] {
        let groups: [[String]] = [
            nameField.map { ["--name-field '\($0)'"] } ?? [],
            makesNames ? ["--make-names"] : [],
            hasDecimalComma ? ["--decimal comma"] : [],
            types.map { "--field '\($0.name):\($0.type.tag)'" },
            locations.map { "--location '\($0.field)=\($0.latitude),\($0.longitude)'" },
            renames.map { "--rename '\($0.column)=\($0.field)'" },
            ignored.map { "--ignore '\($0)'" },
        ]
        return groups.flatMap { $0.sorted() }
    }
}

extension InputFile.Kind {
    /// The kind as flags.
    var flags: [String] {
        switch self {
        case .csv(let separator):
            ["--format csv", "--separator '\(separator == 9 ? "\\t" : String(UnicodeScalar(separator)))'"]
        case .jsonLines: ["--format jsonl"]
        }
    }
}

extension Importer {
    /// What the state file keeps beside the position.
    var target: String {
        let flags = file.kind.flags + mapping.rules.flags
        return "\(mapping.recordType) of \(options.destination), with \(flags.joined(separator: " "))"
    }
}
