public import Foundation

extension String {
    /// A text to look up, with values in it: `"\(count) of \(name)"` has the key `%lld of %@`.
    public struct LocalizationValue: ExpressibleByStringInterpolation, Equatable, Sendable {
        /// What is looked up: the text with a placeholder for each value.
        let key: String
        /// The values as they are written, in order.
        let values: [String]

        /// Takes a text that is known at run time.
        public init(_ value: String) { (key, values) = (value, []) }

        /// Takes a text without values.
        public init(stringLiteral value: String) { (key, values) = (value, []) }

        /// Takes a text with values.
        public init(stringInterpolation: StringInterpolation) {
            (key, values) = (stringInterpolation.key, stringInterpolation.values)
        }

        /// The parts of a text with values; the compiler makes them.
        public struct StringInterpolation: StringInterpolationProtocol {
            var key = ""
            var values: [String] = []

            /// Begins a text.
            public init(literalCapacity: Int, interpolationCount: Int) {
                key.reserveCapacity(literalCapacity + 4 * interpolationCount)
            }

            /// Adds a piece of the text; a per cent sign is doubled in keys with values.
            public mutating func appendLiteral(_ literal: String) {
                key += literal.replacingOccurrences(of: "%", with: "%%")
            }

            /// Adds a text, whose placeholder is `%@`.
            public mutating func appendInterpolation(_ string: String) { append("%@", string) }

            /// Adds an integer, whose placeholder is `%lld`.
            public mutating func appendInterpolation<T: BinaryInteger>(_ value: T) {
                append("%lld", "\(value)")
            }

            /// Adds a number, whose placeholder is `%lf`.
            public mutating func appendInterpolation(_ value: Double) {
                append("%lf", String(format: "%f", value))
            }

            /// Adds what a value says of itself; its placeholder is `%@`.
            @_disfavoredOverload
            public mutating func appendInterpolation<T>(_ value: T) { append("%@", "\(value)") }

            private mutating func append(_ placeholder: String, _ value: String) {
                key += placeholder
                values.append(value)
            }
        }

        /// A translation with the values in it: placeholders take them in order, or by number as `%2$@` does.
        func text(_ format: String) -> String {
            guard !values.isEmpty else { return format }
            var text = ""
            var rest = Substring(format)
            var next = 0
            while let percent = rest.firstIndex(of: "%") {
                text += rest[..<percent]
                rest = rest[rest.index(after: percent)...]
                if rest.first == "%" {
                    text += "%"
                    rest = rest.dropFirst()
                    continue
                }
                var index = next
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                if let number = Int(digits), rest.dropFirst(digits.count).first == "$" {
                    index = number - 1
                    rest = rest.dropFirst(digits.count + 1)
                } else {
                    next += 1
                }
                rest = rest.drop { "0123456789.-+ #lhqzjt".contains($0) }.dropFirst()
                if values.indices.contains(index) { text += values[index] }
            }
            return text + rest
        }
    }

    /// A text in the user's language, of the `.strings` files of a bundle; the text itself where there is none.
    ///
    /// - Parameters:
    ///   - keyAndValue: the text of the development language, which is the key as well.
    ///   - table: the name of the file; `Localizable` where nil.
    ///   - bundle: that of the app where nil.
    ///   - locale: how numbers are written; here they are written as in code.
    ///   - comment: for whoever translates.
    public init(
        localized keyAndValue: LocalizationValue, table: String? = nil, bundle: Bundle? = nil,
        locale: Locale = .current, comment: StaticString? = nil
    ) {
        let format = (bundle ?? .main).localizedString(
            forKey: keyAndValue.key, value: keyAndValue.key, table: table)
        self = keyAndValue.text(format)
    }

    /// A text in the user's language, of the `.strings` files of a bundle; the default where there is none.
    ///
    /// - Parameters:
    ///   - key: what is looked up.
    ///   - defaultValue: the text of the development language.
    ///   - table: the name of the file; `Localizable` where nil.
    ///   - bundle: that of the app where nil.
    ///   - locale: how numbers are written; here they are written as in code.
    ///   - comment: for whoever translates.
    public init(
        localized key: StaticString, defaultValue: LocalizationValue, table: String? = nil,
        bundle: Bundle? = nil, locale: Locale = .current, comment: StaticString? = nil
    ) {
        let format = (bundle ?? .main).localizedString(
            forKey: key.description, value: defaultValue.key, table: table)
        self = defaultValue.text(format)
    }
}
