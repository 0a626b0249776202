extension PredicatePrinter {
    /// Writes an expression where everything looser than `minimum` needs parentheses.
    mutating func write(_ tree: ExpressionTree, within minimum: Precedence) {
        switch tree {
        case .constant(let value): write(value)
        case .selfObject: write("SELF")
        case .anyKey: write("ANYKEY")
        case .keyPath(let keys): writeKeys(keys)
        case .member(let base, let keys):
            writeBase(base)
            write(".")
            writeKeys(keys)
        case .variable(let name): write("$" + name)
        case .function(let selector, let arguments):
            writeFunction(selector, arguments, within: minimum)
        case .message(let receiver, let selector, let arguments):
            writeCall("FUNCTION", [receiver, .constant(.string(selector))] + arguments)
        case .aggregate(let elements): writeList(elements, "{", "}")
        case .subquery(let collection, let variable, let predicate):
            write("SUBQUERY(")
            write(collection, within: .set)
            write(", $\(variable), ")
            write(predicate, within: .or)
            write(")")
        case .conditional(let condition, let first, let second):
            write("TERNARY(")
            write(condition, within: .or)
            write(", ")
            writeList([first, second], "", ")")
        case .index(let base, let index): writeIndex(base, index)
        case .assignment(let variable, let value):
            parenthesized(minimum > .assignment) { printer in
                printer.write("$\(variable) := ")
                printer.write(value, within: .set)
            }
        case .fetch(let request, let context, let countOnly):
            writeCall("FETCH", [request, context, countOnly])
        case .setOperation(let operation, let first, let second):
            writeInfix(first, " \(operation.rawValue) ", second, .set, within: minimum)
        case .argument(let argument): write(argument)
        case .memberArgument(let base, let argument):
            writeBase(base)
            write(".")
            write(argument)
        }
    }

    /// Writes a placeholder, with its position when it is not simply the next one.
    private mutating func write(_ argument: PredicateArgument) {
        let isNext = argument.index == argumentCount
        write(isNext ? "%" : "%\(argument.index + 1)$")
        write(argument.conversion)
        if isNext { argumentCount += 1 }
    }

    private static let infixes: [String: (String, Precedence)] = {
        var infixes: [String: (String, Precedence)] = [:]
        for (symbol, (selector, precedence)) in Infix.functions where symbol != .modulus {
            infixes[selector] = (symbol.rawValue, precedence)
        }
        return infixes
    }()

    private mutating func writeFunction(
        _ selector: String, _ arguments: [ExpressionTree], within minimum: Precedence
    ) {
        if arguments.count == 2, let (symbol, precedence) = Self.infixes[selector] {
            // Apple's text has parentheses around each operation inside another: "a + (b * 2)" (Tests/base/NSPredicate
            // /arithmeticFunctionNames.m of gnustep/libs-base shows what OS X prints).
            parenthesized(precedence < minimum) { printer in
                printer.write(arguments[0], within: .unary)
                printer.write(" \(symbol) ")
                printer.write(arguments[1], within: .unary)
            }
        } else if selector == PredicateFunction.onesComplement, arguments.count == 1 {
            write("~")
            write(arguments[0], within: .unary)
        } else if selector == PredicateFunction.cast {
            writeCall("CAST", arguments)
        } else if arguments.count == 1, PredicateFunction.colons(in: selector) == 1 {
            writeCall(String(selector.dropLast()), arguments)
        } else {
            writeCall(selector, arguments)
        }
    }

    private mutating func writeInfix(
        _ left: ExpressionTree, _ symbol: String, _ right: ExpressionTree, _ precedence: Precedence,
        within minimum: Precedence
    ) {
        parenthesized(precedence < minimum) { printer in
            printer.write(left, within: precedence)
            printer.write(symbol)
            printer.write(right, within: precedence.next)
        }
    }

    private mutating func writeCall(_ name: String, _ arguments: [ExpressionTree]) {
        writeList(arguments, name + "(", ")")
    }

    private mutating func writeList(_ elements: [ExpressionTree], _ open: String, _ close: String) {
        write(open)
        for (index, element) in elements.enumerated() {
            if index > 0 { write(", ") }
            write(element, within: .set)
        }
        write(close)
    }

    private mutating func writeIndex(_ base: ExpressionTree, _ index: PredicateIndex) {
        writeBase(base)
        switch index {
        case .first: write("[FIRST]")
        case .last: write("[LAST]")
        case .size: write("[SIZE]")
        case .expression(.keyPath(let keys)) where keys.count == 1 && Keyword(word: keys[0]) != nil:
            // A key named first, last or size would be read as the word between brackets.
            write("[#\(keys[0])]")
        case .expression(let expression): writeList([expression], "[", "]")
        }
    }

    /// Writes what a dot or a bracket follows.
    private mutating func writeBase(_ base: ExpressionTree) {
        let isSign =
            if case .constant(let value) = base { value.isWrittenWithSign } else { base.isOperation }
        parenthesized(isSign) { $0.write(base, within: .assignment) }
    }

    /// Writes the keys of a path; reserved words and names that are no identifiers are escaped.
    private mutating func writeKeys(_ keys: [String]) {
        for (index, key) in keys.enumerated() {
            if index > 0 { write(".") }
            if Lexer.isIdentifier(key) {
                let isReserved = Keyword(word: key).map { !$0.isFreeAsKey } ?? false
                write(isReserved ? "#" + key : key)
            } else if key.first == "@", Lexer.isIdentifier(String(key.dropFirst())) {
                write(key)
            } else {
                write("#")
                writeQuoted(key)
            }
        }
    }
}

extension ExpressionTree {
    /// Whether the text of the expression is an operation that a dot would take apart.
    fileprivate var isOperation: Bool {
        switch self {
        case .function(let selector, let arguments):
            (arguments.count == 2 && Infix.functions.values.contains { $0.0 == selector })
                || selector == PredicateFunction.onesComplement
        case .assignment, .setOperation: true
        default: false
        }
    }
}
