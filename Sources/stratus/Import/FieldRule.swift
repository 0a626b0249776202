import ArgumentParser
import RecordModel
import RecordWire

/// What `--field name:TYPE` says.
struct FieldRule: ExpressibleByArgument, Sendable, Equatable {
    /// The field, or the column that becomes it.
    var name: String
    /// Its type.
    var type: FieldType

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"), colon != argument.startIndex,
            let type = Self.type(String(argument[argument.index(after: colon)...]))
        else { return nil }
        name = String(argument[..<colon])
        self.type = type
    }

    /// Reads `STRING`, `LIST<STRING>` or `STRING_LIST`.
    private static func type(_ text: String) -> FieldType? {
        let word = text.uppercased()
        if word.hasPrefix("LIST<"), word.hasSuffix(">") {
            return FieldType(tag: word.dropFirst(5).dropLast() + "_LIST").flatMap(importable)
        }
        return FieldType(tag: word).flatMap(importable)
    }

    /// Files cannot be sent as text of a cell.
    private static func importable(_ type: FieldType) -> FieldType? { type.scalar == .asset ? nil : type }
}

/// What `--location field=latitude,longitude` says.
struct LocationRule: ExpressibleByArgument, Sendable, Equatable {
    /// The field that is made.
    var field: String
    /// The columns it is made of.
    var latitude: String
    var longitude: String

    init?(argument: String) {
        let sides = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard sides.count == 2 else { return nil }
        let columns = sides[1].split(separator: ",").map(String.init)
        guard columns.count == 2 else { return nil }
        field = sides[0]
        latitude = columns[0]
        longitude = columns[1]
    }
}

/// What `--rename column=field` says.
struct RenameRule: ExpressibleByArgument, Sendable, Equatable {
    /// The column of the file.
    var column: String
    /// The field it becomes.
    var field: String

    init?(argument: String) {
        guard let sign = argument.lastIndex(of: "="), sign != argument.startIndex else { return nil }
        column = String(argument[..<sign])
        field = String(argument[argument.index(after: sign)...])
        guard !field.isEmpty else { return nil }
    }
}
