/// How many columns of a terminal text takes.
enum TextWidth {
    /// The columns of a text, without control characters.
    static func of(_ text: String) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// The columns of one character: two for East Asian wide ones and emoji, none for those that stand on others.
    static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if first.isASCII { return first.value < 0x20 || first.value == 0x7F ? 0 : 1 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
        default: break
        }
        // A variation selector or a joiner after the first scalar makes an emoji of it.
        let isEmoji =
            first.properties.isEmojiPresentation
            || character.unicodeScalars.contains { $0.value == 0xFE0F }
        return isEmoji || isWide(first.value) ? 2 : 1
    }

    /// The text cut to so many columns, with `…` in the place of what is missing.
    static func truncate(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        guard width > 0 else { return "" }
        var kept = ""
        var used = 0
        for character in text {
            let columns = of(character)
            guard used + columns <= width - 1 else { break }
            kept.append(character)
            used += columns
        }
        return kept + "…"
    }

    /// The text with blanks after it, or before it, to fill so many columns.
    static func pad(_ text: String, to width: Int, right: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - of(text)))
        return right ? blanks + text : text + blanks
    }

    /// The blocks that Unicode's annex 11 calls wide or full-width.
    private static func isWide(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
            0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
