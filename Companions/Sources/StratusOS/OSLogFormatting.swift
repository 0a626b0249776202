internal import Foundation

/// How wide a value is at least, and where in that width it stands.
public struct OSLogStringAlignment: Sendable {
    private let columns: (@Sendable () -> Int)?
    private let isLeft: Bool

    /// As wide as the value.
    public static var none: OSLogStringAlignment { OSLogStringAlignment(columns: nil, isLeft: false) }
    /// At the right, without a width.
    public static var right: OSLogStringAlignment { .none }
    /// At the left, without a width.
    public static var left: OSLogStringAlignment { .none }
    /// At the right of so many columns.
    public static func right(columns: @autoclosure @escaping @Sendable () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isLeft: false)
    }
    /// At the left of so many columns.
    public static func left(columns: @autoclosure @escaping @Sendable () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isLeft: true)
    }

    func apply(to text: String) -> String {
        let missing = (columns?() ?? 0) - text.count
        guard missing > 0 else { return text }
        let space = String(repeating: " ", count: missing)
        return isLeft ? text + space : space + text
    }
}

/// How a Boolean appears.
public enum OSLogBoolFormat: Sendable {
    /// `true` or `false`.
    case truth
    /// `yes` or `no`.
    case answer

    func apply(to value: Bool) -> String {
        switch self {
        case .truth: value ? "true" : "false"
        case .answer: value ? "yes" : "no"
        }
    }
}

/// How an integer appears.
public struct OSLogIntegerFormatting: Sendable {
    private var radix = 10
    private var prefix = ""
    private var isUppercase = false
    private var hasSign = false
    private var minDigits: (@Sendable () -> Int)?

    /// Decimal.
    public static var decimal: OSLogIntegerFormatting { OSLogIntegerFormatting() }

    /// Decimal, with a sign before positive numbers where asked.
    public static func decimal(explicitPositiveSign: Bool = false) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(hasSign: explicitPositiveSign)
    }

    /// Decimal, with zeros before it up to so many digits.
    public static func decimal(
        explicitPositiveSign: Bool = false, minDigits: @autoclosure @escaping @Sendable () -> Int
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(hasSign: explicitPositiveSign, minDigits: minDigits)
    }

    /// Hexadecimal in lower case.
    public static var hex: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 16) }

    /// Hexadecimal.
    public static func hex(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(
            radix: 16, prefix: includePrefix ? "0x" : "", isUppercase: uppercase,
            hasSign: explicitPositiveSign)
    }

    /// Hexadecimal, with zeros before it up to so many digits.
    public static func hex(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false,
        minDigits: @autoclosure @escaping @Sendable () -> Int
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(
            radix: 16, prefix: includePrefix ? "0x" : "", isUppercase: uppercase,
            hasSign: explicitPositiveSign,
            minDigits: minDigits)
    }

    /// Octal.
    public static var octal: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 8) }

    /// Octal.
    public static func octal(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(
            radix: 8, prefix: includePrefix ? "0o" : "", isUppercase: uppercase, hasSign: explicitPositiveSign
        )
    }

    /// Octal, with zeros before it up to so many digits.
    public static func octal(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false,
        minDigits: @autoclosure @escaping @Sendable () -> Int
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(
            radix: 8, prefix: includePrefix ? "0o" : "", isUppercase: uppercase,
            hasSign: explicitPositiveSign,
            minDigits: minDigits)
    }

    func apply(to number: some FixedWidthInteger) -> String {
        var digits = String(number.magnitude, radix: radix, uppercase: isUppercase)
        let missing = (minDigits?() ?? 0) - digits.count
        if missing > 0 { digits = String(repeating: "0", count: missing) + digits }
        return (number < 0 ? "-" : hasSign ? "+" : "") + prefix + digits
    }
}

/// How a floating-point number appears.
public struct OSLogFloatFormatting: Sendable {
    private let conversion: String
    private var hasSign = false
    private var isUppercase = false
    private var precision: (@Sendable () -> Int)?

    /// As a fraction with six digits after the point.
    public static var fixed: OSLogFloatFormatting { fixed() }
    /// As a fraction.
    public static func fixed(explicitPositiveSign: Bool = false, uppercase: Bool = false)
        -> OSLogFloatFormatting
    {
        OSLogFloatFormatting(conversion: "f", hasSign: explicitPositiveSign, isUppercase: uppercase)
    }
    /// As a fraction with so many digits after the point.
    public static func fixed(
        precision: @autoclosure @escaping @Sendable () -> Int, explicitPositiveSign: Bool = false,
        uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting(
            conversion: "f", hasSign: explicitPositiveSign, isUppercase: uppercase, precision: precision)
    }

    /// As a hexadecimal fraction with an exponent.
    public static var hex: OSLogFloatFormatting { hex() }
    /// As a hexadecimal fraction with an exponent.
    public static func hex(explicitPositiveSign: Bool = false, uppercase: Bool = false)
        -> OSLogFloatFormatting
    {
        OSLogFloatFormatting(conversion: "a", hasSign: explicitPositiveSign, isUppercase: uppercase)
    }

    /// With an exponent.
    public static var exponential: OSLogFloatFormatting { exponential() }
    /// With an exponent.
    public static func exponential(
        explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting(conversion: "e", hasSign: explicitPositiveSign, isUppercase: uppercase)
    }
    /// With an exponent, and so many digits after the point.
    public static func exponential(
        precision: @autoclosure @escaping @Sendable () -> Int, explicitPositiveSign: Bool = false,
        uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting(
            conversion: "e", hasSign: explicitPositiveSign, isUppercase: uppercase, precision: precision)
    }

    /// As a fraction or with an exponent, whichever is shorter.
    public static var hybrid: OSLogFloatFormatting { hybrid() }
    /// As a fraction or with an exponent, whichever is shorter.
    public static func hybrid(explicitPositiveSign: Bool = false, uppercase: Bool = false)
        -> OSLogFloatFormatting
    {
        OSLogFloatFormatting(conversion: "g", hasSign: explicitPositiveSign, isUppercase: uppercase)
    }
    /// As a fraction or with an exponent, whichever is shorter, with so many digits in all.
    public static func hybrid(
        precision: @autoclosure @escaping @Sendable () -> Int, explicitPositiveSign: Bool = false,
        uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting(
            conversion: "g", hasSign: explicitPositiveSign, isUppercase: uppercase, precision: precision)
    }

    func apply(to number: Double) -> String {
        let digits = precision.map { ".\(max(0, $0()))" } ?? ""
        let letter = isUppercase ? conversion.uppercased() : conversion
        return String(format: "%\(hasSign ? "+" : "")\(digits)\(letter)", number)
    }
}
