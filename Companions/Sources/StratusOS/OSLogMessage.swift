public import Foundation

/// A message with values in it, such as `"saved \(count) of \(name, privacy: .public)"`.
///
/// Values are looked at only when the message is written.
public struct OSLogMessage: ExpressibleByStringInterpolation {
    /// The parts of the message.
    public let interpolation: OSLogInterpolation

    /// Makes a message of its parts.
    public init(stringInterpolation: OSLogInterpolation) { interpolation = stringInterpolation }

    /// Makes a message without values.
    public init(stringLiteral value: String) {
        var interpolation = OSLogInterpolation(literalCapacity: value.utf8.count, interpolationCount: 0)
        interpolation.appendLiteral(value)
        self.interpolation = interpolation
    }

    /// The message with private values redacted.
    var text: String { interpolation.parts.map { $0() }.joined() }
}

/// The parts of an ``OSLogMessage``; the compiler makes them.
public struct OSLogInterpolation: StringInterpolationProtocol {
    var parts: [() -> String] = []

    /// Begins a message.
    public init(literalCapacity: Int, interpolationCount: Int) {
        parts.reserveCapacity(interpolationCount * 2 + 1)
    }

    /// Adds a text of the program's own, which is always shown.
    public mutating func appendLiteral(_ literal: String) { parts.append { literal } }

    private mutating func append(
        _ privacy: OSLogPrivacy, _ align: OSLogStringAlignment, isScalar: Bool, _ text: @escaping () -> String
    ) {
        parts.append { privacy.apply(to: align.apply(to: text()), isScalar: isScalar) }
    }

    // MARK: Texts and objects, which are private by default

    /// Adds a text.
    public mutating func appendInterpolation(
        _ argumentString: @autoclosure @escaping () -> String, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(privacy, align, isScalar: false, argumentString)
    }

    /// Adds what a value says of itself. Disfavoured, so that numbers are taken as numbers, which are public.
    @_disfavoredOverload
    public mutating func appendInterpolation<T: CustomStringConvertible>(
        _ value: @autoclosure @escaping () -> T, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(privacy, align, isScalar: false) { value().description }
    }

    /// Adds an object.
    public mutating func appendInterpolation(
        _ argumentObject: @autoclosure @escaping () -> NSObject, privacy: OSLogPrivacy = .auto
    ) {
        append(privacy, .none, isScalar: false) { argumentObject().description }
    }

    /// Adds an error.
    @_disfavoredOverload
    public mutating func appendInterpolation(
        _ error: @autoclosure @escaping () -> any Error, privacy: OSLogPrivacy = .auto
    ) {
        append(privacy, .none, isScalar: false) { "\(error())" }
    }

    /// Adds an object, or `(null)` where there is none.
    public mutating func appendInterpolation(
        _ argumentObject: @autoclosure @escaping () -> NSObject?, privacy: OSLogPrivacy = .auto
    ) {
        append(privacy, .none, isScalar: false) { argumentObject()?.description ?? Self.none }
    }

    /// Adds an error, or `(null)` where there is none.
    @_disfavoredOverload
    public mutating func appendInterpolation(
        _ error: @autoclosure @escaping () -> (any Error)?, privacy: OSLogPrivacy = .auto
    ) {
        append(privacy, .none, isScalar: false) { error().map { "\($0)" } ?? Self.none }
    }

    /// What `%@` writes for nil.
    private static var none: String { "(null)" }

    /// Adds the name of a type, which is shown by default.
    public mutating func appendInterpolation(
        _ value: @autoclosure @escaping () -> any Any.Type, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        append(privacy, align, isScalar: true) { String(describing: value()) }
    }

    // MARK: Numbers, which are public by default

    /// Adds an integer.
    public mutating func appendInterpolation<T: FixedWidthInteger>(
        _ number: @autoclosure @escaping () -> T, format: OSLogIntegerFormatting = .decimal,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append(privacy, align, isScalar: true) { format.apply(to: number()) }
    }

    /// Adds a number.
    public mutating func appendInterpolation(
        _ number: @autoclosure @escaping () -> Float, format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append(privacy, align, isScalar: true) { format.apply(to: Double(number())) }
    }

    /// Adds a number.
    public mutating func appendInterpolation(
        _ number: @autoclosure @escaping () -> Double, format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append(privacy, align, isScalar: true) { format.apply(to: number()) }
    }

    /// Adds a number.
    public mutating func appendInterpolation(
        _ number: @autoclosure @escaping () -> CGFloat, format: OSLogFloatFormatting = .fixed,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        append(privacy, align, isScalar: true) { format.apply(to: Double(number())) }
    }

    /// Adds a Boolean.
    public mutating func appendInterpolation(
        _ boolean: @autoclosure @escaping () -> Bool, format: OSLogBoolFormat = .truth,
        privacy: OSLogPrivacy = .auto
    ) {
        append(privacy, .none, isScalar: true) { format.apply(to: boolean()) }
    }

    /// Adds an address.
    public mutating func appendInterpolation(
        _ pointer: @autoclosure @escaping () -> UnsafeRawPointer, privacy: OSLogPrivacy = .auto
    ) {
        append(privacy, .none, isScalar: true) { "\(pointer())" }
    }
}
