import Configuration
import Foundation
import Synchronization

/// The places where settings are looked for: flags over environment over file over default.
struct SettingsLayers: Sendable {
    private let reader: ConfigReader
    private let recorder: SourceRecorder

    /// Stacks the places.
    ///
    /// - Parameters:
    ///   - flags: what the command line gave; nil values count as not given.
    ///   - environment: the process's environment.
    ///   - file: the values of the settings file.
    init(flags: [SettingKey: String?], environment: [String: String], file: [String: String]) {
        // All values travel as text: only so an unreadable one ('STRATUS_PORT=http') is an error that names
        // its place. A typed lookup would pass over it in silence.
        func provider(_ source: SettingsSource, _ values: [String: String]) -> InMemoryProvider {
            InMemoryProvider(
                name: source.rawValue,
                values: Dictionary(
                    uniqueKeysWithValues: values.map { key, value in
                        (AbsoluteConfigKey([key]), ConfigValue(.string(value), isSecret: false))
                    }))
        }
        let given = flags.compactMap { key, value in value.map { (key.name, $0) } }
        // Container tools pass variables that nobody set as empty text.
        let variables = EnvironmentVariablesProvider(environmentVariables: environment.filter { !$1.isEmpty })
        let defaults = Settings.all.compactMap { key in key.defaultValue.map { (key.name, $0) } }
        recorder = SourceRecorder()
        reader = ConfigReader(
            providers: [
                provider(.flag, Dictionary(uniqueKeysWithValues: given)),
                variables.prefixKeys(with: "stratus"),
                provider(.file, file),
                provider(.default, Dictionary(uniqueKeysWithValues: defaults)),
            ],
            accessReporter: recorder)
    }

    /// The text that counts, with the place it is from.
    func effective(_ key: SettingKey) -> EffectiveSetting {
        let value = reader.string(forKey: ConfigKey(key.name), isSecret: key.isSecret)
        return EffectiveSetting(key: key, value: value, source: recorder.source(of: key.name))
    }

    /// The value that counts.
    ///
    /// - Throws: a ``Failure`` where nobody gave one and there is no default, or that names the place of a text which
    ///   cannot be read.
    func value<Value>(of setting: Setting<Value>) throws -> Value {
        guard let value = try optional(setting) else {
            throw Failure.usage(
                "No \(setting.key.name) was given.", remedy: "Set \(setting.key.exampleCall).")
        }
        return value
    }

    /// The value that counts; nil where nobody gave one and there is no default.
    ///
    /// - Throws: a ``Failure`` that names the place of a text which cannot be read.
    func optional<Value>(_ setting: Setting<Value>) throws -> Value? {
        let found = effective(setting.key)
        guard let text = found.value else { return nil }
        guard let value = setting.read(text) else { throw Failure(unreadable: found) }
        return value
    }
}

extension Failure {
    /// The value of a setting cannot be.
    fileprivate init(unreadable found: EffectiveSetting) {
        let key = found.key
        // Nothing of a secret may reach a terminal or a log, not even one that is wrong.
        let what = key.isSecret ? "" : " is '\(found.shownValue)', but"
        self = .usage(
            "\(found.place)\(what) must be \(key.expected).",
            remedy: key.remedy
                ?? "Set it with \(key.flag ?? key.environmentName); the command's own --help says more.")
    }
}

/// Notes which place a value was found in.
private final class SourceRecorder: AccessReporter {
    private let sources = Mutex<[String: SettingsSource]>([:])

    func report(_ event: AccessEvent) {
        // The places are asked in order, and the last one asked is the one that answered.
        let position = event.providerResults.count - 1
        guard SettingsSource.allCases.indices.contains(position) else { return }
        sources.withLock { sources in
            sources[event.metadata.key.components.joined(separator: ".")] = SettingsSource.allCases[position]
        }
    }

    func source(of name: String) -> SettingsSource { sources.withLock { $0[name] } ?? .default }
}

extension SettingsLayers {
    /// Some flags over the environment over the settings file.
    ///
    /// - Parameters:
    ///   - flags: what the command line gave; among them may be the settings file.
    ///   - environment: the process's environment.
    /// - Throws: a ``Failure`` that names the settings file and what is wrong in it.
    static func standard(
        flags: [SettingKey: String?], environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> SettingsLayers {
        // Where the file is can be said everywhere but in the file.
        let outside = SettingsLayers(flags: flags, environment: environment, file: [:])
        let file = try SettingsFile.values(at: outside.optional(Settings.config))
        return SettingsLayers(flags: flags, environment: environment, file: file)
    }
}
