/// How names are written in Swift source.
enum Spelling {
    /// Words that need backticks where a name is expected.
    private static let reserved: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init",
        "inout", "internal", "let", "open", "operator", "private", "precedencegroup", "protocol", "public",
        "rethrows", "static", "struct", "subscript", "typealias", "var", "break", "case", "catch",
        "continue", "default", "defer", "do", "else", "fallthrough", "for", "guard", "if", "in", "repeat",
        "return", "throw", "switch", "where", "while", "Any", "as", "await", "false", "is", "nil", "self",
        "Self", "super", "throws", "true", "try",
    ]

    /// The name, in backticks where the language needs them.
    static func escaped(_ name: String) -> String {
        isPlain(name) && !reserved.contains(name) ? name : "`\(name)`"
    }

    /// Whether the name needs no backticks for its characters.
    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, !SymbolBuffer.isDigit(first) else { return false }
        return name.utf8.allSatisfy { SourceLexer.isIdentifierByte($0) }
    }

    /// The text as a string literal.
    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "\"": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\0"..<" ", "\u{7F}"..<"\u{A0}", "\u{2028}", "\u{2029}", "\u{FEFF}":
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// A name with its first letter in upper case.
    static func capitalized(_ name: String) -> String {
        name.prefix(1).uppercased() + name.dropFirst()
    }
}
