/// A pattern of `?` and `*`.
struct LikePattern {
    enum Element {
        case character(Character)
        case one
        case run
    }

    let elements: [Element]

    init(_ pattern: String) {
        var elements: [Element] = []
        var isEscaped = false
        for character in pattern {
            switch character {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "?" where !isEscaped: elements.append(.one)
            case "*" where !isEscaped: elements.append(.run)
            default: elements.append(.character(character))
            }
            isEscaped = false
        }
        if isEscaped { elements.append(.character("\\")) }
        self.elements = elements
    }

    /// What has to follow each other: the parts between the runs, empty ones at the ends where a run is there.
    ///
    /// - Parameter symbol: the symbol of a character; nil for one that no text has.
    /// - Returns: nil where a character has no symbol.
    func parts<Symbol: FixedWidthInteger & UnsignedInteger & Sendable>(
        _ symbol: (Character) -> Symbol?
    ) -> [PatternPart<Symbol>]? {
        var parts: [[PatternElement<Symbol>]] = [[]]
        for element in elements {
            switch element {
            case .run: parts.append([])
            case .one: parts[parts.count - 1].append(.any)
            case .character(let character):
                guard let symbol = symbol(character) else { return nil }
                parts[parts.count - 1].append(.symbol(symbol))
            }
        }
        return parts.map { PatternPart($0) }
    }

    /// Whether the parts make up the whole text: the first at its start, the last at its end, the others in between, each at
    /// the first place where it is found. One that is further on never helps those after it.
    func match<Symbol: FixedWidthInteger & UnsignedInteger & Sendable>(
        _ parts: [PatternPart<Symbol>], _ text: UnsafeBufferPointer<Symbol>, check: () throws -> Void
    ) rethrows -> Bool {
        guard let first = parts.first, let last = parts.last, text.count >= first.count,
            first.matches(text, at: 0)
        else { return false }
        guard parts.count > 1 else { return text.count == first.count }
        var low = first.count
        let high = text.count - last.count
        guard low <= high, last.matches(text, at: high) else { return false }
        for part in parts.dropFirst().dropLast() where part.count > 0 {
            guard let place = try part.find(in: text, from: low, upTo: high, check: check) else {
                return false
            }
            low = place + part.count
        }
        return true
    }
}

/// A character of a pattern.
enum PatternElement<Symbol: FixedWidthInteger & UnsignedInteger & Sendable> {
    case symbol(Symbol)
    /// Any one.
    case any
}

/// Characters that follow each other in a text.
struct PatternPart<Symbol: FixedWidthInteger & UnsignedInteger & Sendable> {
    private let elements: [PatternElement<Symbol>]
    /// The symbols, where there is no ``PatternElement/any`` among them; and for each how long the longest start is that also
    /// ends there (Knuth, Morris and Pratt).
    private let plain: (symbols: [Symbol], starts: [Int])?

    init(_ elements: [PatternElement<Symbol>]) {
        self.elements = elements
        var symbols: [Symbol] = []
        for case .symbol(let symbol) in elements { symbols.append(symbol) }
        guard symbols.count == elements.count else {
            plain = nil
            return
        }
        var starts = Array(repeating: 0, count: symbols.count)
        var length = 0
        for place in symbols.indices.dropFirst() {
            while length > 0, symbols[place] != symbols[length] { length = starts[length - 1] }
            if symbols[place] == symbols[length] { length += 1 }
            starts[place] = length
        }
        plain = (symbols, starts)
    }

    var count: Int { elements.count }

    /// Whether the part is at a place of a text, which has room for it.
    func matches(_ text: UnsafeBufferPointer<Symbol>, at place: Int) -> Bool {
        for (offset, element) in elements.enumerated() {
            if case .symbol(let symbol) = element, text[place + offset] != symbol { return false }
        }
        return true
    }

    /// The first place from one place up to another where the part is; nil for none.
    func find(
        in text: UnsafeBufferPointer<Symbol>, from low: Int, upTo high: Int, check: () throws -> Void
    ) rethrows -> Int? {
        guard high - low >= count else { return nil }
        guard count > 0 else { return low }
        if let plain { return try find(plain, in: text, low, high, check) }
        return try findAny(in: text, low, high, check)
    }

    private func find(
        _ plain: (symbols: [Symbol], starts: [Int]), in text: UnsafeBufferPointer<Symbol>, _ low: Int,
        _ high: Int, _ check: () throws -> Void
    ) rethrows -> Int? {
        try plain.symbols.withUnsafeBufferPointer { symbols in
            try plain.starts.withUnsafeBufferPointer { starts in
                var length = 0
                for place in low..<high {
                    if place % StringFolding.stepsPerCheck == 0 { try check() }
                    let symbol = text[place]
                    while length > 0, symbol != symbols[length] { length = starts[length - 1] }
                    if symbol == symbols[length] { length += 1 }
                    if length == symbols.count { return place + 1 - length }
                }
                return nil
            }
        }
    }

    /// All places at once, a bit for each start that fits so far (Baeza-Yates and Gonnet).
    private func findAny(
        in text: UnsafeBufferPointer<Symbol>, _ low: Int, _ high: Int, _ check: () throws -> Void
    ) rethrows -> Int? {
        let words = (count + 63) / 64
        var anything = [UInt64](repeating: 0, count: words)
        var own: [Symbol: [UInt64]] = [:]
        for (place, element) in elements.enumerated() {
            if case .any = element { anything[place / 64] |= 1 << UInt64(place % 64) }
        }
        for (place, element) in elements.enumerated() {
            if case .symbol(let symbol) = element {
                own[symbol, default: anything][place / 64] |= 1 << UInt64(place % 64)
            }
        }
        let (last, end) = (words - 1, UInt64(1) << UInt64((count - 1) % 64))
        var fitting = [UInt64](repeating: 0, count: words)
        for place in low..<high {
            if place * words % StringFolding.stepsPerCheck < words { try check() }
            let mask = own[text[place]] ?? anything
            var carry: UInt64 = 1
            for word in 0..<words {
                let next = fitting[word] >> 63
                fitting[word] = (fitting[word] << 1 | carry) & mask[word]
                carry = next
            }
            if fitting[last] & end != 0 { return place + 1 - count }
        }
        return nil
    }
}
