import ArgumentParser

extension Option where Value == String? {
    /// The option of a setting: its names and its help are those of the declaration. The value stays text, since
    /// ``SettingsLayers`` reads it, wherever it was given.
    init<Type>(_ setting: Setting<Type>, parsing: SingleValueParsingStrategy = .next) {
        let key = setting.key
        assert(key.flag != nil, "The setting \(key.name) has no option.")
        self.init(
            name: NameSpecification([key.optionName] + key.aliases), parsing: parsing,
            help: ArgumentHelp(stringLiteral: key.optionHelp).named(key.valueName))
    }
}

extension NameSpecification {
    fileprivate init(_ names: [String]) { self.init(names.map { Element.customLong($0) }) }
}

extension ArgumentHelp {
    fileprivate func named(_ valueName: String) -> ArgumentHelp {
        var help = self
        help.valueName = valueName
        return help
    }
}

extension SettingKey {
    /// What the help says of the option: what it is for, the variable, the default.
    var optionHelp: String {
        var sentences = [help]
        sentences.append(
            isSecret
                ? "Better given in \(environmentName), which no process list shows."
                : "Environment: \(environmentName).")
        if let text = defaultMeaning ?? defaultValue { sentences.append("Default: \(text).") }
        return sentences.joined(separator: " ")
    }
}
