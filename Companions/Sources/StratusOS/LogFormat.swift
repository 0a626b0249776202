internal import Foundation

/// A format of `os_log`: `printf`'s, with a privacy in braces.
struct LogFormat {
    private enum Part {
        case text(String)
        /// The characters between `%` and the letter without lengths, the letter, and the words in braces.
        case value(flags: String, letter: Character, privacy: OSLogPrivacy)
    }

    private var parts: [Part] = []

    init(_ format: String) {
        var rest = Substring(format)
        while let percent = rest.firstIndex(of: "%") {
            if percent > rest.startIndex { parts.append(.text(String(rest[..<percent]))) }
            rest = rest[rest.index(after: percent)...]
            parts.append(Self.value(&rest))
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
    }

    private static func value(_ rest: inout Substring) -> Part {
        if rest.first == "%" {
            rest.removeFirst()
            return .text("%")
        }
        var privacy = OSLogPrivacy.auto
        if rest.first == "{", let end = rest.firstIndex(of: "}") {
            privacy = Self.privacy(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
        }
        let flags = String(rest.prefix { "-+ #0123456789.*'".contains($0) })
        rest.removeFirst(flags.count)
        // Lengths say how wide C's argument is; Swift's values know.
        rest = rest.drop { "hlqLjzt".contains($0) }
        // A format that ends early ends here as well.
        guard let letter = rest.popFirst() else { return .text("%" + flags) }
        return .value(flags: flags, letter: letter, privacy: privacy)
    }

    private static func privacy(_ words: Substring) -> OSLogPrivacy {
        let words = words.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let mask: OSLogPrivacy.Mask = words.contains("mask.hash") ? .hash : .none
        if words.contains("public") { return .public }
        return words.contains("private") || words.contains("sensitive")
            ? .private(mask: mask) : .auto(mask: mask)
    }

    /// The message; a value that is missing is `<missing>`.
    func text(_ arguments: [Any]) -> String {
        var next = arguments[...]
        return parts.map { part in
            switch part {
            case .text(let text): return text
            case .value(let flags, let letter, let privacy):
                // Widths that are arguments come before the value.
                var flags = flags
                while let star = flags.firstIndex(of: "*"), let width = next.popFirst() {
                    flags.replaceSubrange(star...star, with: "\(width)")
                }
                guard let argument = next.popFirst() else { return "<missing>" }
                return privacy.apply(
                    to: Self.text(argument, flags, letter), isScalar: !"@sS".contains(letter))
            }
        }
        .joined()
    }

    private static func text(_ argument: Any, _ flags: String, _ letter: Character) -> String {
        switch letter {
        case "d", "i", "D":
            return integer(argument).map { String(format: "%\(flags)lld", $0) } ?? "\(argument)"
        case "u", "U": return unsigned(argument).map { String(format: "%\(flags)llu", $0) } ?? "\(argument)"
        case "x", "X", "o", "O":
            return unsigned(argument).map { String(format: "%\(flags)ll\(letter)", $0) } ?? "\(argument)"
        case "f", "F", "e", "E", "g", "G", "a", "A":
            return double(argument).map { String(format: "%\(flags)\(letter)", $0) } ?? "\(argument)"
        case "c", "C":
            return unsigned(argument).flatMap { UnicodeScalar(UInt32(truncatingIfNeeded: $0)) }.map {
                String(Character($0))
            } ?? "\(argument)"
        default: return describe(argument)
        }
    }

    private static func describe(_ argument: Any) -> String {
        switch argument {
        case let text as UnsafePointer<CChar>: String(cString: text)
        case let error as NSError: error.localizedDescription
        default: "\(argument)"
        }
    }

    private static func integer(_ argument: Any) -> Int64? {
        switch argument {
        case let value as any BinaryInteger: Int64(truncatingIfNeeded: value)
        case let value as Bool: value ? 1 : 0
        case let value as NSNumber: value.int64Value
        default: nil
        }
    }

    private static func unsigned(_ argument: Any) -> UInt64? {
        switch argument {
        case let value as any FixedWidthInteger: Self.bits(value)
        default: integer(argument).map { UInt64(bitPattern: $0) }
        }
    }

    /// As wide as the value's own type: -1 of 32 bits is ffffffff.
    private static func bits<Value: FixedWidthInteger>(_ value: Value) -> UInt64 {
        UInt64(truncatingIfNeeded: Value.Magnitude(truncatingIfNeeded: value))
    }

    private static func double(_ argument: Any) -> Double? {
        switch argument {
        case let value as any BinaryFloatingPoint: Double(value)
        case let value as NSNumber: value.doubleValue
        case let value as any BinaryInteger: Double(value)
        default: nil
        }
    }
}
