internal import Foundation

extension PredicatePrinter {
    /// Writes a constant so that it reads back as the same value.
    mutating func write(_ value: PredicateValue) {
        switch value {
        case .null: write("nil")
        case .bool(let flag): write(flag ? "YES" : "NO")
        case .int(let number): write(String(number))
        case .double(let number): writeDouble(number)
        case .decimal(let number): writeDecimal(number)
        case .string(let text): writeQuoted(text)
        case .date(let date):
            write("CAST(")
            writeDouble(date.timeIntervalSinceReferenceDate)
            write(", \"NSDate\")")
        case .data(let data): writeCast(.string(data.base64EncodedString()), "NSData")
        case .uuid(let uuid): writeCast(.string(uuid.uuidString), "NSUUID")
        case .url(let url): writeCast(.string(url.absoluteString), "NSURL")
        case .list(let values): writeList(values)
        case .set(let values):
            // Sorted by text, so that equal sets have equal texts.
            let texts = values.map(\.description).sorted()
            write("CAST({" + texts.joined(separator: ", ") + "}, \"NSSet\")")
        case .dictionary(let entries):
            let pairs = entries.sorted { $0.key < $1.key }
            writeCast(.list(pairs.flatMap { [.string($0.key), $0.value] }), "NSDictionary")
        case .object(let object): write("<\(object.base)>")
        }
    }

    private mutating func writeCast(_ value: PredicateValue, _ type: String) {
        write("CAST(")
        write(value)
        write(", \"\(type)\")")
    }

    private mutating func writeList(_ values: [PredicateValue]) {
        write("{")
        for (index, value) in values.enumerated() {
            if index > 0 { write(", ") }
            write(value)
        }
        write("}")
    }

    private mutating func writeDouble(_ number: Double) {
        if number.isFinite { write("\(number)") } else { writeCast(.string("\(number)"), "Double") }
    }

    /// A whole number beyond Int64 is its own literal; any other decimal needs its type.
    private mutating func writeDecimal(_ number: Decimal) {
        let digits = "\(number)"
        let isLiteral =
            digits.utf8.count > 18 && digits.utf8.count <= 38 && Int64(digits) == nil
            && digits.utf8.allSatisfy { Lexer.isDigit($0) }
        if isLiteral { write(digits) } else { writeCast(.string(digits), "NSDecimalNumber") }
    }

    /// Writes text between double quotes.
    mutating func writeQuoted(_ text: String) {
        write("\"")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": write("\\\"")
            case "\\": write("\\\\")
            case "\n": write("\\n")
            case "\t": write("\\t")
            case "\r": write("\\r")
            case "\0"..<" ": write("\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16))
            default: write(String(scalar))
            }
        }
        write("\"")
    }
}

extension PredicateValue {
    /// Whether the text begins with a minus, or ends with a digit that a dot would join.
    var isWrittenWithSign: Bool {
        switch self {
        case .int(let number): number < 0
        case .double(let number): number.sign == .minus
        default: false
        }
    }
}
