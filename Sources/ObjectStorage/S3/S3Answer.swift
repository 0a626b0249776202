import Foundation

/// The XML of a store's answers, as far as it is read: elements without attributes, by their names.
enum S3Answer {
    /// What stands inside each element of a name.
    static func elements(_ name: String, in text: some StringProtocol) -> [Substring] {
        var found: [Substring] = []
        var rest = Substring(text)
        while let start = rest.range(of: "<\(name)>"),
            let end = rest[start.upperBound...].range(of: "</\(name)>")
        {
            found.append(rest[start.upperBound..<end.lowerBound])
            rest = rest[end.upperBound...]
        }
        return found
    }

    /// The text of the first element of a name.
    static func text(_ name: String, in text: some StringProtocol) -> String? {
        elements(name, in: text).first.map(decoded)
    }

    private static func decoded(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        var result = ""
        var rest = text
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            guard let end = rest[start...].firstIndex(of: ";") else { break }
            let name = rest[rest.index(after: start)..<end]
            let known = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
            result += known[String(name)] ?? character(name) ?? String(rest[start...end])
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> String? {
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(UnicodeScalar.init).map { String(Character($0)) }
    }

    static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: ">", with: "&gt;")
    }
}
