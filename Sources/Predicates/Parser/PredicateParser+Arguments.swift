/// A piece of a key path: its keys, or a `%K` without a value.
enum KeyPathPart {
    case parts([String])
    case placeholder(PredicateArgument)
}

extension PredicateParser {
    /// Reads a `%` argument where a value is expected.
    mutating func parseArgument(_ conversion: String) throws(PredicateFormatError) -> Node {
        let start = current.start
        if conversion == "K" {
            switch try parseKeyPathArgument() {
            case .parts(let parts): return Node(.path(parts, of: .selfObject), start: start)
            case .placeholder(let argument): return Node(.argument(argument), start: start)
            }
        }
        let index = nextArgumentIndex()
        guard case .values(let values) = arguments else {
            advance()
            return Node(.argument(PredicateArgument(conversion: conversion, index: index)), start: start)
        }
        let value = try argument(index, of: values)
        let expression = try convert(value, conversion: conversion)
        advance()
        return Node(expression, start: start)
    }

    /// Reads a `%K`.
    mutating func parseKeyPathArgument() throws(PredicateFormatError) -> KeyPathPart {
        let index = nextArgumentIndex()
        guard case .values(let values) = arguments else {
            advance()
            return .placeholder(PredicateArgument(conversion: "K", index: index))
        }
        let value = try argument(index, of: values)
        guard case .string(let path) = PredicateValue(value) else {
            throw error(.argumentType(conversion: "K", type: Self.typeName(of: value)))
        }
        let parts: [String]
        switch ExpressionTree.path(path) {
        case .keyPath(let keys): parts = keys
        case .selfObject: parts = []
        default: throw error(.badKeyPath(path))
        }
        advance()
        return .parts(parts)
    }

    /// The position in the list of the argument at the current token.
    private mutating func nextArgumentIndex() -> Int {
        if case .argument(_, let position?) = current.kind { return position }
        defer { argumentCount += 1 }
        return argumentCount
    }

    private func argument(_ index: Int, of values: [Any?]) throws(PredicateFormatError) -> Any? {
        guard values.indices.contains(index) else {
            throw error(.argumentMissing(index: index, count: values.count))
        }
        return values[index]
    }

    /// The expression for an argument, by what the conversion takes.
    private func convert(_ any: Any?, conversion: String) throws(PredicateFormatError) -> ExpressionTree {
        if let expression = any as? any ExpressionTreeConvertible { return expression.expressionTree }
        let value = PredicateValue(any)
        let mismatch = PredicateFormatError.Kind.argumentType(
            conversion: conversion, type: Self.typeName(of: any))
        switch conversion.last {
        case "@", "p": return .constant(value)
        case "s", "S", "c", "C":
            if case .string = value { return .constant(value) }
            guard conversion.lowercased().hasSuffix("c"), case .int = value else { throw error(mismatch) }
            return .constant(value)
        case "f", "F", "e", "E", "g", "G", "a", "A":
            guard let number = Self.double(value) else { throw error(mismatch) }
            return .constant(number)
        default:
            guard let number = Self.integer(value) else { throw error(mismatch) }
            return .constant(number)
        }
    }

    /// The number for a conversion such as %d. A width smaller than the value does not cut it: real code
    /// passes 64-bit integers to %d and means the whole number.
    private static func integer(_ value: PredicateValue) -> PredicateValue? {
        switch value {
        case .int, .decimal: value
        case .bool(let flag): .int(flag ? 1 : 0)
        case .double(let number): Int64(exactly: number.rounded(.towardZero)).map { .int($0) }
        default: nil
        }
    }

    private static func double(_ value: PredicateValue) -> PredicateValue? {
        switch value {
        case .double, .decimal: value
        case .int(let number): .double(Double(number))
        case .bool(let flag): .double(flag ? 1 : 0)
        default: nil
        }
    }

    private static func typeName(of any: Any?) -> String { any.map { "\(type(of: $0))" } ?? "nil" }
}

/// An object that is an expression itself when it is passed for `%@`.
protocol ExpressionTreeConvertible {
    var expressionTree: ExpressionTree { get }
}
