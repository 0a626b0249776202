public import Foundation

/// Writes the name of a person, with Apple's API: Foundation on Linux declares the class, but nobody can make one.
///
/// Names are written as given: the given name first, or the family name first and without spaces where the name is in
/// Chinese, Japanese or Korean letters. The order that a user chose in the system's settings, and that of other
/// languages, is not known here.
///
/// Unchecked as its superclass is: it is set before it is shared.
open class PersonNameComponentsFormatter: Formatter, @unchecked Sendable {
    /// How much of a name is written. The raw values are Apple's.
    public enum Style: Int, Sendable {
        /// As ``medium``.
        case `default` = 0
        /// What a friend is called: the nickname, else the given name.
        case short
        /// Given and family name.
        case medium
        /// All parts but the nickname.
        case long
        /// The initials.
        case abbreviated
    }

    /// What is written. The raw values are Apple's.
    public struct Options: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The way that the name is spoken, of ``Foundation/PersonNameComponents/phoneticRepresentation``.
        public static let phonetic = Options(rawValue: 1 << 1)
    }

    /// How much of a name is written.
    open var style = Style.default
    /// Whether it is written the way it is spoken.
    open var isPhonetic = false
    /// Kept for the app; the order of a name follows its letters.
    open var locale: Locale! = .autoupdatingCurrent

    /// Makes a formatter of the default style.
    public override init() { super.init() }

    /// Reads a formatter of the default style from an archive.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// A name in a style.
    open class func localizedString(
        from components: PersonNameComponents, style nameFormatStyle: Style, options nameOptions: Options = []
    ) -> String {
        let formatter = PersonNameComponentsFormatter()
        formatter.style = nameFormatStyle
        formatter.isPhonetic = nameOptions.contains(.phonetic)
        return formatter.string(from: components)
    }

    /// A name; empty where no part of it is known.
    open func string(from components: PersonNameComponents) -> String {
        WrittenName(isPhonetic ? components.phoneticRepresentation ?? PersonNameComponents() : components)
            .text(style)
    }

    /// A name without attributes: those that Apple's has name the parts, for which there are no keys on Linux.
    open func annotatedString(from components: PersonNameComponents) -> NSAttributedString {
        NSAttributedString(string: string(from: components))
    }

    /// A name; nil for an object that is none.
    open override func string(for obj: Any?) -> String? {
        (obj as? PersonNameComponents).map { string(from: $0) }
    }

    /// Guesses the parts of a name: the last word is the family name, the first the given one, the middle name is between.
    ///
    /// - Returns: nil for a text without words.
    open func personNameComponents(from string: String) -> PersonNameComponents? {
        var words = string.split(whereSeparator: \.isWhitespace).map(String.init)
        guard !words.isEmpty else { return nil }
        var components = PersonNameComponents()
        components.givenName = words.removeFirst()
        components.familyName = words.popLast()
        components.middleName = words.isEmpty ? nil : words.joined(separator: " ")
        return components
    }
}

/// The parts of a name that are there, in the order in which they are written.
private struct WrittenName {
    private let components: PersonNameComponents
    private let isFamilyFirst: Bool

    init(_ components: PersonNameComponents) {
        self.components = components
        let letters = [components.familyName, components.givenName].compactMap { $0 }.joined().unicodeScalars
        isFamilyFirst = !letters.isEmpty && letters.allSatisfy(Self.isEastAsian)
    }

    func text(_ style: PersonNameComponentsFormatter.Style) -> String {
        switch style {
        case .short:
            joined([components.nickname ?? components.givenName ?? components.familyName])
        case .default, .medium:
            joined(
                isFamilyFirst
                    ? [components.familyName, components.givenName]
                    : [components.givenName, components.familyName])
        case .long:
            joined(
                [components.namePrefix]
                    + (isFamilyFirst
                        ? [components.familyName, components.middleName, components.givenName]
                        : [components.givenName, components.middleName, components.familyName])
                    + [components.nameSuffix])
        case .abbreviated:
            // One letter is enough where the family name is one.
            isFamilyFirst
                ? String((components.familyName ?? components.givenName ?? "").prefix(1))
                : [components.givenName, components.familyName].compactMap { $0?.prefix(1) }.joined()
        }
    }

    private func joined(_ parts: [String?]) -> String {
        parts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: isFamilyFirst ? "" : " ")
    }

    /// Kana, Han and Hangul: <https://www.unicode.org/charts/>.
    private static func isEastAsian(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3005...0x3007, 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7AF,
            0xF900...0xFAFF,
            0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
