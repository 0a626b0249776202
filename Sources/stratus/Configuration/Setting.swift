/// A setting: everything that is known of it, declared once in ``Settings``.
///
/// Its option, its variable, its member of the settings file, its help, what `--print-config` shows, the errors and
/// the table in Documentation/CommandLine.md follow from this.
struct Setting<Value: Sendable>: Sendable {
    /// The names and the help.
    let key: SettingKey
    /// Reads a value; nil for a text that is none.
    let read: @Sendable (String) -> Value?

    init(_ key: SettingKey, read: @escaping @Sendable (String) -> Value?) {
        self.key = key
        self.read = read
    }
}

extension Setting where Value == String {
    /// A setting whose text may be anything.
    init(_ key: SettingKey) { self.init(key) { $0 } }
}

extension Setting where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// A setting whose value is one of a few words, in capitals or not.
    init(choosing key: SettingKey) {
        var key = key
        let words = Value.allCases.map(\.rawValue)
        key.expected = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        self.init(key) { Value(rawValue: $0.lowercased()) }
    }
}

extension Setting where Value == Int {
    /// A setting whose value is a whole number.
    init(_ key: SettingKey, in range: ClosedRange<Int>) {
        var key = key
        key.expected = "a number from \(range.lowerBound) to \(range.upperBound)"
        self.init(key) { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    }
}

/// The part of a setting that does not depend on the type of its value.
struct SettingKey: Sendable {
    /// The name in the settings file, `logLevel`. Option and variable are made from it.
    let name: String
    /// What it is for, as a sentence.
    var help: String
    /// What stands for the value in the help: `number` in `--port <number>`.
    var valueName: String
    /// What a value has to be, to follow 'must be'.
    var expected = "text"
    /// The value where nobody gives one.
    var defaultValue: String?
    /// What the help says of the default; nil to show the value itself.
    var defaultMeaning: String?
    /// A value that it may have.
    var example: String?
    /// What to do about a value that cannot be; nil for what is true of all settings.
    var remedy: String?
    /// Whether the value must not be shown.
    var isSecret = false
    /// Where it can be given. Secrets of the server have no option: it would stand in the process list.
    var places: Set<SettingsSource> = [.flag, .environment, .file]
    /// Other names of the option, without dashes.
    var aliases: [String] = []

    /// The option, `--log-level`; nil where there is none.
    var flag: String? { places.contains(.flag) ? "--\(optionName)" : nil }

    /// The name of the option without dashes, `log-level`.
    var optionName: String { words.joined(separator: "-") }

    /// The name in the environment, `STRATUS_LOG_LEVEL`.
    var environmentName: String { "STRATUS_" + words.joined(separator: "_").uppercased() }

    /// How it is given: `--container iCloud.com.example.app, or STRATUS_CONTAINER`.
    var exampleCall: String {
        guard let flag else { return environmentName }
        return "\(flag) \(example ?? name.uppercased()), or \(environmentName)"
    }

    /// The words of the name; a run of capitals is one: `publicURL` has `public` and `url`.
    private var words: [String] {
        var words = [""]
        var previous: Character = "a"
        for character in name {
            if character.isUppercase, !previous.isUppercase { words.append("") }
            previous = character
            words[words.count - 1] += character.lowercased()
        }
        return words
    }
}

extension SettingKey: Hashable {
    static func == (left: SettingKey, right: SettingKey) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
