/// Text as it may stand where people look at it in a terminal: nothing in it moves the cursor, changes colours or turns the
/// direction of reading, whoever wrote it.
public enum HarmlessText {
    /// The text, with `\u{…}` for what is not harmless.
    ///
    /// - Parameters:
    ///   - text: from anybody.
    ///   - keepsLines: whether it may have several lines, and tabs.
    public static func escaped(_ text: String, keepsLines: Bool = false) -> String {
        if text.utf8.allSatisfy(isPlain) { return text }
        var harmless = ""
        harmless.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            if isHarmless(scalar) || keepsLines && (scalar == "\n" || scalar == "\t") {
                harmless.unicodeScalars.append(scalar)
            } else {
                harmless += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return harmless
    }

    /// Whether a byte is ASCII that is printed.
    public static func isPlain(_ byte: UInt8) -> Bool { byte &- 0x20 < 0x7F - 0x20 }

    /// Whether a scalar is nothing but a sign that is printed.
    public static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default: true
        }
    }
}
