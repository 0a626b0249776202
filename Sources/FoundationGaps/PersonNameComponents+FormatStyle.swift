public import Foundation

extension PersonNameComponents {
    /// The name in the medium style: given and family name. See ``PersonNameComponentsFormatter`` for its order.
    public func formatted() -> String { formatted(.name(style: .medium)) }

    /// The name in a style of one's own, such as `.name(style: .long)`.
    public func formatted<S: Foundation.FormatStyle>(
        _ style: S
    ) -> S.FormatOutput where S.FormatInput == PersonNameComponents {
        style.format(self)
    }

    /// How a name is written, as a value.
    public struct FormatStyle: Foundation.FormatStyle {
        /// How much of it is written.
        public enum Style: String, Codable, Hashable, Sendable {
            /// What a friend is called.
            case short
            /// Given and family name.
            case medium
            /// All parts but the nickname.
            case long
            /// The initials.
            case abbreviated
        }

        /// How much of a name is written.
        public var style: Style
        /// Kept for the app; the order of a name follows its letters.
        public var locale: Locale

        public init(style: Style = .medium, locale: Locale = .autoupdatingCurrent) {
            (self.style, self.locale) = (style, locale)
        }

        /// The name in this style.
        public func format(_ value: PersonNameComponents) -> String {
            PersonNameComponentsFormatter.localizedString(from: value, style: formatterStyle)
        }

        /// The same style for another locale.
        public func locale(_ locale: Locale) -> FormatStyle { FormatStyle(style: style, locale: locale) }

        private var formatterStyle: PersonNameComponentsFormatter.Style {
            switch style {
            case .short: .short
            case .medium: .medium
            case .long: .long
            case .abbreviated: .abbreviated
            }
        }
    }
}

extension FormatStyle where Self == PersonNameComponents.FormatStyle {
    /// A name in a style.
    public static func name(style: PersonNameComponents.FormatStyle.Style) -> Self { Self(style: style) }
}
