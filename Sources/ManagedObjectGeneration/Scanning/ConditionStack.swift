/// The `#if` blocks around a place in a file.
///
/// What is generated for a declaration is in the same conditions, and the compiler decides.
struct ConditionStack {
    private struct Block {
        var earlier: [String]
        var current: String?
    }

    private var blocks: [Block] = []

    /// The conditions of this place.
    var conditions: [String] {
        blocks.map { block in
            (block.earlier.map { "!(\($0))" } + (block.current.map { ["(\($0))"] } ?? []))
                .joined(separator: " && ")
        }
    }

    /// Whether what is here is certainly not compiled on Linux.
    var isExcludedOnLinux: Bool {
        blocks.contains { block in
            block.earlier.contains { LinuxCondition.value(of: $0) == true }
                || block.current.map { LinuxCondition.value(of: $0) == false } ?? false
        }
    }

    /// Enters, changes or leaves a block.
    mutating func apply(directive: String) {
        let parts = directive.dropFirst().split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        let keyword = parts.first.map { $0.prefix { $0.isLetter } } ?? ""
        let condition = directive.dropFirst(keyword.count + 1).trimmingBlanks
        switch keyword {
        case "if": blocks.append(Block(earlier: [], current: condition))
        case "elseif", "else":
            guard var block = blocks.popLast() else { return }
            if let current = block.current { block.earlier.append(current) }
            block.current = keyword == "else" ? nil : condition
            blocks.append(block)
        default: _ = blocks.popLast()
        }
    }
}

extension StringProtocol {
    /// The text without blanks at its ends.
    var trimmingBlanks: String {
        let start = drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
