package import RecordModel
import RecordWire

/// What `--field name:TYPE` says.
package struct FieldRule: Sendable, Equatable {
    /// The field, or the column that becomes it.
    package var name: String
    /// Its type.
    package var type: FieldType

    /// Names a field and its type.
    package init(name: String, type: FieldType) {
        self.name = name
        self.type = type
    }

    package init?(argument: String) {
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

    /// The type as one writes it: `LIST<STRING>`.
    static func title(_ type: FieldType) -> String {
        type.isList ? "LIST<\(FieldType(type.scalar).tag)>" : type.tag
    }

    /// Files cannot be sent as text of a cell.
    private static func importable(_ type: FieldType) -> FieldType? { type.scalar == .asset ? nil : type }
}

/// What `--location field=latitude,longitude` says.
package struct LocationRule: Sendable, Equatable {
    /// The field that is made.
    package var field: String
    /// The columns it is made of.
    package var latitude: String
    package var longitude: String

    /// Names a field and the columns it is made of.
    package init(field: String, latitude: String, longitude: String) {
        self.field = field
        self.latitude = latitude
        self.longitude = longitude
    }

    package init?(argument: String) {
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
package struct RenameRule: Sendable, Equatable {
    /// The column of the file.
    package var column: String
    /// The field it becomes.
    package var field: String

    /// Gives a column another name.
    package init(column: String, field: String) {
        self.column = column
        self.field = field
    }

    package init?(argument: String) {
        guard let sign = argument.lastIndex(of: "="), sign != argument.startIndex else { return nil }
        column = String(argument[..<sign])
        field = String(argument[argument.index(after: sign)...])
        guard !field.isEmpty else { return nil }
    }
}
