/// Numbers of cells, where none may become another one without a word.
enum ExactNumber {
    /// The number that a text is: digits with one point and perhaps an exponent, in the way that programs write them. Nil for
    /// hexadecimal digits, for `nan` and `inf`, and for what is too large.
    static func double(_ text: String) -> Double? {
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || ".eE+-".utf8.contains($0) }
        guard isPlain, let value = Double(text), value.isFinite else { return nil }
        // What is too small has become nothing.
        if value == 0,
            text.prefix(while: { $0 != "e" && $0 != "E" }).contains(where: { ("1"..."9").contains($0) })
        {
            return nil
        }
        return value
    }

    /// Whether a DOUBLE has the whole part of a number to its last digit.
    ///
    /// Fractions are measured and may have more digits than are kept; what is counted, or names something, may not.
    static func isKept(_ text: String, as value: Double) -> Bool {
        let digits = text.drop { $0 == "-" || $0 == "+" }
        guard !digits.contains("e"), !digits.contains("E") else { return true }
        let whole = digits.prefix { $0 != "." }
        let isWhole = digits.dropFirst(whole.count).allSatisfy { $0 == "." || $0 == "0" }
        guard let exact = UInt128(whole.isEmpty ? "0" : whole) else { return false }
        return isWhole ? UInt128(exactly: value.magnitude) == exact : exact <= 1 << 53
    }
}
