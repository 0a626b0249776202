internal import SQLiteAccess
internal import StratusCoreData

// The functions of the language, in SQL where SQLite computes the same, and in Swift where it does not.

extension PredicateCompiler {
    func function(_ selector: String, _ arguments: [ExpressionTree], _ row: RowSource) throws -> Operand {
        let operands = try arguments.map { try operand($0, row) }
        if let constant = try constant(selector, operands) { return constant }
        if PredicateFunction.statistics.contains(selector) {
            return operands.count == 1
                ? try statistic(selector, operands[0]) : try statistic(selector, .list(operands))
        }
        switch (selector, operands.count) {
        case ("now", 0): return .constant(.date(now))
        case ("random", 0): return .scalar(Scalar(text: "stratus_random('random', '')", kind: .real))
        case (PredicateFunction.cast, 2): return .scalar(try cast(operands[0], operands[1]))
        case (_, 1): return .scalar(try unary(selector, try scalar(operands[0], selector)))
        case (_, 2):
            return .scalar(
                try binary(selector, try scalar(operands[0], selector), try scalar(operands[1], selector)))
        default: throw CoreDataError.notInSQL("The function \(selector)")
        }
    }

    /// What a function of constants gives.
    private func constant(_ selector: String, _ operands: [Operand]) throws -> Operand? {
        guard !operands.isEmpty, !selector.hasPrefix("random") else { return nil }
        var values: [ExpressionTree] = []
        for operand in operands {
            guard case .constant(let value) = operand else { return nil }
            values.append(.constant(value))
        }
        do { return .constant(try ExpressionTree.function(selector, values).value(on: nil)) } catch {
            throw CoreDataError.evaluation(error)
        }
    }

    /// `FUNCTION(receiver, 'selector', …)`.
    func message(
        _ selector: String, _ receiver: ExpressionTree, _ arguments: [ExpressionTree], _ row: RowSource
    ) throws -> Operand {
        let target = try operand(receiver, row)
        if arguments.isEmpty { return try follow([selector], from: target, path: selector) }
        guard selector == "dateByAddingTimeInterval:", arguments.count == 1 else {
            throw CoreDataError.notInSQL("FUNCTION with the selector '\(selector)'")
        }
        return .scalar(
            try binary(
                PredicateFunction.add, try scalar(target, selector),
                try scalar(try operand(arguments[0], row), selector)))
    }

    private func call(_ selector: String, _ values: [Scalar], _ kind: SQLKind) -> Scalar {
        let name = selector.hasPrefix("random") ? "stratus_random" : "stratus_value"
        var text: SQLPiece = "\(name)('\(selector)', '\(String(values.map(\.kind.letter)))'"
        for value in values { text.append(", \(value.text)" as SQLPiece) }
        text.append(")")
        return Scalar(text: text, kind: kind)
    }

    // MARK: One argument

    private func unary(_ selector: String, _ value: Scalar) throws -> Scalar {
        if value.kind == .nothing { return value }
        switch selector {
        case "noindex:": return Scalar(text: "+\(value.text)", kind: value.kind, path: value.path)
        case "uppercase:", "lowercase:", "canonical:", "length:":
            guard value.kind == .string else { throw CoreDataError.badArgument(selector, value.kind.name) }
            return call(selector, [value], selector == "length:" ? .int : .string)
        case "onesComplement:":
            if value.kind == .int { return Scalar(text: "(~\(value.text))", kind: .int) }
            guard value.kind == .number || value.kind == .exact else {
                throw CoreDataError.badArgument(selector, value.kind.name)
            }
            return call(selector, [value], .int)
        case "abs:", "floor:", "ceiling:", "trunc:":
            guard value.kind.isNumber else { throw CoreDataError.badArgument(selector, value.kind.name) }
            switch value.kind {
            case .int where selector != "abs:": return value
            case .int, .number, .exact: return call(selector, [value], .number)
            default: return call(selector, [value], .real)
            }
        case "sqrt:", "log:", "ln:", "exp:":
            guard value.kind.isNumber else { throw CoreDataError.badArgument(selector, value.kind.name) }
            return call(selector, [value], .real)
        case "random:", "randomn:":
            guard value.kind == .int else { throw CoreDataError.badArgument(selector, value.kind.name) }
            return call(selector, [value], .int)
        default: throw CoreDataError.notInSQL("The function \(selector)")
        }
    }

    // MARK: Two arguments

    private func binary(_ selector: String, _ left: Scalar, _ right: Scalar) throws -> Scalar {
        switch selector {
        case PredicateFunction.add, PredicateFunction.subtract, PredicateFunction.multiply,
            PredicateFunction.divide, PredicateFunction.modulus, PredicateFunction.power:
            return try arithmetic(selector, left, right)
        case PredicateFunction.bitwiseAnd, PredicateFunction.bitwiseOr, PredicateFunction.bitwiseXor,
            PredicateFunction.leftShift, PredicateFunction.rightShift:
            return try bitwise(selector, left, right)
        default: throw CoreDataError.notInSQL("The function \(selector)")
        }
    }

    private static let signs: [String: String] = [
        PredicateFunction.add: "+", PredicateFunction.subtract: "-", PredicateFunction.multiply: "*",
        PredicateFunction.divide: "/", PredicateFunction.bitwiseAnd: "&", PredicateFunction.bitwiseOr: "|",
        PredicateFunction.leftShift: "<<", PredicateFunction.rightShift: ">>",
    ]

