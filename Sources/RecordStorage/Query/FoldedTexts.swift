import Foundation
import Predicates
import Synchronization

/// The long texts that were looked at last, folded: each part of a condition asks for the same ones again.
///
/// Engines whose SQL calls ``TextMatch`` for each part keep one for each connection, and forget it with each use of the
/// connection: it takes several times as much memory as the texts.
public final class FoldedTexts: Sendable {
    private struct Entry {
        var text: String
        var ignoresCase: Bool
        var ignoresDiacritics: Bool
        var folded: FoldedText
    }

    private let entries = Mutex<[Entry]>([])

    /// So many are kept, and from how many bytes on it is worth it.
    private static let most = 2
    private static let longText = 1_024

    /// Knows none yet.
    public init() {}

    /// Whether a text matches.
    ///
    /// - Parameters:
    ///   - text: the text, as it is stored.
    ///   - match: the pattern, and how texts are compared with it.
    ///   - check: called now and then while it takes long; what it throws ends the work.
    public func accepts(_ text: String, _ match: TextMatch, check: () throws -> Void) rethrows -> Bool {
        try match.accepts(folded(text, for: match), check: check)
    }

    /// Forgets all.
    public func forget() { entries.withLock { if !$0.isEmpty { $0 = [] } } }

    private func folded(_ text: String, for match: TextMatch) -> FoldedText {
        guard text.utf8.count >= Self.longText else { return FoldedText(text, options: match.options) }
        return entries.withLock { entries in
            let known = entries.firstIndex {
                $0.ignoresCase == match.ignoresCase && $0.ignoresDiacritics == match.ignoresDiacritics
                    && Self.areSame($0.text, text)
            }
            let entry =
                known.map { entries.remove(at: $0) }
                ?? Entry(
                    text: text, ignoresCase: match.ignoresCase, ignoresDiacritics: match.ignoresDiacritics,
                    folded: FoldedText(text, options: match.options))
            if entries.count == Self.most { entries.removeFirst() }
            entries.append(entry)
            return entry.folded
        }
    }

    /// Whether two texts have the same bytes, as those have that SQL gives for one value.
    private static func areSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        let areSame = left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right -> Bool in
                guard let start = left.baseAddress, let other = right.baseAddress else { return left.isEmpty }
                return memcmp(start, other, left.count) == 0
            }
        }
        return (areSame ?? nil) ?? left.utf8.elementsEqual(right.utf8)
    }
}
