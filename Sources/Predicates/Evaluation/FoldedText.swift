internal import Foundation
internal import Synchronization

/// A text that was folded once, for as many comparisons as there are: folding costs more than looking through the result.
///
/// Each comparison takes time in proportion to the text, whatever is looked for: CONTAINS and the parts of a `LIKE` pattern between
/// its `*` are found without going back in the text.
///
/// ```swift
/// let text = FoldedText(record.title, options: [.caseInsensitive, .diacriticInsensitive])
/// let isFound = text.contains("müller") || text.isLike("*strasse ?")
/// ```
public final class FoldedText: Sendable {
    /// What was folded, for the patterns that are compared with it.
    private let options: PredicateOptions
    /// The folded text in UTF-8.
    let bytes: [UInt8]
    /// Whether each byte is a character.
    private let isPlain: Bool
    private let symbols = Mutex<TextSymbols?>(nil)

    /// Folds a text under the options.
    public init(_ text: String, options: PredicateOptions) {
        self.options = options
        bytes = Array(StringFolding.fold(text, options: options).utf8)
        // A line break of two bytes is one character.
        isPlain = bytes.allSatisfy { $0 < 0x80 && $0 != 0x0D }
    }

    /// Whether the text contains another one. It contains the empty one.
    public func contains(_ part: String) -> Bool { contains(part, check: {}) }

    /// The same.
    ///
    /// - Parameters:
    ///   - part: what is looked for, as it was written.
    ///   - check: called now and then while it takes long; what it throws ends the work.
    public func contains(_ part: String, check: () throws -> Void) rethrows -> Bool {
        let part = StringFolding.fold(part, options: options).utf8.map { PatternElement<UInt8>.symbol($0) }
        return try bytes.withUnsafeBufferPointer { bytes in
            try PatternPart(part).find(in: bytes, from: 0, upTo: bytes.count, check: check) != nil
        }
    }

    /// Whether the text begins with another one.
    public func begins(with part: String) -> Bool {
        bytes.starts(with: StringFolding.fold(part, options: options).utf8)
    }

    /// Whether the text ends with another one.
    public func ends(with part: String) -> Bool {
        bytes.reversed().starts(with: StringFolding.fold(part, options: options).utf8.reversed())
    }

    /// Whether the text is another one.
    public func isEqual(to other: String) -> Bool {
        bytes.elementsEqual(StringFolding.fold(other, options: options).utf8)
    }

    /// The order of the text and another one, by their bytes.
    public func order(to other: String) -> ComparisonOrder {
        let other = StringFolding.fold(other, options: options).utf8
        if bytes.elementsEqual(other) { return .equal }
        return bytes.lexicographicallyPrecedes(other) ? .ascending : .descending
    }

    /// Whether the whole text matches a `LIKE` pattern: `?` is one character, `*` any run, and a backslash takes the next
    /// character as it is.
    public func isLike(_ pattern: String) -> Bool { isLike(pattern, check: {}) }

    /// The same.
    ///
    /// - Parameters:
    ///   - pattern: the pattern, as it was written.
    ///   - check: called now and then while it takes long; what it throws ends the work.
    public func isLike(_ pattern: String, check: () throws -> Void) rethrows -> Bool {
        let pattern = LikePattern(StringFolding.fold(pattern, options: options))
        if isPlain {
            guard let parts = pattern.parts({ PatternSymbols.byte($0) }) else { return false }
            return try bytes.withUnsafeBufferPointer { try pattern.match(parts, $0, check: check) }
        }
        let known = symbols.withLock { symbols in
            if let symbols { return symbols }
            let made = TextSymbols(bytes)
            symbols = made
            return made
        }
        let wanted = PatternSymbols(of: pattern)
        guard let parts = pattern.parts({ wanted.symbol($0) }) else { return false }
        let text = wanted.clusters.isEmpty ? known.symbols : known.symbols(as: wanted, bytes)
        return try text.withUnsafeBufferPointer { try pattern.match(parts, $0, check: check) }
    }
}

/// The characters of a text as numbers: that of a character of one scalar is the scalar's, that of another one says where its
/// bytes are.
private struct TextSymbols: Sendable {
    var symbols: [UInt32] = []
    private var clusters: [Range<Int32>] = []

    static let firstCluster: UInt32 = 0x11_0000
    /// Of a character that no pattern has.
    static let none = UInt32.max

    init(_ bytes: [UInt8]) {
        var start: Int32 = 0
        for character in String(decoding: bytes, as: UTF8.self) {
            let end = start + Int32(clamping: character.utf8.count)
            if let scalar = PatternSymbols.scalar(character) {
                symbols.append(scalar)
            } else {
                symbols.append(Self.firstCluster + UInt32(clamping: clusters.count))
                clusters.append(start..<end)
            }
            start = end
        }
    }

    /// The symbols with the numbers that a pattern has for characters of several scalars.
    func symbols(as pattern: PatternSymbols, _ bytes: [UInt8]) -> [UInt32] {
        symbols.map { symbol in
            guard symbol >= Self.firstCluster else { return symbol }
            let cluster = clusters[Int(symbol - Self.firstCluster)]
            return pattern.clusters[bytes[Int(cluster.lowerBound)..<Int(cluster.upperBound)]] ?? Self.none
        }
    }
}

/// The characters of a pattern as numbers.
private struct PatternSymbols {
    /// Characters of several scalars by their bytes.
    private(set) var clusters: [ArraySlice<UInt8>: UInt32] = [:]

    init(of pattern: LikePattern) {
        for case .character(let character) in pattern.elements where Self.scalar(character) == nil {
            let bytes = Array(character.utf8)[...]
            if clusters[bytes] == nil { clusters[bytes] = TextSymbols.none - 1 - UInt32(clusters.count) }
        }
    }

    func symbol(_ character: Character) -> UInt32? {
        Self.scalar(character) ?? clusters[Array(character.utf8)[...]]
    }

    static func scalar(_ character: Character) -> UInt32? {
        let scalars = character.unicodeScalars
        guard let first = scalars.first, scalars.index(after: scalars.startIndex) == scalars.endIndex else {
            return nil
        }
        return first.value
    }

    /// The byte of a character that is one.
    static func byte(_ character: Character) -> UInt8? {
        guard let scalar = scalar(character), scalar < 0x80 else { return nil }
        return UInt8(scalar)
    }
}
