import RecordModel
import RecordStorage
import TestSeeds

extension Random {
    static let fields: [(String, FieldType)] = [
        ("n", FieldType(.int64)), ("m", FieldType(.int64)), ("d", FieldType(.double)),
        ("t", FieldType(.string)),
        ("w", FieldType(.timestamp)), ("r", FieldType(.reference)), ("p", FieldType(.location)),
        ("ts", .list(.string)), ("ns", .list(.int64)), ("ds", .list(.double)),
    ]

    private static let texts = [
        "", "a", "A", "ab", "ä", "b", "z\u{10FFFF}", "\u{10FFFF}", "the Apple pie", "%", "a*", "\u{D7FF}x",
    ]

    mutating func scalar(_ scalar: FieldType.Scalar) -> FieldValue {
        switch scalar {
        case .string: .string(pick(Self.texts, else: ""))
        case .int64: .int64(pick([0, 1, 2, 3, -1, .max, .min], else: 0))
        case .double:
            .double(oneIn(3) ? Double(int(-5...5)) / 3 : pick([0, 0.1, 1, -2.5, 1e300, 1e-300], else: 0))
        case .timestamp: .timestamp(pick([0, 1, 1_700_000_000_000], else: 0))
        case .reference: .reference(Reference(recordName: pick(["a", "b"], else: "a")))
        default: .location(place())
        }
    }

    /// Any number that is finite and not too far from its neighbours.
    mutating func finiteDouble() -> Double {
        let value = Double(bitPattern: next())
        return value.isFinite ? value : 0.1
    }

    mutating func place() -> Location {
        Location(
            latitude: pick([-90, 0, 0.001, 10, 90], else: 0),
            longitude: pick([-180, 0, 0.001, 20, 180], else: 0))
    }

    /// The fields of a record, some of them missing.
    mutating func recordFields() -> [String: FieldValue] {
        var fields: [String: FieldValue] = [:]
        for (name, type) in Self.fields where !oneIn(4) {
            fields[name] =
                type.isList
                ? .list((0..<int(0...3)).map { _ in scalar(type.scalar) }, of: type.scalar)
                : scalar(type.scalar)
        }
        return fields
    }

    /// A field whose type is one of those that have an order.
    mutating func ordered(_ type: RecordType) -> FieldSchema? {
        type[pick(["n", "m", "d", "t", "w"], else: "n")]
    }

    mutating func condition(_ type: RecordType, depth: Int = 3) -> Condition {
        if depth > 0, oneIn(2) {
            switch int(0...3) {
            case 0: return .not(condition(type, depth: depth - 1))
            case 1: return .or((0..<int(0...3)).map { _ in condition(type, depth: depth - 1) })
            default: return .and((0..<int(0...3)).map { _ in condition(type, depth: depth - 1) })
            }
        }
        return leaf(type)
    }

    private static let comparisons: [Comparison] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]

    private mutating func leaf(_ type: RecordType) -> Condition {
        let comparison = pick(Self.comparisons, else: .equal)
        guard let field = ordered(type), let text = type["t"], let other = type["m"], let place = type["p"]
        else {
            return .constant(true)
        }
        let list = type[pick(["ts", "ns", "ds"], else: "ns")] ?? field
        let value = oneIn(8) ? StorageValue.null : ConditionModel.stored(scalar(field.type.scalar))
        let element = ConditionModel.stored(scalar(list.type.scalar))
        switch int(0...11) {
        case 0: return .constant(oneIn(2))
        case 1: return .among(.field(field), [value, ConditionModel.stored(scalar(field.type.scalar))])
        case 2: return .prefix(oneIn(3) ? .recordName : .field(text), pick(Self.texts, else: ""))
        case 3: return .text(.field(text), match())
        case 4: return .anyElement(.field(list), .compare(comparison, element))
        case 5:
            return .anyElement(
                .field(list), .among([element, ConditionModel.stored(scalar(list.type.scalar))]))
        case 6: return .anyElement(.field(type["ts"] ?? text), .text(match()))
        case 7: return .allValues(.field(list), [element, ConditionModel.stored(scalar(list.type.scalar))])
        case 8: return .elementCount(.field(list), comparison, Int64(int(0...3)))
        case 9:
            return .tokens(
                [.field(text)], pick([["apple"], ["apple", "pie"], ["pie", "x"]], else: []), all: oneIn(2))
        case 10:
            return .near(
                place, self.place(), metres: pick([0, 200, 2e6, 2e7, .greatestFiniteMagnitude], else: 0))
        default:
            if oneIn(4) { return .compareColumns(.field(type["n"] ?? field), comparison, .field(other)) }
            return .compare(.field(field), comparison, value)
        }
    }

    private mutating func match() -> TextMatch {
        let kinds: [TextMatch.Kind] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .contains, .beginsWith,
            .endsWith, .like,
        ]
        return TextMatch(
            pick(kinds, else: .equal), pick(Self.texts + ["?", "*", "a?*"], else: ""), ignoresCase: oneIn(2),
            ignoresDiacritics: oneIn(2))
    }

    mutating func sort(_ type: RecordType) -> [SortKey] {
        (0..<int(0...3)).compactMap { _ in
            if oneIn(6) { return SortKey(.column(.recordName), ascending: oneIn(2)) }
            if oneIn(6), let field = type["p"] {
                let (from, isAscending) = (place(), oneIn(2))
                return SortKey(
                    oneIn(2) ? .distance(field, from: from) : .nearness(field, to: from),
                    ascending: isAscending)
            }
            return ordered(type).map { SortKey(.column(.field($0)), ascending: oneIn(2)) }
        }
    }
}
