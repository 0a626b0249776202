import RecordModel
import RecordWire

/// Why a text is not the fields of a record, with the position where it is wrong.
struct JSONFieldsError: Error {
    var message: String
    /// The line, and a caret below the position; nil where the position is in the message.
    var caret: String?
}

/// The fields of a record as JSON, as operators edit them.
enum JSONFields {
    /// Reads `{"name": {"value": "Ada", "type": "STRING"}}`; a bare value is taken for one with its own type.
    static func read(_ text: String) throws(JSONFieldsError) -> [(name: String, field: WireField)] {
        let bytes = Array(text.utf8)
        let object: JSONObject
        do {
            guard let read = try JSONReader.read(bytes, maximumDepth: Limits.jsonDepth).object else {
                throw JSONFieldsError(message: "The JSON must be an object: fields by their names.")
            }
            object = read
        } catch let error as JSONError {
            guard let offset = error.offset else { throw JSONFieldsError(message: error.message) }
            let place = place(of: offset, in: bytes)
            throw JSONFieldsError(
                message: "\(error.message) (line \(place.line), column \(place.column))", caret: place.caret)
        } catch let error as JSONFieldsError {
            throw error
        } catch {
            throw JSONFieldsError(message: "The JSON cannot be read.")
        }
        var fields: [(name: String, field: WireField)] = []
        var names: Set<String> = []
        for (name, value) in object.members {
            guard names.insert(name).inserted else {
                throw JSONFieldsError(message: "The field '\(name)' occurs twice.")
            }
            if let wrapped = value.object, wrapped.members.contains(where: { $0.key == "value" }) {
                do {
                    fields.append((name, try WireField(json: wrapped)))
                } catch {
                    throw JSONFieldsError(message: "The field '\(name)': \(error.message)")
                }
            } else {
                fields.append((name, WireField(value: value)))
            }
        }
        return fields
    }

    /// The line and the column of a byte, counted from 1, and the line with a caret below the position.
    private static func place(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int, caret: String) {
        let lineFeed = UInt8(ascii: "\n")
        let before = bytes.prefix(offset)
        let line = before.count { $0 == lineFeed } + 1
        let start = before.lastIndex(of: lineFeed).map { $0 + 1 } ?? 0
        let end = bytes[start...].firstIndex(of: lineFeed) ?? bytes.endIndex
        let text = String(decoding: bytes[start..<end], as: UTF8.self).trimming { $0 == "\r" }
        let column = String(decoding: bytes[start..<max(start, min(offset, end))], as: UTF8.self).count + 1
        // Long lines are cut around the position.
        let first = max(0, column - 60)
        let shown = String(text.dropFirst(first).prefix(100))
        return (line, column, shown + "\n" + String(repeating: " ", count: column - 1 - first) + "^")
    }
}
