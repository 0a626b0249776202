import RecordWire

/// The form of a part of an answer: which keys there are, and of which type each value is.
indirect enum Shape: Sendable {
    case string, integer, number, bool
    /// Standard base64 with padding.
    case base64
    /// A text that can be no other.
    case exactly(String)
    /// An object with the keys that it has to have, those that it may have, and those that only we send.
    case object([String: Shape], optional: [String: Shape] = [:], extensions: Set<String> = [])
    case list(Shape)
    /// An object whose keys are free.
    case dictionary(Shape)
    case empty
    /// One of several forms.
    case either([Shape])

    /// What of a value does not fit, each with its place; empty where all does.
    func faults(_ value: JSONValue, at place: String = "") -> [String] {
        switch (self, value) {
        case (.string, .string), (.integer, .int), (.number, .int), (.number, .double), (.bool, .bool):
            return []
        case (.exactly(let text), .string(let found)):
            return text == found ? [] : ["\(place): \(found), not \(text)"]
        case (.base64, .string(let text)):
            let isWhole = text.utf8.count % 4 == 0 && !text.contains("-") && !text.contains("_")
            return isWhole && Base64.decode(text) != nil ? [] : ["\(place): '\(text)' is no standard base64"]
        case (.list(let element), .array(let values)):
            return values.enumerated().flatMap { element.faults($1, at: "\(place)[\($0)]") }
        case (.dictionary(let element), .object(let object)):
            return object.members.flatMap { element.faults($0.value, at: "\(place).\($0.key)") }
        case (.empty, .object(let object)): return object.members.isEmpty ? [] : ["\(place) is not empty"]
        case (.either(let shapes), _):
            let tries = shapes.map { $0.faults(value, at: place) }
            return tries.contains([]) ? [] : tries.min { $0.count < $1.count } ?? []
        case (.object(let required, let optional, let extensions), .object(let object)):
            var faults: [String] = []
            for (key, member) in object.members {
                if let shape = required[key] ?? optional[key] {
                    faults += shape.faults(member, at: "\(place).\(key)")
                } else if !extensions.contains(key) {
                    faults.append("\(place).\(key) is one key too many")
                }
            }
            let keys = Set(object.members.map(\.key))
            faults += required.keys.filter { !keys.contains($0) }.sorted().map { "\(place).\($0) is missing" }
            if keys.count != object.members.count { faults.append("\(place) has a key twice") }
            return faults
        default: return ["\(place) is \(value.kindName)"]
        }
    }
}
