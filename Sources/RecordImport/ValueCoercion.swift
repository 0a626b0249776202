package import RecordModel
package import RecordWire

/// Makes field values of what files hold.
package enum ValueCoercion {
    /// What separates the elements of a list in one cell.
    package static let listSeparator: Character = ";"

    /// Reads a cell as a value of a type.
    package static func value(_ text: String, as type: FieldType) throws(RowError) -> FieldValue {
        guard type.isList else { return try value(text, as: type.scalar) }
        var elements: [FieldValue] = []
        for part in text.split(separator: listSeparator) {
            elements.append(try value(trimmed(part), as: type.scalar))
        }
        return .list(elements, of: type.scalar)
    }

    /// Reads a JSON value as a value of a type; strings are read as cells are.
    package static func value(_ json: JSONValue, as type: FieldType) throws(RowError) -> FieldValue? {
        switch json {
        case .null: return nil
        case .string(let text): return try value(text, as: type)
        case .array(let array) where type.isList:
            var elements: [FieldValue] = []
            for element in array {
                if let element = try value(element, as: FieldType(type.scalar)) { elements.append(element) }
            }
            return .list(elements, of: type.scalar)
        case .int(let value) where type == FieldType(.double) && ColumnShape.isLong(value):
            throw tooLong(String(value))
        default:
            do {
                return try FieldValue.decode(WireField(value: json, type: type.tag), expected: nil)
            } catch {
                throw RowError(error.description)
            }
        }
    }

    private static func value(_ text: String, as scalar: FieldType.Scalar) throws(RowError) -> FieldValue {
        switch scalar {
        case .string: return .string(text)
        case .int64:
            if let value = Int64(trimmed(text)) ?? truth(text) { return .int64(value) }
        case .double:
            let text = trimmed(text)
            if let value = ExactNumber.double(text) {
                guard ExactNumber.isKept(text, as: value) else { throw tooLong(text) }
                return .double(value)
            }
        case .timestamp:
            let text = trimmed(text)
            if let value = Int64(text) ?? ISOTime.milliseconds(text) { return .timestamp(value) }
            throw RowError(
                "'\(short(text))' is not a TIMESTAMP: write 2026-11-21T10:00:00Z, or milliseconds since 1970."
            )
        case .bytes:
            if let bytes = Base64.decode(trimmed(text)) { return .bytes(bytes) }
            throw RowError("'\(short(text))' is not a BYTES value: write base64.")
        case .reference:
            do {
                try Names.checkRecordName(text)
                return .reference(Reference(recordName: text))
            } catch {
                throw RowError(error.reason)
            }
        case .location:
            let parts = text.split(separator: ",").map { trimmed($0) }
            if parts.count == 2 { return .location(try location(parts[0], parts[1])) }
            throw RowError("'\(short(text))' is not a LOCATION: write latitude,longitude in degrees.")
        case .asset: throw RowError("Files cannot be imported.")
        }
        throw RowError("'\(short(text))' is not of type \(scalar.tag).")
    }

    private static func tooLong(_ text: String) -> RowError {
        RowError(
            "'\(short(text))' has more digits than a DOUBLE keeps: make the field a STRING, or an INT64 up to 9223372036854775807."
        )
    }

    /// Makes a location of two texts.
    package static func location(_ latitude: String, _ longitude: String) throws(RowError) -> Location {
        guard let north = ExactNumber.double(trimmed(latitude)),
            let east = ExactNumber.double(trimmed(longitude)),
            (-90...90).contains(north), (-180...180).contains(east)
        else {
            throw RowError(
                "'\(short(latitude)),\(short(longitude))' is not a location: -90 to 90, -180 to 180 degrees.")
        }
        return Location(latitude: north, longitude: east)
    }

    private static func truth(_ text: String) -> Int64? {
        switch trimmed(text).lowercased() {
        case "true", "yes": 1
        case "false", "no": 0
        default: nil
        }
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let head = text.drop(while: \.isWhitespace)
        return String(
            head[..<(head.lastIndex { !$0.isWhitespace }.map(head.index(after:)) ?? head.startIndex)])
    }

    private static func short(_ text: String) -> String { text.count > 40 ? text.prefix(39) + "…" : text }
}
