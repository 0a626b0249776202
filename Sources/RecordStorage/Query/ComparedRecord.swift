import Predicates
import RecordModel

/// A record of which many conditions are asked: what each of them would make of its texts and lists is made once.
///
/// So a condition costs its parts, each as much as it takes to go through the text or the list once: a text is folded once for each
/// way of folding and not for each part, and `IN` and the comparisons of a list's elements look values up.
public final class ComparedRecord<Source: ConditionSource> {
    private struct Folding: Hashable {
        var column: Column
        var options: PredicateOptions
    }

    private let source: Source
    private var texts: [Folding: FoldedText] = [:]
    private var lists: [Column: ListValue] = [:]
    private var listTexts: [Folding: [FoldedText]] = [:]
    private var words: [Column: Set<String>] = [:]

    /// Looks at a record.
    public init(_ source: Source) { self.source = source }

    /// Whether the condition holds; ``Condition`` has the rules.
    public func fulfils(_ condition: Condition) -> Bool {
        switch condition {
        case .constant(let value): value
        case .and(let parts): parts.allSatisfy(fulfils)
        case .or(let parts): parts.contains(where: fulfils)
        case .not(let part): !fulfils(part)
        case .compare(let column, let comparison, let wanted):
            comparison.holds(source.value(of: column), wanted)
        case .compareColumns(let left, let comparison, let right):
            comparison.holds(source.value(of: left), source.value(of: right))
        case .among(let column, let wanted):
            wanted.contains { [own = source.value(of: column)] in Comparison.equal.holds(own, $0) }
        case .prefix(let column, let start):
            if case .text(let text) = source.value(of: column) {
                text.utf8.starts(with: start.utf8)
            } else {
                false
            }
        case .text(let column, let match):
            text(column, match.options).map(match.accepts) ?? (match.kind == .notEqual)
        case .anyElement(let column, let test): anyElement(of: column, test)
        case .allValues(let column, let wanted): wanted.allSatisfy(list(column).contains)
        case .elementCount(let column, let comparison, let count):
            comparison.holds(.int(Int64(list(column).elements.count)), .int(count))
        case .tokens(let columns, let words, let all):
            all
                ? words.allSatisfy { word in columns.contains { self.words(of: $0).contains(word) } }
                : words.contains { word in columns.contains { self.words(of: $0).contains(word) } }
        case .near(let field, let place, let metres):
            source.location(field).map { $0.distanceMetres(to: place) <= metres } ?? false
        }
    }

    private func anyElement(of column: Column, _ test: ElementTest) -> Bool {
        let list = list(column)
        switch test {
        case .compare(.equal, let wanted): return list.contains(wanted)
        case .compare(let comparison, let wanted):
            return list.elements.contains { comparison.holds($0, wanted) }
        case .among(let wanted): return wanted.contains(where: list.contains)
        case .text(let match):
            let texts = texts(column, match.options)
            // What is no text differs from every text.
            return texts.contains(where: match.accepts)
                || match.kind == .notEqual && texts.count < list.elements.count
        }
    }

    private func text(_ column: Column, _ options: PredicateOptions) -> FoldedText? {
        let folding = Folding(column: column, options: options)
        if let known = texts[folding] { return known }
        guard case .text(let text) = source.value(of: column) else { return nil }
        let made = FoldedText(text, options: options)
        texts[folding] = made
        return made
    }

    private func texts(_ column: Column, _ options: PredicateOptions) -> [FoldedText] {
        let folding = Folding(column: column, options: options)
        if let known = listTexts[folding] { return known }
        let made = list(column).elements.compactMap { element in
            if case .text(let text) = element { FoldedText(text, options: options) } else { nil }
        }
        listTexts[folding] = made
        return made
    }

    private func list(_ column: Column) -> ListValue {
        if let known = lists[column] { return known }
        let made = ListValue(source.elements(of: column))
        lists[column] = made
        return made
    }

    private func words(of column: Column) -> Set<String> {
        if let known = words[column] { return known }
        var found: Set<String> = []
        for case .text(let text) in [source.value(of: column)] + list(column).elements {
            found.formUnion(TextTokens.words(of: text))
        }
        words[column] = found
        return found
    }
}

/// The elements of a list, found by their values.
private struct ListValue {
    let elements: [StorageValue]
    private let values: Set<EqualValue>

    init(_ elements: [StorageValue]) {
        self.elements = elements
        values = Set(elements.map(EqualValue.init))
    }

    func contains(_ value: StorageValue) -> Bool { values.contains(EqualValue(value)) }
}

/// A value that is equal where ``StorageValue/order(_:)`` says so: numbers by what they are worth, texts by their bytes.
private enum EqualValue: Hashable {
    case null
    case int(Int64)
    case double(Double)
    case text(Bytes)

    struct Bytes: Hashable {
        let text: String
        static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    init(_ value: StorageValue) {
        switch value {
        case .null: self = .null
        case .int(let number): self = .int(number)
        case .double(let number): self = Int64(exactly: number).map { .int($0) } ?? .double(number)
        case .text(let text): self = .text(Bytes(text: text))
        }
    }
}
