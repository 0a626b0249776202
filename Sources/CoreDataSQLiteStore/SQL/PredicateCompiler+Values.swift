internal import SQLiteAccess
internal import StratusCoreData

// How values of different kinds meet.

/// A constant for a comparison with an expression of some kind.
enum EncodedConstant {
    /// Compare with this.
    case value(SQLBinding)
    /// Compare with this number, of which the decimal number that it stands for lies before or after the
    /// constant.
    case near(Double, ComparisonOrder)
    /// Never equal, and without an order.
    case never
    /// SQLite compares otherwise than the language.
    case inSwift
}

/// How two expressions are compared.
enum KindPairing {
    case native, asReal, inSwift, never
}

extension PredicateCompiler {
    /// Integers up to here are exact as floating-point numbers.
    private static let exactLimit = 0x1p53

    func encoded(_ value: PredicateValue, for kind: SQLKind) -> EncodedConstant {
        if kind.isNumber { return number(value, for: kind) }
        switch (kind, value) {
        case (.string, .string(let text)): return .value(.text(text))
        case (.date, .date(let date)):
            let seconds = date.timeIntervalSinceReferenceDate
            return seconds.isNaN ? .never : .value(.double(seconds))
        case (.uuid, .uuid), (.url, .url), (.data, .data):
            return SQLBinding(value).map { .value($0) } ?? .never
        case (.object(let root), .object(let box)):
            guard let objectID = Self.objectID(box.base), objectID.rootNumber == root,
                let key = objectID.rowKey, objectID.storeIdentifier == storeIdentifier
            else { return .never }
            return .value(.int(key))
        case (.entity, .object(let box)):
            guard let entity = box.base as? NSEntityDescription, let table = layout.table(of: entity) else {
                return .never
            }
            return .value(.int(Int64(table.number)))
        default: return .never
        }
    }

    private static func objectID(_ any: Any) -> NSManagedObjectID? {
        (any as? NSManagedObjectID) ?? (any as? NSManagedObject)?.objectID
    }

    private func number(_ value: PredicateValue, for kind: SQLKind) -> EncodedConstant {
        switch (value, kind) {
        case (.double(let number), _) where number.isNaN: return .never
        case (.bool, .exact), (.int, .exact), (.double, .exact), (.decimal, .exact): return .inSwift
        case (.bool(let flag), _): return .value(.int(flag ? 1 : 0))
        case (.int(let number), _): return .value(.int(number))
        case (.double(let number), .decimal):
            return abs(number) < Self.exactLimit ? .value(.double(number)) : .inSwift
        case (.double(let number), _): return .value(.double(number))
        case (.decimal(let number), .real): return .value(.double(number.nearestDouble))
        case (.decimal(let number), .decimal):
            if let whole = number.exactInteger { return .value(.int(whole)) }
            let near = number.nearestDouble
            let stored = Decimal(stored: near)
            return .near(near, stored < number ? .ascending : stored > number ? .descending : .equal)
        case (.decimal(let number), .int), (.decimal(let number), .bool):
            return number.exactInteger.map { .value(.int($0)) } ?? .inSwift
        case (.decimal, _): return .inSwift
        default: return .never
        }
    }

    func pairing(_ left: SQLKind, _ right: SQLKind) -> KindPairing {
        if left.isNumber, right.isNumber {
            switch (left, right) {
            case (.exact, _), (_, .exact), (.decimal, .number), (.number, .decimal): return .inSwift
            case (.decimal, .real), (.real, .decimal): return .asReal
            default: return .native
            }
        }
        if left == .nothing || right == .nothing { return .native }
        return left == right && left != .opaque ? .native : .never
    }

    // MARK: Texts

    /// The options that change what is compared.
    private func folding(_ options: PredicateOptions) -> PredicateOptions {
        options.contains(.normalized)
            ? [] : options.intersection([.caseInsensitive, .diacriticInsensitive])
    }

    func folded(_ text: SQLPiece, _ options: PredicateOptions) -> SQLPiece {
        let folding = folding(options)
        return folding.isEmpty ? text : "stratus_fold(\(text), \(String(folding.rawValue)))"
    }

    func folded(_ binding: SQLBinding, _ options: PredicateOptions) -> SQLBinding {
        guard case .text(let text) = binding else { return binding }
        return .text(StringFolding.fold(text, options: folding(options)))
    }

    func isFolding(_ options: PredicateOptions) -> Bool { !folding(options).isEmpty }
}

extension Decimal {
    /// The number as an integer, where it is one that fits.
    fileprivate var exactInteger: Int64? {
        guard let whole = Int64("\(self)") else { return nil }
        return whole
    }
}
