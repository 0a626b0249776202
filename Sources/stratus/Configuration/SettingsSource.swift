/// Where the value of a setting comes from, the strongest first.
enum SettingsSource: String, Sendable, CaseIterable {
    case flag
    case environment
    case file
    case `default`
}

/// A setting's value and where it comes from.
struct EffectiveSetting: Sendable, Equatable {
    /// The setting.
    var key: SettingKey
    /// Its value as text; nil where nobody gave one and there is no default.
    var value: String?
    /// Where the value comes from.
    var source: SettingsSource

    /// The value as it may be shown.
    var shownValue: String {
        guard let value else { return "(not set)" }
        return key.isSecret ? "********" : value
    }

    /// How a person would name the place of the value, for errors.
    var place: String {
        switch source {
        case .flag: key.flag ?? key.name
        case .environment: key.environmentName
        case .file: "'\(key.name)' in the settings file"
        case .default: "the default of \(key.name)"
        }
    }
}
