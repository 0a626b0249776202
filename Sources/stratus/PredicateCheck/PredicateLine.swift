import Foundation

/// One line of a file of predicates: a bare format string, or one written as a Swift string literal.
struct PredicateLine: Sendable, Equatable {
    /// The format string; nil where the literal is broken.
    var format: String?

    /// Takes a line; nil for a blank one and for a comment (`//` or `#!`).
    init?(_ line: String) {
        let text = line.trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty, !text.hasPrefix("//"), !text.hasPrefix("#!") else { return nil }
        if let pounds = Self.pounds(of: text) {
            format = Self.literal(text, pounds: pounds)
        } else if Self.isOneLiteral(text) {
            format = Self.literal(text, pounds: 0)
        } else {
            format = text
        }
    }

    /// The number of `#` of a raw literal, nil for none.
    private static func pounds(of text: String) -> Int? {
        let count = text.prefix(while: { $0 == "#" }).count
        guard count > 0, text.dropFirst(count).first == "\"" else { return nil }
        return count
    }

    /// Whether the whole line is one literal: `"a" == "b"` begins and ends with a quote, but is a bare predicate.
    private static func isOneLiteral(_ text: String) -> Bool {
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return false }
        var isEscaped = false
        for character in text.dropFirst().dropLast() {
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                return false
            }
        }
        return !isEscaped
    }

    /// The text of a literal with its escapes resolved, by Swift's rules; nil where they are broken.
    private static func literal(_ text: String, pounds: Int) -> String? {
        let end = "\"" + String(repeating: "#", count: pounds)
        guard text.hasSuffix(end), text.count >= 2 + 2 * pounds else { return nil }
        let inner = text.dropFirst(1 + pounds).dropLast(1 + pounds)
        guard pounds == 0 else { return String(inner) }
        var result = ""
        var rest = inner
        while let character = rest.popFirst() {
            guard character == "\\" else {
                result.append(character)
                continue
            }
            switch rest.popFirst() {
            case "n": result += "\n"
            case "t": result += "\t"
            case "r": result += "\r"
            case "0": result += "\0"
            case "u":
                guard rest.popFirst() == "{", let close = rest.firstIndex(of: "}"),
                    let code = UInt32(rest[..<close], radix: 16), let scalar = Unicode.Scalar(code)
                else { return nil }
                result.unicodeScalars.append(scalar)
                rest = rest[rest.index(after: close)...]
            case "\"": result += "\""
            case "'": result += "'"
            case "\\": result += "\\"
            // An interpolation stands for a value that is not known here; any name parses in its place.
            case "(":
                guard let close = Self.closing(of: rest) else { return nil }
                result += "interpolated"
                rest = rest[rest.index(after: close)...]
            default: return nil
            }
        }
        return result
    }

    private static func closing(of text: Substring) -> Substring.Index? {
        var depth = 1
        for index in text.indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }
}