    private func arithmetic(_ selector: String, _ left: Scalar, _ right: Scalar) throws -> Scalar {
        if left.kind == .nothing || right.kind == .nothing { return Scalar(text: "NULL", kind: .nothing) }
        if left.kind == .date || right.kind == .date { return try dateArithmetic(selector, left, right) }
        guard left.kind.isNumber, right.kind.isNumber else {
            throw CoreDataError.badArgument(selector, "\(left.kind.name) and \(right.kind.name)")
        }
        let isPlain = left.kind.isPlainNumber && right.kind.isPlainNumber
        let isReal = left.kind == .real || right.kind == .real
        if isPlain, let sign = Self.signs[selector] {
            return Scalar(text: "(\(left.text) \(sign) \(right.text))", kind: isReal ? .real : .number)
        }
        let kind: SQLKind = isReal ? .real : isPlain ? .number : .exact
        return call(selector, [left, right], kind)
    }

    private func dateArithmetic(_ selector: String, _ left: Scalar, _ right: Scalar) throws -> Scalar {
        switch (selector, left.kind, right.kind) {
        case (PredicateFunction.subtract, .date, .date):
            return Scalar(text: "CAST(\(left.text) - \(right.text) AS REAL)", kind: .real)
        case (PredicateFunction.add, .date, let other) where other.isPlainNumber,
            (PredicateFunction.subtract, .date, let other) where other.isPlainNumber,
            (PredicateFunction.add, let other, .date) where other.isPlainNumber:
            let sign = selector == PredicateFunction.add ? "+" : "-"
            return Scalar(
                text: "(CAST(\(left.text) AS REAL) \(sign) CAST(\(right.text) AS REAL))", kind: .date)
        case (PredicateFunction.add, _, _) where left.kind.isNumber || right.kind.isNumber,
            (PredicateFunction.subtract, .date, _) where right.kind.isNumber:
            return call(selector, [left, right], .date)
        default: throw CoreDataError.badArgument(selector, "\(left.kind.name) and \(right.kind.name)")
        }
    }

    private func bitwise(_ selector: String, _ left: Scalar, _ right: Scalar) throws -> Scalar {
        if left.kind == .nothing || right.kind == .nothing { return Scalar(text: "NULL", kind: .nothing) }
        for kind in [left.kind, right.kind] where !kind.isNumber || kind == .decimal {
            throw CoreDataError.badArgument(selector, kind.name)
        }
        let areWhole = [left.kind, right.kind].allSatisfy { $0 == .int || $0 == .bool }
        if areWhole, let sign = Self.signs[selector] {
            return Scalar(text: "(\(left.text) \(sign) \(right.text))", kind: .int)
        }
        return call(selector, [left, right], .int)
    }

    // MARK: Conversions

    private func cast(_ operand: Operand, _ type: Operand) throws -> Scalar {
        guard case .constant(.string(let name)) = type, let target = Self.castKinds[name] else {
            throw CoreDataError.notInSQL(
                "CAST to this type", "Cast to \(Self.castKinds.keys.sorted().joined(separator: ", ")).")
        }
        let value = try scalar(operand, "CAST")
        switch value.kind {
        case .nothing: return value
        case .object, .entity, .opaque: throw CoreDataError.badArgument("CAST", value.kind.name)
        default: break
        }
        let text: SQLPiece =
            "stratus_value('\(PredicateFunction.cast)', \(bind: .text(name)), '\(String(value.kind.letter))', \(value.text))"
        // A number that is cast to one stays what it is.
        let kind = name == "NSNumber" ? (value.kind.isPlainNumber ? value.kind : .exact) : target
        return Scalar(text: text, kind: kind)
    }

    private static let castKinds: [String: SQLKind] = [
        "NSDate": .date, "Date": .date, "NSNumber": .number, "NSDecimalNumber": .exact, "Decimal": .exact,
        "Double": .real, "NSString": .string, "String": .string, "NSData": .data, "Data": .data,
        "NSUUID": .uuid, "UUID": .uuid, "NSURL": .url, "URL": .url,
    ]

    /// What a value offers by key.
    func property(_ key: String, of value: Scalar, _ path: String) throws -> Scalar {
        if key == "self" { return value }
        let kind: SQLKind?
        switch (value.kind, key) {
        case (.string, "length"): kind = .int
        case (.string, "uppercaseString"), (.string, "uppercased"), (.string, "lowercaseString"),
            (.string, "lowercased"), (.string, "capitalizedString"), (.string, "capitalized"),
            (.string, "lastPathComponent"), (.string, "pathExtension"):
            kind = .string
        case (.date, "timeIntervalSinceReferenceDate"), (.date, "timeIntervalSince1970"): kind = .real
        case (.url, "absoluteString"), (.url, "path"), (.url, "host"), (.url, "scheme"),
            (.url, "lastPathComponent"), (.url, "pathExtension"), (.uuid, "uuidString"),
            (.uuid, "UUIDString"):
            kind = .string
        case (.data, "length"): kind = .int
        case (let number, "stringValue") where number.isNumber: kind = .string
        case (let number, "intValue") where number.isNumber || number == .string,
            (let number, "integerValue") where number.isNumber || number == .string,
            (let number, "longLongValue") where number.isNumber || number == .string:
            kind = .int
        case (let number, "doubleValue") where number.isNumber || number == .string,
            (let number, "floatValue") where number.isNumber || number == .string:
            kind = .real
        case (let number, "boolValue") where number.isNumber || number == .string: kind = .bool
        default: kind = nil
        }
        guard let kind else {
            throw CoreDataError.notInSQL("The key '\(key)' of \(value.kind.name), in '\(path)',")
        }
        return Scalar(
            text: "stratus_property('\(key)', '\(String(value.kind.letter))', \(value.text))", kind: kind,
            path: path)
    }
}
