/// What identifies an object in a store of the app's own, as a text that names its type.
enum CustomReference {
    static func text(_ any: Any) -> String {
        switch any {
        case let text as String: "s" + text
        case let number as NSNumber: "n" + number.stringValue
        case let number as any BinaryInteger: "n\(number)"
        case let id as UUID: "s" + id.uuidString
        default: "s\(any)"
        }
    }

    static func object(_ text: String) -> Any {
        let rest = String(text.dropFirst())
        guard text.hasPrefix("n") else { return rest }
        if let whole = Int64(rest) { return NSNumber(value: whole) }
        return NSNumber(value: Double(rest) ?? 0)
    }
}
