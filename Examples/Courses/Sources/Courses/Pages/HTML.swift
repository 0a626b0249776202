/// Text that is HTML. What is put into its literals is escaped, unless it is HTML itself:
/// `"<h1>\(title)</h1>"` is safe whatever the title is, in elements and in quoted attributes.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    var text: String

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }
    init(joining parts: some Sequence<HTML>) { text = parts.map(\.text).joined(separator: "\n") }

    struct Interpolation: StringInterpolationProtocol {
        var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ html: HTML) { text += html.text }
        mutating func appendInterpolation(_ html: [HTML]) { text += HTML(joining: html).text }
        mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += HTML.escape(String(describing: value))
        }
    }

    /// The text with the five characters that mean something in HTML written as references.
    static func escape(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        // By scalar: a combining mark after '<' must not hide it inside one character.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
